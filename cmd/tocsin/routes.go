package main

import (
	"io"
	"net/http"

	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
)

// ownPaths are the paths that the metrics cannot have.
var ownPaths = []string{"/", "/livez", "/readyz", "/-/healthy", "/-/ready"}

// routes gives the server's paths. They answer GET and HEAD only. waiting says what /readyz still waits for, "" when nothing.
func routes(telemetryPath string, metrics http.Handler, waiting func() string) (http.Handler, error) {
	mux := http.NewServeMux()
	addProbes(mux, waiting)
	landing, err := web.NewLandingPage(web.LandingConfig{
		Name:        "Tocsin",
		Description: "Verdicts on the scheduled and stateful workloads of a Kubernetes cluster",
		Version:     version.Info(),
		Profiling:   "false",
		Links: []web.LandingLinks{
			{Address: telemetryPath, Text: "Metrics", Description: "what Prometheus scrapes"},
			{Address: "/readyz", Text: "Ready", Description: "whether every permitted source has synced, else which has not"},
			{Address: "/livez", Text: "Live", Description: "whether the process answers"},
		},
	})
	if err != nil {
		return nil, err
	}
	mux.Handle("GET "+telemetryPath, metrics)
	mux.Handle("GET /{$}", landing)
	return mux, nil
}

// addProbes adds the paths that say whether the process answers, and whether it has synced.
func addProbes(mux *http.ServeMux, waiting func() string) {
	live := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }
	ready := func(w http.ResponseWriter, r *http.Request) {
		if reason := waiting(); reason != "" {
			http.Error(w, "not ready: "+reason, http.StatusServiceUnavailable)
			return
		}
		live(w, r)
	}
	mux.HandleFunc("GET /livez", live)
	mux.HandleFunc("GET /-/healthy", live)
	mux.HandleFunc("GET /readyz", ready)
	mux.HandleFunc("GET /-/ready", ready)
}
