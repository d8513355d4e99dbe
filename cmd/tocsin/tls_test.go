package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

func TestBasicAuth(t *testing.T) {
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "--snapshot", example, "--web.config.file", write(t, "web.yaml", fmt.Sprintf("basic_auth_users: {prometheus: %q}\n", hash)))
	for at, want := range map[string]int{"": 401, "prometheus:secret@": 200, "prometheus:wrong@": 401, "other:secret@": 401} {
		if code, _ := get(t, http.DefaultClient, "http://"+at+s.address+"/metrics"); code != want {
			t.Errorf("as %q: %d, want %d", at, code, want)
		}
	}
}

// authority signs certificates of a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

func newAuthority(t *testing.T) *authority {
	a := &authority{dir: t.TempDir()}
	a.cert, a.key = a.issue(t, "ca", nil)
	return a
}

// issue writes NAME.crt and NAME.key.
func (a *authority) issue(t *testing.T, name string, parent *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: parent == nil, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	signer, signerKey := template, key
	if parent != nil {
		signer, signerKey = parent.cert, parent.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer, &key.PublicKey, signerKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".crt": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(filepath.Join(a.dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// client trusts the authority and shows the certificate NAME, none when that is "".
func (a *authority) client(t *testing.T, name string) *http.Client {
	t.Helper()
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AddCert(a.cert)
	if name != "" {
		pair, err := tls.LoadX509KeyPair(filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: config}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func (a *authority) webConfig(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(a.dir, "web.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTLS(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "server", a)
	s := start(t, "--snapshot", example, "--web.config.file", a.webConfig(t, "tls_server_config: {cert_file: server.crt, key_file: server.key}\n"))
	if code, body := get(t, a.client(t, ""), "https://"+s.address+"/metrics"); code != 200 || !strings.Contains(body, "tocsin_source_up") {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := get(t, newAuthority(t).client(t, ""), "https://"+s.address+"/metrics"); code != 0 {
		t.Errorf("a client that trusts another authority: %d", code)
	}
	if code, _ := get(t, http.DefaultClient, "http://"+s.address+"/metrics"); code == 200 {
		t.Error("answers without TLS, too")
	}
}

func TestClientCertificates(t *testing.T) {
	a, stranger := newAuthority(t), newAuthority(t)
	a.issue(t, "server", a)
	a.issue(t, "prometheus", a)
	stranger.issue(t, "mallory", stranger)
	s := start(t, "--snapshot", example, "--web.config.file", a.webConfig(t,
		"tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n"))
	url := "https://" + s.address + "/metrics"
	if code, body := get(t, a.client(t, "prometheus"), url); code != 200 {
		t.Errorf("with a certificate: %d %s", code, body)
	}
	if code, _ := get(t, a.client(t, ""), url); code != 0 {
		t.Errorf("without a certificate: %d", code)
	}
	mallory := stranger.client(t, "mallory")
	mallory.Transport.(*http.Transport).TLSClientConfig.RootCAs.AddCert(a.cert)
	if code, _ := get(t, mallory, url); code != 0 {
		t.Errorf("with a stranger's certificate: %d", code)
	}
}
