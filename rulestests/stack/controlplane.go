package stack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	_ "embed"

	"tocsin/rulestests/loopback"
)

//go:embed kwok.yaml
var stages []byte

//go:embed audit.yaml
var auditPolicy []byte

// adminToken is only good for an API server that listens on loopback for as long as the stack runs.
const adminToken = "stack-admin"

// startControlPlane starts etcd, the API server, the controllers and the scheduler.
func (s *Stack) startControlPlane(ctx context.Context) error {
	addresses, err := loopback.Addresses(3)
	if err != nil {
		return err
	}
	client, peer := addresses[0], addresses[1]
	s.apiserver = addresses[2]
	if _, err := s.run(ctx, "etcd", loopback.EtcdFlags(s.Dir, client, peer), loopback.Answers("http://"+client+"/readyz", "")); err != nil {
		return err
	}
	if err := s.writeCredentials(); err != nil {
		return err
	}
	if s.API, err = s.run(ctx, "kube-apiserver", slices.Concat(loopback.APIServerFlags(s.Dir, client, s.apiserver), []string{
		// Who asked for what: CheckPermissions reads it.
		"--audit-policy-file", s.file("audit.yaml"), "--audit-log-path", s.file("audit.jsonl"), "--audit-log-mode", "blocking-strict",
	}), loopback.Answers("https://"+s.apiserver+"/readyz", adminToken)); err != nil {
		return err
	}
	if _, err := s.run(ctx, "kube-controller-manager", []string{
		"--kubeconfig", s.Kubeconfig("admin"), "--leader-elect=false", "--use-service-account-credentials=false",
		"--service-account-private-key-file", loopback.SigningKey(s.Dir), "--controllers", "*", "--allocate-node-cidrs=false", "--secure-port", "0",
	}, s.hasServiceAccounts); err != nil {
		return err
	}
	if addresses, err = loopback.Addresses(1); err != nil {
		return err
	}
	_, err = s.run(ctx, "kube-scheduler", []string{
		"--kubeconfig", s.Kubeconfig("admin"), "--leader-elect=false", "--bind-address", "127.0.0.1", "--secure-port", loopback.Port(addresses[0]),
		"--cert-dir", s.file("certs-scheduler"),
	}, loopback.Answers("https://"+addresses[0]+"/readyz", ""))
	return err
}

// startKubelets starts kwok, which plays every node's kubelet.
func (s *Stack) startKubelets(ctx context.Context) error {
	if err := os.WriteFile(s.file("kwok.yaml"), stages, 0o644); err != nil {
		return err
	}
	addresses, err := loopback.Addresses(1)
	if err != nil {
		return err
	}
	s.kubelets, err = s.run(ctx, "kwok", []string{
		"--kubeconfig", s.Kubeconfig("admin"), "--config", s.file("kwok.yaml"), "--manage-all-nodes", "--node-lease-duration-seconds", "40", "--server-address", addresses[0],
		"--cidr", "10.1.0.0/16", "--node-ip", "10.2.0.1", "--node-lease-duration-seconds", "40",
	}, loopback.Answers("http://"+addresses[0]+"/healthz", ""))
	return err
}

// Return starts the API server again after a story has stopped it. The kubelets' player is started anew too: it would wait for more than a minute
// before it asks again, which no kubelet does.
func (s *Stack) Return(ctx context.Context) error {
	s.kubelets.Stop()
	return errors.Join(s.API.Start(ctx), s.kubelets.Start(ctx))
}

// hasServiceAccounts says whether the controllers work: one of them gives each namespace its ServiceAccount. The controller manager's own port
// is off, because its delegated authorisation would need an account of its own.
func (s *Stack) hasServiceAccounts(ctx context.Context) error {
	_, err := s.Kubectl(ctx, "", "-n", "default", "get", "serviceaccount", "default", "-o", "name")
	return err
}

// writeCredentials writes what the API server starts with, and the administrator's kubeconfig.
func (s *Stack) writeCredentials() error {
	return errors.Join(
		loopback.WriteCredentials(s.Dir, "admin", adminToken),
		os.WriteFile(s.file("audit.yaml"), auditPolicy, 0o600),
		s.writeKubeconfig("admin", adminToken),
	)
}

// Kubeconfig is the file of an account: "admin", or a name given to StartExporter.
func (s *Stack) Kubeconfig(account string) string { return s.file(account + ".kubeconfig") }

func (s *Stack) writeKubeconfig(account, token string) error {
	return loopback.WriteKubeconfig(s.Kubeconfig(account), s.apiserver, account, token)
}

func (s *Stack) file(name string) string { return filepath.Join(s.Dir, name) }
