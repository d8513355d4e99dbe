package stack

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Page is one alert of one notification that Alertmanager sent.
type Page struct {
	// At is when it arrived.
	At time.Time `json:"-"`
	// Receiver is the receiver of the routing tree that it was sent to.
	Receiver string `json:"-"`
	// Status is "firing" or "resolved".
	Status string `json:"status"`
	// Labels and Annotations are the alert's, as Alertmanager sends them.
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	// StartsAt is when Prometheus saw it firing first: a page that is sent again has the same.
	StartsAt time.Time `json:"startsAt"`
}

// Pages takes Alertmanager's notifications and keeps them.
type Pages struct {
	server  *http.Server
	address string

	mu    sync.Mutex
	pages []Page
	watch []func(Page)
}

// listenForPages starts the webhook on a free loopback port.
func listenForPages() (*Pages, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Pages{address: l.Addr().String()}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }() // ends with close
	return p, nil
}

func (p *Pages) close() { _ = p.server.Close() }

// url is where Alertmanager sends what is for the receiver.
func (p *Pages) url(receiver string) string { return fmt.Sprintf("http://%s/%s", p.address, receiver) }

// ServeHTTP takes one notification.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var message struct {
		Alerts []Page `json:"alerts"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&message); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, page := range message.Alerts {
		page.At = time.Now()
		page.Receiver = strings.TrimPrefix(r.URL.Path, "/")
		p.pages = append(p.pages, page)
		for _, f := range p.watch {
			f(page)
		}
	}
}

// All gives every page so far, oldest first.
func (p *Pages) All() []Page {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Page(nil), p.pages...)
}

// Watch calls f for each page from now on, as it arrives, one at a time.
func (p *Pages) Watch(f func(Page)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch = append(p.watch, f)
}
