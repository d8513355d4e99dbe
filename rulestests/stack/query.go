package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tocsin/rules"
)

// Sample is one result of an instant query.
type Sample struct {
	Metric map[string]string `json:"metric"`
}

// Query asks Prometheus for the value of an expression now. A warning of Prometheus is an error.
func (s *Stack) Query(ctx context.Context, query string) ([]Sample, error) {
	var answer struct {
		Result []Sample `json:"result"`
	}
	err := s.get(ctx, "/api/v1/query?query="+url.QueryEscape(query), &answer)
	return answer.Result, err
}

// get reads one answer of Prometheus' API.
func (s *Stack) get(ctx context.Context, path string, data any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.PrometheusURL()+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var envelope struct {
		Status, Error   string
		Data            json.RawMessage
		Warnings, Infos []string
	}
	if err := json.NewDecoder(resp.Body).Decode(&envelope); err != nil {
		return fmt.Errorf("answer of Prometheus,  %s: %w", resp.Status, err)
	}
	if envelope.Status != "success" {
		return fmt.Errorf("query of Prometheus: %s", envelope.Error)
	}
	if said := slices.Concat(envelope.Warnings, envelope.Infos); len(said) > 0 {
		return fmt.Errorf("warning of Prometheus: %s", strings.Join(said, "; "))
	}
	return json.Unmarshal(envelope.Data, data)
}

// CheckRules errs with each rule that Prometheus could not evaluate, or that it has something to say about.
func (s *Stack) CheckRules(ctx context.Context) error {
	var loaded struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Name, Health, LastError string
			}
		}
	}
	if err := s.get(ctx, "/api/v1/rules", &loaded); err != nil {
		return err
	}
	var errs []error
	seen := map[string]bool{}
	for _, group := range loaded.Groups {
		for _, rule := range group.Rules {
			seen[rule.Name] = true
			if rule.Health != "ok" || rule.LastError != "" {
				errs = append(errs, fmt.Errorf("rule %s is %s: %s", rule.Name, rule.Health, rule.LastError))
			}
		}
	}
	alerts, err := rules.Alerts()
	if err != nil {
		return err
	}
	for _, alert := range alerts {
		if !seen[alert.Name] {
			errs = append(errs, fmt.Errorf("Prometheus has not loaded %s", alert.Name))
		}
		if _, err := s.Query(ctx, alert.Expr); err != nil {
			errs = append(errs, fmt.Errorf("the expression of %s: %w", alert.Name, err))
		}
	}
	if failed, err := s.Query(ctx, "prometheus_rule_evaluation_failures_total > 0"); err != nil || len(failed) > 0 {
		errs = append(errs, fmt.Errorf("evaluations of rules failed: %v, %w", failed, err))
	}
	return errors.Join(errs...)
}
