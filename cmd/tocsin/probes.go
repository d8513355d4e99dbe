package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
)

// listenForProbes opens the address that answers probes and nothing else, without the web configuration: a kubelet has neither a password
// nor a client certificate. It gives nil where no address is asked for.
func listenForProbes(address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--web.probe-address %s: %w", address, err)
	}
	return l, nil
}

// serveProbes answers them until end is called. Without a listener it does nothing.
func serveProbes(l net.Listener, waiting func() string, log *slog.Logger) (end func()) {
	if l == nil {
		return func() {}
	}
	mux := http.NewServeMux()
	addProbes(mux, waiting)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout, WriteTimeout: headerTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	log.Info("Answering probes", "address", l.Addr().String())
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("Probes are not answered any more", "err", err)
		}
	}()
	return func() { _ = server.Close() }
}
