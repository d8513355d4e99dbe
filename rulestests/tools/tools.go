// Package tools builds the commands that the tests and the demo run, from their Go modules, and keeps them in the user's cache.
//
// Each module has a modfile of its own here, so that the product's go.mod names nothing that only the tests need. Binaries are built and
// not downloaded: what runs is what the checksums in NAME.sum say, on every platform that Go knows. Two processes that want the same tool
// wait for one build: go itself would compile Kubernetes twice.
package tools

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tool is where a command comes from.
type tool struct {
	name, pkg, modfile, tags string
}

// noDiscovery leaves out Prometheus' service discoveries, which need every cloud's client.
const noDiscovery = "remove_all_sd,netgo"

// all is every command that Path can give.
var all = []tool{
	{"promtool", "github.com/prometheus/prometheus/cmd/promtool", "prometheus", noDiscovery},
	{"prometheus", "github.com/prometheus/prometheus/cmd/prometheus", "prometheus", noDiscovery},
	{"alertmanager", "github.com/prometheus/alertmanager/cmd/alertmanager", "alertmanager", "netgo"},
	{"amtool", "github.com/prometheus/alertmanager/cmd/amtool", "alertmanager", "netgo"},
	{"pint", "github.com/cloudflare/pint/cmd/pint", "pint", noDiscovery},
	{"golangci-lint", "github.com/golangci/golangci-lint/v2/cmd/golangci-lint", "golangci-lint", ""},
	{"helm", "helm.sh/helm/v4/cmd/helm", "helm", ""},
	{"kustomize", "sigs.k8s.io/kustomize/kustomize/v5", "kustomize", ""},
	{"cyclonedx-gomod", "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod", "cyclonedx-gomod", ""},
	{"etcd", "go.etcd.io/etcd/server/v3", "etcd", ""},
	{"kwok", "sigs.k8s.io/kwok/cmd/kwok", "kwok", ""},
	{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", "kubernetes", ""},
	{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager", "kubernetes", ""},
	{"kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler", "kubernetes", ""},
	{"kubectl", "k8s.io/kubernetes/cmd/kubectl", "kubernetes", ""},
	{"kube-state-metrics", "k8s.io/kube-state-metrics/v2", "kube-state-metrics", ""},
}

// Require gives the path of a tool for a test. Where it can't be built (a machine without the module proxy) the test is skipped with the
// reason; in CI it fails.
func Require(tb testing.TB, name string) string {
	tb.Helper()
	path, err := Path(tb.Context(), name, io.Discard)
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") != "":
		tb.Fatal(err)
	default:
		tb.Skip(err)
	}
	return ""
}

// Path gives the path of a tool, built unless the cache has it. A build says on progress that it has begun and how far it is: the first of
// Kubernetes takes minutes. The file's name changes with the modfile, with the tags and with Go.
func Path(ctx context.Context, name string, progress io.Writer) (string, error) {
	i := slices.IndexFunc(all, func(t tool) bool { return t.name == name })
	if i < 0 {
		return "", fmt.Errorf("no tool is named %q", name)
	}
	t := all[i]
	root, err := Root()
	if err != nil {
		return "", err
	}
	modfile := filepath.Join(root, "rulestests", "tools", t.modfile+".mod")
	mod, err := os.ReadFile(modfile)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(string(mod) + runtime.Version() + t.tags))
	bin := filepath.Join(cache, "tocsin", "tools", fmt.Sprintf("%s-%x", t.name, sum[:6]))
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	if err := os.MkdirAll(filepath.Dir(bin), 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(filepath.Dir(bin), t.modfile+".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(bin); err == nil {
		return bin, nil // whoever held the lock has built it
	}
	if err := t.build(ctx, root, modfile, bin, progress); err != nil {
		return "", fmt.Errorf("can't build %s from rulestests/tools/%s.mod: %w", t.name, t.modfile, err)
	}
	return bin, nil
}

// build compiles the tool beside bin and moves it there, so that an interrupted build leaves nothing that looks whole.
func (t tool) build(ctx context.Context, root, modfile, bin string, progress io.Writer) error {
	fresh := bin + ".new"
	cmd := exec.CommandContext(ctx, "go", "build", "-v", "-modfile="+modfile, "-mod=readonly", "-tags="+t.tags, "-ldflags=-s -w", "-o", fresh, t.pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	fmt.Fprintf(progress, "building %s; only the first time\n", t.name)
	said := watchBuild(t.name, stderr, progress)
	if err := cmd.Wait(); err != nil {
		return errors.Join(err, errors.New(said))
	}
	return os.Rename(fresh, bin)
}

// Build compiles a command of the main module itself, "./cmd/tocsin", to the file bin, as `make build` does but for the version.
func Build(ctx context.Context, bin, pkg string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", bin, pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("can't build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// watchBuild counts the packages that go build -v names, says every ten seconds how many it was, and gives what else go had to say.
func watchBuild(name string, stderr io.Reader, progress io.Writer) (said string) {
	var other []string
	packages, last := 0, time.Now()
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		line := lines.Text()
		if strings.ContainsAny(line, " :") { // a package's path has neither
			other = append(other, line)
			continue
		}
		packages++
		if time.Since(last) >= 10*time.Second {
			fmt.Fprintf(progress, "building %s: %d packages compiled\n", name, packages)
			last = time.Now()
		}
	}
	return strings.Join(other, "\n")
}

// Root is the folder of the main module's go.mod, from anywhere inside it.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", errors.New("not inside the repository: run this from its folder")
	}
	return filepath.Dir(mod), nil
}

// lock waits until this process alone holds the file; the kernel lets go of it when the process ends, however it ends.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
