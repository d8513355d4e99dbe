package main

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

var answering = regexp.MustCompile(`msg="Answering probes" address=(\S+)`)

// TestProbeAddress: there, probes are answered without the password, and nothing else is.
func TestProbeAddress(t *testing.T) {
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "--snapshot", example, "--web.config.file", write(t, "web.yaml", fmt.Sprintf("basic_auth_users: {prometheus: %q}\n", hash)),
		"--web.probe-address=127.0.0.1:0")
	m := answering.FindStringSubmatch(s.stderr.String())
	if m == nil {
		t.Fatalf("no word of the probes' address:\n%s", s.stderr)
	}
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/-/healthy": 200, "/-/ready": 200, "/": 404, "/metrics": 404} {
		if code, _ := get(t, http.DefaultClient, "http://"+m[1]+path); code != want {
			t.Errorf("probes' %s: %d, want %d", path, code, want)
		}
		if code, _ := get(t, http.DefaultClient, "http://"+s.address+path); code != http.StatusUnauthorized {
			t.Errorf("%s without the password: %d", path, code)
		}
	}
}

func TestProbeAddressRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for address, want := range map[string]string{
		"10228":           `--web.probe-address "10228": not an address such as :10228`,
		l.Addr().String(): "--web.probe-address " + l.Addr().String() + ": listen tcp",
	} {
		out := &output{}
		if code := execute(t.Context(), []string{"--snapshot", example, "--web.listen-address=127.0.0.1:0", "--web.probe-address", address}, out, out); code != 1 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit status %d\n%s\nwant %q", address, code, out, want)
		}
	}
}
