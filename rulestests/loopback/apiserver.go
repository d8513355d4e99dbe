package loopback

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
)

// EtcdFlags are those of an etcd that keeps its data in dir and listens for clients and peers at two addresses.
func EtcdFlags(dir, client, peer string) []string {
	return []string{
		"--data-dir", filepath.Join(dir, "etcd"), "--unsafe-no-fsync", "--log-level", "warn",
		"--listen-client-urls", "http://" + client, "--advertise-client-urls", "http://" + client,
		"--listen-peer-urls", "http://" + peer, "--initial-advertise-peer-urls", "http://" + peer,
		"--initial-cluster", "default=http://" + peer,
	}
}

// APIServerFlags are those of an API server in front of an etcd, with the credentials that WriteCredentials has written to dir.
func APIServerFlags(dir, etcd, address string) []string {
	return []string{
		"--etcd-servers", "http://" + etcd, "--bind-address", "127.0.0.1", "--secure-port", Port(address), "--cert-dir", filepath.Join(dir, "certs"),
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", filepath.Join(dir, "sa.pub"),
		"--service-account-signing-key-file", SigningKey(dir), "--token-auth-file", filepath.Join(dir, "tokens.csv"), "--authorization-mode", "RBAC",
		"--service-cluster-ip-range", "10.0.0.0/24",
		// No kubelet mounts the tokens that this plugin would add to every Pod.
		"--disable-admission-plugins", "ServiceAccount",
	}
}

// SigningKey is the file of the key that signs ServiceAccounts' tokens, which the controller manager needs too.
func SigningKey(dir string) string { return filepath.Join(dir, "sa.key") }

// WriteCredentials writes the key pair that signs ServiceAccounts' tokens, and the token of a user who may do everything.
func WriteCredentials(dir, user, token string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	for path, text := range map[string][]byte{
		SigningKey(dir):                  pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		filepath.Join(dir, "sa.pub"):     pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
		filepath.Join(dir, "tokens.csv"): fmt.Appendf(nil, "%s,%s,%s,system:masters\n", token, user, user),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// WriteKubeconfig writes the file with which a user reaches the API server at an address.
func WriteKubeconfig(path, address, user, token string) error {
	return os.WriteFile(path, fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: loopback
clusters: [{name: loopback, cluster: {server: %q, insecure-skip-tls-verify: true}}]
contexts: [{name: loopback, context: {cluster: loopback, user: %q}}]
users: [{name: %q, user: {token: %q}}]
`, "https://"+address, user, user, token), 0o600)
}
