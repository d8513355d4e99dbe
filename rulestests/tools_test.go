package rulestests

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// tool is a command that the tests run and that is built from its Go module. Each has a modfile of its own under tools/, so that the
// product's go.mod stays free of what only the tests need.
type tool struct {
	name    string
	pkg     string
	modfile string
	tags    string
	build   func() (string, error)
}

func newTool(name, pkg string) *tool {
	// The tags leave out Prometheus' service discoveries, which need every cloud's client, and cgo's resolver.
	t := &tool{name: name, pkg: pkg, modfile: filepath.Join("tools", name+".mod"), tags: "remove_all_sd,netgo"}
	t.build = sync.OnceValues(t.make)
	return t
}

var (
	promtool = newTool("promtool", "github.com/prometheus/prometheus/cmd/promtool")
	pint     = newTool("pint", "github.com/cloudflare/pint/cmd/pint")
)

// path gives the built tool. Where it can't be built (a machine without the module proxy) the test is skipped with the reason; in CI it fails.
func (tl *tool) path(t *testing.T) string {
	t.Helper()
	path, err := tl.build()
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return ""
}

// make builds the tool into the user's cache unless it is there, under a name that changes with its modfile and with Go.
func (tl *tool) make() (string, error) {
	mod, err := os.ReadFile(tl.modfile)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(string(mod) + runtime.Version() + tl.tags))
	bin := filepath.Join(cache, "tocsin", "tools", fmt.Sprintf("%s-%x", tl.name, sum[:6]))
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	if err := os.MkdirAll(filepath.Dir(bin), 0o755); err != nil {
		return "", err
	}
	// Built beside, then moved: another test process may be at the same.
	fresh := fmt.Sprintf("%s.%d", bin, os.Getpid())
	modfile, err := filepath.Abs(tl.modfile)
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-modfile="+modfile, "-mod=readonly", "-tags="+tl.tags, "-o", fresh, tl.pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("can't build %s from rulestests/%s: %w\n%s", tl.name, tl.modfile, err, out)
	}
	return bin, os.Rename(fresh, bin)
}
