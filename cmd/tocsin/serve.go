package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	processcollectors "github.com/prometheus/client_golang/prometheus/collectors"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"

	"tocsin/collectors"
	"tocsin/collectors/exposition"
)

// Bounds on what a client may hold up or send.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	writeTimeout  = 2 * time.Minute // longer than any scrape timeout, so that a reader that stalls gives its slot back
	headerBytes   = 64 << 10
	shutdownGrace = 25 * time.Second // with sourceGrace less than the default terminationGracePeriodSeconds of a Pod, 30
	sourceGrace   = time.Second
)

// vsock begins the addresses that are not TCP's.
const vsock = "vsock://"

// serve wires everything together and answers requests until the context ends. Nothing is logged before all that can be wrong with the
// command line has been tried.
func serve(ctx context.Context, c *config, stderr io.Writer) error {
	c.log.Writer = stderr
	log := promslog.New(&c.log)

	set := collectors.NewSet(c.collectors, c.options, log)
	exclude, err := excluder(c.allow, c.deny, collectors.Families())
	if err != nil {
		return err
	}
	listeners, err := listen(c.web)
	if err != nil {
		return err
	}
	defer closeAll(listeners)
	forProbes, err := listenForProbes(c.probeAddress)
	if err != nil {
		return err
	}
	if forProbes != nil {
		defer func() { _ = forProbes.Close() }()
	}
	from, err := unlessStopped(ctx, func() (*source, error) { return c.open(set.Sources(), log) })
	if err != nil {
		return err
	}
	log.Info("Starting tocsin", "version", version.Info(), "build_context", version.BuildContext())

	defer background(ctx, from.run)()
	defer background(ctx, func(ctx context.Context) { tendMemory(ctx, from.store.Waiting) })()
	defer serveProbes(forProbes, from.store.Waiting, log)()

	registry := prometheus.NewRegistry()
	registry.MustRegister(versioncollector.NewCollector("tocsin"), processcollectors.NewGoCollector(),
		processcollectors.NewProcessCollector(processcollectors.ProcessCollectorOpts{}))
	metrics := exposition.NewHandler(exposition.HandlerOptions{
		New: func() *exposition.Gathering { return exposition.NewGathering(c.maxSeries, exclude) },
		Gather: func(g *exposition.Gathering) {
			view := from.store.View()
			defer view.Close()
			set.Gather(view, g)
		},
		Others: registry, Waiting: from.store.Waiting, MaxRequests: c.maxRequests, Logger: log,
	})
	handler, err := routes(c.telemetryPath, promhttp.InstrumentMetricHandler(registry, metrics), from.store.Waiting)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	return listenUntil(ctx, server, listeners, c.web, log)
}

// background runs what ends with the context. It gives what ends it and waits for that, but not long: client-go sleeps between two
// attempts whether or not its context has ended.
func background(ctx context.Context, run func(context.Context)) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx)
	}()
	return func() {
		stop()
		select {
		case <-ended:
		case <-time.After(sourceGrace):
		}
	}
}

// listen opens the TCP addresses before anything else is done, so that a port in use is told at once and alone. It gives none where
// systemd or a vsock has to be asked, which the toolkit does.
func listen(flags *web.FlagConfig) ([]net.Listener, error) {
	if flags.WebSystemdSocket != nil && *flags.WebSystemdSocket {
		return nil, nil
	}
	for _, address := range *flags.WebListenAddresses {
		if strings.HasPrefix(address, vsock) {
			return nil, nil
		}
	}
	var listeners []net.Listener
	for _, address := range *flags.WebListenAddresses {
		l, err := net.Listen("tcp", address)
		if err != nil {
			closeAll(listeners)
			return nil, fmt.Errorf("--web.listen-address %s: %w", address, err)
		}
		listeners = append(listeners, l)
	}
	return listeners, nil
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		_ = l.Close()
	}
}

// listenUntil serves until the context ends; then it takes no new requests and lets those under way finish.
func listenUntil(ctx context.Context, server *http.Server, listeners []net.Listener, flags *web.FlagConfig, log *slog.Logger) error {
	ended := make(chan error, 1)
	go func() {
		if listeners == nil {
			ended <- web.ListenAndServe(server, flags, log)
			return
		}
		ended <- web.ServeMultiple(listeners, server, flags, log)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	log.Info("Shutting down")
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return fmt.Errorf("shutting down: %w", err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
