package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
)

// TestTermSignalEndsRun sends SIGTERM to the process.
func TestTermSignalEndsRun(t *testing.T) {
	caught := make(chan os.Signal, 1) // keeps the signal from ending the test, should run not catch it
	signal.Notify(caught, syscall.SIGTERM)
	defer signal.Stop(caught)
	done := make(chan int, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	go func() {
		done <- run([]string{"--snapshot", example, "--web.listen-address", address, "--log.level=error"})
	}()
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := <-done; code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestShutdownLetsAnswersFinish stops the server while an answer is being made.
func TestShutdownLetsAnswersFinish(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	slow := &http.Server{ReadHeaderTimeout: headerTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(inside)
		<-release
		_, _ = io.WriteString(w, "all of it")
	})}
	stopping := make(chan struct{})
	slow.RegisterOnShutdown(func() { close(stopping) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended, answer := make(chan error, 1), make(chan string, 1)
	go func() {
		none := ""
		ended <- listenUntil(ctx, slow, []net.Listener{l}, &web.FlagConfig{WebConfigFile: &none}, slog.New(slog.DiscardHandler))
	}()
	go func() {
		_, body := get(t, http.DefaultClient, "http://"+l.Addr().String())
		answer <- body
	}()
	<-inside
	stop()
	<-stopping
	select {
	case err := <-ended:
		t.Fatalf("it did not wait for the answer: %v", err)
	default:
	}
	close(release)
	if body := <-answer; body != "all of it" {
		t.Errorf("the answer is %q", body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// patience is how long a test waits for what should come at once before it says that it does not.
const patience = 30 * time.Second

// TestASourceThatDoesNotEnd has a source go on when its context has ended, as client-go does while it waits between two attempts at an
// API server that does not answer.
func TestASourceThatDoesNotEnd(t *testing.T) {
	release, running := make(chan struct{}), make(chan struct{})
	defer close(release)
	end := background(t.Context(), func(context.Context) { close(running); <-release })
	<-running
	done := make(chan struct{})
	go func() { end(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it waits for the source for ever")
	}
}

func TestASourceThatEndsIsWaitedFor(t *testing.T) {
	ended := false
	background(t.Context(), func(ctx context.Context) { <-ctx.Done(); ended = true })()
	if !ended {
		t.Error("left before the source had ended")
	}
}

// TestStopWhileAFileIsRead has each file be a pipe that nobody writes to.
func TestStopWhileAFileIsRead(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"snapshot":    {"--snapshot", pipe},
		"kubeconfig":  {"--kubeconfig", pipe},
		"claim rules": {"--snapshot", example, "--claims.rules-file", pipe},
		"web config":  {"--snapshot", example, "--web.config.file", pipe},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			stderr, code := &output{}, make(chan int, 1)
			go func() { code <- execute(ctx, append(args, "--web.listen-address=127.0.0.1:0"), io.Discard, stderr) }()
			// Opened without waiting, the pipe takes a writer only once it has a reader.
			var writer int
			for err := error(syscall.ENXIO); err != nil; time.Sleep(time.Millisecond) {
				writer, err = syscall.Open(pipe, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
			}
			defer syscall.Close(writer) // ends the reading
			stop()
			select {
			case c := <-code:
				if c != 0 || strings.Count(stderr.String(), "\n") != 1 {
					t.Errorf("exit status %d:\n%s", c, stderr)
				}
			case <-time.After(patience):
				t.Error("it goes on")
			}
		})
	}
}
