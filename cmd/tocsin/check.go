package main

import (
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"tocsin/collectors/cluster"
)

// check refuses what no single flag can see is wrong.
func (c *config) check() error {
	switch {
	case c.kubeconfig != "" && len(c.snapshot) > 0:
		return errors.New("--kubeconfig and --snapshot exclude each other: judge an API server's objects or a snapshot's")
	case len(c.snapshot) == 0 && c.snapshotTime != snapshotTime{}:
		return errors.New("--snapshot-time needs --snapshot: an API server's objects are judged by the clock")
	case len(c.snapshot) == 0 && c.snapshotLenient:
		return errors.New("--snapshot-lenient needs --snapshot")
	case len(c.collectors) == 0:
		return errors.New("every collector is turned off: leave out one --no-collector flag")
	}
	if err := checkShard(c.shard); err != nil {
		return err
	}
	if err := checkNamespaces("--namespace", c.namespaces); err != nil {
		return err
	}
	if err := checkNamespaces("--namespace-exclude", c.namespacesExclude); err != nil {
		return err
	}
	for _, n := range c.namespaces {
		if slices.Contains(c.namespacesExclude, n) {
			return fmt.Errorf("namespace %q is both in --namespace and in --namespace-exclude", n)
		}
	}
	if c.web.WebSystemdSocket == nil || !*c.web.WebSystemdSocket {
		if err := checkAddresses(*c.web.WebListenAddresses); err != nil {
			return err
		}
	}
	if c.probeAddress != "" && !hasPort(c.probeAddress) {
		return fmt.Errorf("--web.probe-address %s: not an address such as :10228 or 127.0.0.1:10228", quoted(c.probeAddress))
	}
	return checkPath(c.telemetryPath)
}

// checkShard refuses a shard that there is not: it would judge nothing, and say so nowhere.
func checkShard(s cluster.Shard) error {
	switch {
	case s.Total < 1:
		return fmt.Errorf("--total-shards %d: at least 1", s.Total)
	case s.Index >= s.Total && s.Total == 1:
		return fmt.Errorf("--shard %d needs --total-shards: there is one shard, 0", s.Index)
	case s.Index >= s.Total:
		return fmt.Errorf("--shard %d: of --total-shards %d the last is %d", s.Index, s.Total, s.Total-1)
	}
	return nil
}

// checkNamespaces refuses what no namespace can be called: it would match nothing, in silence.
func checkNamespaces(flag string, names []string) error {
	for _, n := range names {
		switch {
		case n == "":
			return fmt.Errorf("%s needs the name of a namespace", flag)
		case strings.Contains(n, ","):
			return fmt.Errorf("%s %s: takes one name: repeat the flag for each namespace", flag, quoted(n))
		case len(validation.IsDNS1123Label(n)) > 0:
			return fmt.Errorf("%s %s: no name of a namespace: lower-case letters, digits and '-', at most %d", flag, quoted(n), validation.DNS1123LabelMaxLength)
		}
	}
	return nil
}

// checkAddresses refuses an address without a port, for which the system would choose one at random, on all interfaces.
func checkAddresses(addresses []string) error {
	for _, a := range addresses {
		if strings.HasPrefix(a, vsock) {
			continue
		}
		if !hasPort(a) {
			return fmt.Errorf("--web.listen-address %s: not an address such as :10227 or 127.0.0.1:10227", quoted(a))
		}
	}
	return nil
}

func hasPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port != ""
}

// checkPath refuses a path for the metrics that the server could not tell from its own, and one that a request cannot have: clients
// and servers clean paths, and cut them at '?' and '#'.
func checkPath(p string) error {
	switch {
	case !strings.HasPrefix(p, "/") || path.Clean(p) != p || strings.ContainsFunc(p, notInPath):
		return fmt.Errorf("--web.telemetry-path %s: not a path such as /metrics", quoted(p))
	case slices.Contains(ownPaths, p):
		return fmt.Errorf("--web.telemetry-path %s: taken by tocsin's own pages", quoted(p))
	}
	return nil
}

// notInPath tells the characters that a path takes as they are from those that a URL, or the server's patterns, give a meaning.
func notInPath(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/-._~", r)
}
