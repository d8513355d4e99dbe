package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestShards has three shards serve the sample cluster: each CronJob and each namespace's claims are one's, and each says which it is.
func TestShards(t *testing.T) {
	said := map[string]int{}
	for i := range 3 {
		s := start(t, "--snapshot", example, "--total-shards=3", fmt.Sprintf("--shard=%d", i), "--namespace=shop", "--namespace=data", "--namespace=billing")
		_, body := get(t, http.DefaultClient, "http://"+s.address+"/metrics")
		if want := fmt.Sprintf("\ntocsin_shards{shard=\"%d\"} 3\n", i); !strings.Contains(body, want) {
			t.Errorf("shard %d does not say so", i)
		}
		if strings.Contains(s.stderr.String(), "holds nothing of a namespace") {
			t.Errorf("shard %d misses another shard's namespace:\n%s", i, s.stderr)
		}
		for line := range strings.Lines(body) {
			if strings.HasPrefix(line, "tocsin_cronjob_info{") || strings.HasPrefix(line, "tocsin_persistentvolumeclaims{") {
				said[line]++
			}
		}
	}
	s := start(t, "--snapshot", example, "--namespace=shop", "--namespace=data", "--namespace=billing")
	_, body := get(t, http.DefaultClient, "http://"+s.address+"/metrics")
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "tocsin_cronjob_info{") || strings.HasPrefix(line, "tocsin_persistentvolumeclaims{") {
			if said[line] != 1 {
				t.Errorf("%d shards say %s", said[line], line)
			}
			delete(said, line)
		}
	}
	if len(said) > 0 {
		t.Errorf("only shards say %v", said)
	}
}
