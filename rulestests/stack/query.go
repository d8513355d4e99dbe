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
	"time"

	"tocsin/rules"
)

// Sample is one result of an instant query.
type Sample struct {
	Metric map[string]string `json:"metric"`
}

// Query asks Prometheus for the value of an expression now. A warning of Prometheus is an error.
func (s *Stack) Query(ctx context.Context, query string) ([]Sample, error) {
	return s.At(ctx, query, time.Now())
}

// At asks Prometheus for the value of an expression at an instant.
func (s *Stack) At(ctx context.Context, query string, at time.Time) ([]Sample, error) {
	var answer struct {
		Result []Sample `json:"result"`
	}
	err := s.ask(ctx, "/api/v1/query", url.Values{"query": {query}, "time": {at.Format(time.RFC3339)}}, &answer)
	return answer.Result, err
}

// Over asks Prometheus for the values of an expression from an instant until now, ten seconds apart.
func (s *Stack) Over(ctx context.Context, query string, from time.Time) ([]Sample, error) {
	var answer struct {
		Result []Sample `json:"result"`
	}
	err := s.ask(ctx, "/api/v1/query_range", url.Values{
		"query": {query}, "step": {"10s"}, "start": {from.Format(time.RFC3339)}, "end": {time.Now().Format(time.RFC3339)},
	}, &answer)
	return answer.Result, err
}

// ask reads one answer of Prometheus' API. It posts: some queries are too long for an address.
func (s *Stack) ask(ctx context.Context, path string, values url.Values, data any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.PrometheusURL()+path, strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.read(req, data)
}

// get reads one answer of those parts of Prometheus' API that take no query.
func (s *Stack) get(ctx context.Context, path string, data any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.PrometheusURL()+path, nil)
	if err != nil {
		return err
	}
	return s.read(req, data)
}

func (s *Stack) read(req *http.Request, data any) error {
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
			errs = append(errs, fmt.Errorf("the rules that Prometheus has loaded lack %s", alert.Name))
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
