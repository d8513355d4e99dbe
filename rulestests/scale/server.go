package main

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"tocsin/rulestests/loopback"
)

// server is an etcd with a kube-apiserver in front, and nothing that would change what is stored: no controllers, no kubelets.
type server struct {
	dir        string
	binaries   binaries
	store      *store
	etcd, api  *process
	address    string // of the API server
	arguments  []string
	kubeconfig string
}

// token is only good for an API server that listens on loopback for as long as the bench runs.
const token = "bench"

// startEtcd starts etcd alone: the API server reads what is there when it starts.
func startEtcd(ctx context.Context, dir string, b binaries) (*server, error) {
	s := &server{dir: dir, binaries: b, kubeconfig: filepath.Join(dir, "kubeconfig")}
	addresses, err := loopback.Addresses(3)
	if err != nil {
		return nil, err
	}
	client, peer := addresses[0], addresses[1]
	s.address = addresses[2]
	if err := errors.Join(loopback.WriteCredentials(dir, "bench", token), loopback.WriteKubeconfig(s.kubeconfig, s.address, "bench", token)); err != nil {
		return nil, err
	}
	s.store = newStore("http://" + client)
	s.etcd, err = launch(dir, "etcd", b["etcd"], append(loopback.EtcdFlags(dir, client, peer), "--quota-backend-bytes", strconv.Itoa(8<<30))...)
	if err != nil {
		return nil, err
	}
	// Watches last for as long as a part of the bench does, so that none is opened anew in the middle.
	s.arguments = append(loopback.APIServerFlags(dir, client, s.address), "--min-request-timeout", "7200", "--request-timeout", "15m")
	return s, s.etcd.Until(ctx, 100*time.Millisecond, loopback.Answers("http://"+client+"/readyz", ""))
}

// startAPI starts the API server, or starts it again, and waits until it is ready.
func (s *server) startAPI(ctx context.Context) error {
	var err error
	if s.api, err = launch(s.dir, "kube-apiserver", s.binaries["kube-apiserver"], s.arguments...); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return s.api.Until(ctx, 200*time.Millisecond, loopback.Answers("https://"+s.address+"/readyz", token))
}

func (s *server) stop() {
	if s == nil {
		return
	}
	s.api.stop()
	s.etcd.stop()
}

var watchCount = regexp.MustCompile(`(?m)^apiserver_longrunning_requests\{.*resource="([a-z]+)".*verb="WATCH".*\} (\d+)`)

// watches gives the number of open watches by resource.
func (s *server) watches(ctx context.Context) (map[string]int, error) {
	text, err := loopback.Get(ctx, "https://"+s.address+"/metrics", token)
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
