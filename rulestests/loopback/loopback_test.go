package loopback

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

var errNotYet = errors.New("not yet")

// start starts a shell with a script.
func start(t *testing.T, text string) *Process {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	p, err := Command{Name: "sh", Dir: t.TempDir(), Path: sh, Args: []string{"-c", text}, Env: []string{"SAYS=ready"}}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// script starts a shell with a script, and waits until it has written a line to its log.
func script(t *testing.T, text string) *Process {
	t.Helper()
	p := start(t, text)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := p.Until(ctx, time.Millisecond, func(context.Context) error {
		if p.tail() == "" {
			return errNotYet
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestStop kills a process that does not end when it is asked to, and its children with it.
func TestStop(t *testing.T) {
	p := script(t, `trap "" TERM; sleep 1000 & echo $!; wait; wait`)
	child, err := strconv.Atoi(p.tail())
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(10 * time.Millisecond)
	for range 1000 {
		if err = syscall.Kill(child, 0); err != nil || zombie(child) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the child, %d, has outlived its parent", child)
}

// zombie says whether a process has ended and nobody has asked how.
func zombie(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(text), ") Z ")
}

// TestStopLetsEnd leaves a process the time to end by itself. To stop it again, or what was never started, does nothing.
func TestStopLetsEnd(t *testing.T) {
	p := script(t, `trap "echo bye; exit" TERM; echo $SAYS; while :; do sleep 0.01; done`)
	p.Stop(time.Minute)
	if got := p.tail(); !strings.HasPrefix(got, "ready\n") || !strings.HasSuffix(got, "\nbye") { // between them sh may tell of its sleep
		t.Errorf("it said %q", got)
	}
	p.Stop(time.Minute)
	p.Kill()
	var none *Process
	none.Stop(time.Minute)
	none.Kill()
}

// TestUntil gives up when the process ends, and when the context does, and says why.
func TestUntil(t *testing.T) {
	never := func(context.Context) error { return errNotYet }
	ended := start(t, "seq 1 20; exit 3")
	if err := ended.Until(t.Context(), time.Hour, never); err == nil || err.Error() != "sh has ended, its log ends with: 16\n17\n18\n19\n20" {
		t.Errorf("of a process that has ended: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("changed my mind")
	cancel(why)
	if err := script(t, "echo $SAYS; exec sleep 1000").Until(ctx, time.Hour, never); !errors.Is(err, why) || !errors.Is(err, errNotYet) || !strings.HasSuffix(err.Error(), "ready") {
		t.Errorf("of a context that has ended: %v", err)
	}
}

// TestAddresses gives each once.
func TestAddresses(t *testing.T) {
	addresses, err := Addresses(50)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range addresses {
		if seen[a] || a != "127.0.0.1:"+Port(a) {
			t.Errorf("%s again, or none of ours", a)
		}
		seen[a] = true
	}
}

// TestGet shows its token, if it has one, and takes no refusal for an answer.
func TestGet(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who is there?", http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	if _, err := Get(t.Context(), server.URL, "secret"); err != nil {
		t.Error(err)
	}
	if err := Answers(server.URL, "")(t.Context()); err == nil || !strings.Contains(err.Error(), "401 Unauthorized: who is there?") {
		t.Errorf("without a token: %v", err)
	}
}

// TestCredentials are what the flags name, and are for nobody else to read.
func TestCredentials(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "kubeconfig")
	if err := errors.Join(WriteCredentials(dir, "admin", "secret"), WriteKubeconfig(file, "127.0.0.1:1", "admin", "secret")); err != nil {
		t.Fatal(err)
	}
	flags := APIServerFlags(dir, "127.0.0.1:2", "127.0.0.1:1")
	for i, flag := range flags {
		if !strings.HasSuffix(flag, "-file") {
			continue
		}
		if info, err := os.Stat(flags[i+1]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", flag, info, err)
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://127.0.0.1:1" || config.BearerToken != "secret" {
		t.Errorf("the kubeconfig leads to %s with the token %q", config.Host, config.BearerToken)
	}
}
