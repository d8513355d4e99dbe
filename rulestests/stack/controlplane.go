package stack

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	_ "embed"
)

//go:embed kwok.yaml
var stages []byte

//go:embed audit.yaml
var auditPolicy []byte

// adminToken is only good for an API server that listens on loopback for as long as the stack runs.
const adminToken = "stack-admin"

// startControlPlane starts etcd, the API server, the controllers and the scheduler.
func (s *Stack) startControlPlane(ctx context.Context) error {
	addresses, err := freePorts(3)
	if err != nil {
		return err
	}
	client, peer, api := addresses[0], addresses[1], addresses[2]
	s.apiserver = "https://" + api
	if _, err := s.run(ctx, "etcd", []string{
		"--data-dir", s.file("etcd"), "--unsafe-no-fsync", "--log-level", "warn",
		"--listen-client-urls", "http://" + client, "--advertise-client-urls", "http://" + client,
		"--listen-peer-urls", "http://" + peer, "--initial-advertise-peer-urls", "http://" + peer,
		"--initial-cluster", "default=http://" + peer,
	}, answers("http://"+client+"/readyz", "")); err != nil {
		return err
	}
	if err := s.writeCredentials(); err != nil {
		return err
	}
	if s.API, err = s.run(ctx, "kube-apiserver", []string{
		"--etcd-servers", "http://" + client, "--bind-address", "127.0.0.1", "--secure-port", port(api), "--cert-dir", s.file("certs"),
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", s.file("sa.pub"),
		"--service-account-signing-key-file", s.file("sa.key"), "--token-auth-file", s.file("tokens.csv"), "--authorization-mode", "RBAC",
		"--service-cluster-ip-range", "10.0.0.0/24",
		// No kubelet mounts the tokens that this plugin would add to every Pod.
		"--disable-admission-plugins", "ServiceAccount",
		// Who asked for what: Permissions reads it.
		"--audit-policy-file", s.file("audit.yaml"), "--audit-log-path", s.file("audit.jsonl"), "--audit-log-mode", "blocking-strict",
	}, answers(s.apiserver+"/readyz", adminToken)); err != nil {
		return err
	}
	if err := s.writeKubeconfig("admin", adminToken); err != nil {
		return err
	}
	if _, err := s.run(ctx, "kube-controller-manager", []string{
		"--kubeconfig", s.Kubeconfig("admin"), "--leader-elect=false", "--use-service-account-credentials=false",
		"--service-account-private-key-file", s.file("sa.key"), "--controllers", "*", "--allocate-node-cidrs=false", "--secure-port", "0",
	}, s.hasServiceAccounts); err != nil {
		return err
	}
	scheduler, err := freePorts(1)
	if err != nil {
		return err
	}
	_, err = s.run(ctx, "kube-scheduler", []string{
		"--kubeconfig", s.Kubeconfig("admin"), "--leader-elect=false", "--bind-address", "127.0.0.1", "--secure-port", port(scheduler[0]),
		"--cert-dir", s.file("certs-scheduler"),
	}, answers("https://"+scheduler[0]+"/readyz", ""))
	return err
}

// startKubelets starts kwok, which plays every node's kubelet.
func (s *Stack) startKubelets(ctx context.Context) error {
	if err := os.WriteFile(s.file("kwok.yaml"), stages, 0o644); err != nil {
		return err
	}
	addresses, err := freePorts(1)
	if err != nil {
		return err
	}
	s.kubelets, err = s.run(ctx, "kwok", []string{
		"--kubeconfig", s.Kubeconfig("admin"), "--config", s.file("kwok.yaml"), "--manage-all-nodes", "--node-lease-duration-seconds", "40", "--server-address", addresses[0],
		"--cidr", "10.1.0.0/16", "--node-ip", "10.2.0.1", "--node-lease-duration-seconds", "40",
	}, answers("http://"+addresses[0]+"/healthz", ""))
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

// writeCredentials writes the key pair that signs ServiceAccounts' tokens, the administrator's token and the audit policy.
func (s *Stack) writeCredentials() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"sa.key":     pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		"sa.pub":     pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
		"tokens.csv": []byte(adminToken + ",admin,admin,system:masters\n"),
		"audit.yaml": auditPolicy,
	} {
		if err := os.WriteFile(s.file(name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Kubeconfig is the file of an account: "admin", or a name given to StartExporter.
func (s *Stack) Kubeconfig(account string) string { return s.file(account + ".kubeconfig") }

func (s *Stack) writeKubeconfig(account, token string) error {
	return os.WriteFile(s.Kubeconfig(account), fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: stack
clusters: [{name: stack, cluster: {server: %q, insecure-skip-tls-verify: true}}]
contexts: [{name: stack, context: {cluster: stack, user: %q}}]
users: [{name: %q, user: {token: %q}}]
`, s.apiserver, account, account, token), 0o600)
}

func (s *Stack) file(name string) string { return filepath.Join(s.Dir, name) }

// answers gives a check that an address answers 200.
func answers(url, token string) func(context.Context) error {
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // a certificate that the component has made for itself a moment ago
		DisableKeepAlives: true,
	}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
			return fmt.Errorf("%s answers %s: %s", url, resp.Status, text)
		}
		return nil
	}
}
