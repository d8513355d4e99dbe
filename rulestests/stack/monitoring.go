package stack

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"tocsin/rules"
	"tocsin/rulestests/loopback"
	"tocsin/rulestests/tools"
)

// startMonitoring starts the webhook, Alertmanager and Prometheus. Nothing is scraped yet.
func (s *Stack) startMonitoring(ctx context.Context) error {
	addresses, err := loopback.Addresses(2)
	if err != nil {
		return err
	}
	s.prometheus, s.alerts = addresses[0], addresses[1]
	if s.Pages, err = listenForPages(); err != nil {
		return err
	}
	if err := s.writeRoutes(); err != nil {
		return err
	}
	if _, err := s.run(ctx, "alertmanager", []string{
		"--config.file", s.file("alertmanager.yml"), "--storage.path", s.file("alertmanager"), "--web.listen-address", s.alerts,
		"--cluster.listen-address=",
	}, loopback.Answers(s.AlertmanagerURL()+"/-/ready", "")); err != nil {
		return err
	}
	if err := s.writeRules(); err != nil {
		return err
	}
	if err := s.writeScrapes(); err != nil {
		return err
	}
	_, err = s.run(ctx, "prometheus", []string{
		"--config.file", s.file("prometheus.yml"), "--storage.tsdb.path", s.file("prometheus"), "--web.listen-address", s.prometheus,
		"--web.enable-lifecycle", "--log.level", "warn",
	}, loopback.Answers(s.PrometheusURL()+"/-/ready", ""))
	return err
}

// writeRules copies the rules with their `for` divided by Speed, and nothing else changed.
func (s *Stack) writeRules() error {
	groups, err := rules.Groups()
	if err != nil {
		return err
	}
	for _, group := range groups {
		text, err := fs.ReadFile(rules.Files(), group.File)
		if err != nil {
			return err
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(text, &doc); err != nil {
			return err
		}
		if err := scale(&doc, "for"); err != nil {
			return fmt.Errorf("%s: %w", group.File, err)
		}
		if err := writeYAML(filepath.Join(s.Dir, "rules-"+group.File), &doc); err != nil {
			return err
		}
	}
	return nil
}

// writeScrapes writes Prometheus' configuration: the exporters that there are, each as a target of the job tocsin.
func (s *Stack) writeScrapes() error {
	var targets []map[string]any
	for _, e := range s.exporters {
		targets = append(targets, map[string]any{"targets": []string{e.address}, "labels": e.labels})
	}
	return writeYAML(s.file("prometheus.yml"), map[string]any{
		// Several scrapes within the shortest scaled `for`.
		"global":     map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"},
		"rule_files": []string{s.file("rules-*.yaml")},
		"alerting": map[string]any{"alertmanagers": []any{
			map[string]any{"static_configs": []any{map[string]any{"targets": []string{s.alerts}}}},
		}},
		"scrape_configs": []any{
			map[string]any{"job_name": "tocsin", "honor_labels": true, "static_configs": targets},
		},
	})
}

// reload lets Prometheus read its configuration anew.
func (s *Stack) reload(ctx context.Context) error {
	if err := s.writeScrapes(); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.PrometheusURL()+"/-/reload", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("reload Prometheus: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("reload Prometheus: %s", resp.Status)
	}
	return nil
}

// scale divides every duration under one of the keys by Speed, anywhere in the document.
func scale(node *yaml.Node, keys ...string) error {
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			for _, k := range keys {
				if key.Value != k || value.Kind != yaml.ScalarNode {
					continue
				}
				d, err := model.ParseDuration(value.Value)
				if err != nil {
					return fmt.Errorf("line %d: %w", value.Line, err)
				}
				value.Value = model.Duration(faster(time.Duration(d))).String()
			}
		}
	}
	for _, child := range node.Content {
		if err := scale(child, keys...); err != nil {
			return err
		}
	}
	return nil
}

// faster is a waiting time of an installation, as the stack has it: whole milliseconds, which is all that Prometheus can write.
func faster(d time.Duration) time.Duration { return (d / Speed).Truncate(time.Millisecond) }

func writeYAML(path string, v any) error {
	text, err := yaml.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// writeRoutes takes the routes of deploy/examples as they are, but for three things: waiting times are divided by Speed, no hour of the week is
// muted (the stack runs at any), and every receiver is our webhook.
func (s *Stack) writeRoutes() error {
	root, err := tools.Root()
	if err != nil {
		return err
	}
	file := filepath.Join(root, "deploy", "examples", "alertmanager.yml")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := scale(&doc, "group_wait", "group_interval", "repeat_interval"); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	unmute(&doc)
	for _, receiver := range at(&doc, "receivers").Content {
		name := at(receiver, "name").Value
		var hook yaml.Node
		if err := hook.Encode(map[string]any{
			"name":            name,
			"webhook_configs": []map[string]any{{"url": s.Pages.url(name), "send_resolved": true}},
		}); err != nil {
			return err
		}
		*receiver = hook
	}
	return writeYAML(s.file("alertmanager.yml"), &doc)
}

// unmute takes every mute interval out of the routes.
func unmute(node *yaml.Node) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Kind == yaml.MappingNode && node.Content[i].Value == "mute_time_intervals" {
			node.Content = append(node.Content[:i], node.Content[i+2:]...)
			break
		}
	}
	for _, child := range node.Content {
		unmute(child)
	}
}

// at gives the value under a key, an empty node where there is none.
func at(node *yaml.Node, key string) *yaml.Node {
	if node.Kind == yaml.DocumentNode {
		node = node.Content[0]
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return &yaml.Node{}
}
