package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// server is an etcd with a kube-apiserver in front, and nothing that would change what is stored: no controllers, no kubelets.
type server struct {
	dir        string
	binaries   binaries
	store      *store
	etcd, api  *process
	port       string // of the API server
	arguments  []string
	kubeconfig string
	client     *http.Client
}

// token is only good for an API server that listens on loopback for as long as the bench runs.
const token = "bench"

// startEtcd starts etcd alone: the API server reads what is there when it starts.
func startEtcd(ctx context.Context, dir string, b binaries) (*server, error) {
	s := &server{dir: dir, binaries: b, kubeconfig: filepath.Join(dir, "kubeconfig"), client: &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // a certificate that the API server has made for itself a moment ago
	}}}
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	s.port = ports[2]
	client, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	s.store = newStore(client)
	s.etcd, err = launch(dir, "etcd", b["etcd"], "--data-dir", filepath.Join(dir, "etcd"), "--unsafe-no-fsync", "--log-level", "warn",
		"--quota-backend-bytes", strconv.Itoa(8<<30), "--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	if err != nil {
		return nil, err
	}
	s.arguments = []string{
		"--etcd-servers", client, "--bind-address", "127.0.0.1", "--secure-port", s.port, "--cert-dir", filepath.Join(dir, "certs"),
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", filepath.Join(dir, "sa.pub"),
		"--service-account-signing-key-file", filepath.Join(dir, "sa.key"), "--token-auth-file", filepath.Join(dir, "tokens.csv"),
		"--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24", "--disable-admission-plugins", "ServiceAccount",
		// Watches last for as long as a part of the bench does, so that none is opened anew in the middle.
		"--min-request-timeout", "7200",
	}
	return s, s.etcd.until(ctx, 100*time.Millisecond, func(ctx context.Context) error { return s.get(ctx, client+"/readyz") })
}

// startAPI starts the API server, or starts it again, and waits until it is ready.
func (s *server) startAPI(ctx context.Context) error {
	if _, err := os.Stat(s.kubeconfig); err != nil {
		if err := s.writeCredentials(); err != nil {
			return err
		}
	}
	var err error
	if s.api, err = launch(s.dir, "kube-apiserver", s.binaries["kube-apiserver"], s.arguments...); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return s.api.until(ctx, 200*time.Millisecond, func(ctx context.Context) error { return s.get(ctx, s.url()+"/readyz") })
}

func (s *server) stop() {
	if s == nil {
		return
	}
	s.api.stop()
	s.etcd.stop()
}

func (s *server) url() string { return "https://127.0.0.1:" + s.port }

func (s *server) get(ctx context.Context, url string) error {
	_, err := s.read(ctx, url)
	return err
}

func (s *server) read(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %.300s", url, response.Status, body)
	}
	return body, err
}

var watchCount = regexp.MustCompile(`(?m)^apiserver_longrunning_requests\{.*resource="([a-z]+)".*verb="WATCH".*\} (\d+)`)

// watches gives the number of open watches by resource.
func (s *server) watches(ctx context.Context) (map[string]int, error) {
	text, err := s.read(ctx, s.url()+"/metrics")
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, m := range watchCount.FindAllSubmatch(text, -1) {
		n, _ := strconv.Atoi(string(m[2]))
		counts[string(m[1])] += n
	}
	return counts, nil
}

// writeCredentials writes the key pair that signs tokens, the bench's token, and the kubeconfig with it.
func (s *server) writeCredentials() error {
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
		"tokens.csv": []byte(token + ",bench,bench,system:masters\n"),
		"kubeconfig": fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: bench
clusters: [{name: bench, cluster: {server: %q, insecure-skip-tls-verify: true}}]
contexts: [{name: bench, context: {cluster: bench, user: bench}}]
users: [{name: bench, user: {token: %q}}]
`, s.url(), token),
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// freePorts gives n ports of loopback, all different.
func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // at the end, so that no port is given twice
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}
