package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// accept is what Prometheus 3 sends by default.
const accept = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5," +
	"text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"

// scraper reads an exporter's metrics over one connection.
type scraper struct {
	url    string
	client *http.Client
}

func newScraper(url string) *scraper {
	return &scraper{url, &http.Client{Transport: &http.Transport{DisableCompression: true}}}
}

// open sends a scrape and gives its body, as it comes over the wire.
func (s *scraper) open(ctx context.Context, compressed bool) (io.ReadCloser, error) {
	return s.openAs(ctx, accept, compressed)
}

func (s *scraper) openAs(ctx context.Context, accept string, compressed bool) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	if compressed {
		request.Header.Set("Accept-Encoding", "gzip")
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 300))
		_ = response.Body.Close()
		return nil, fmt.Errorf("%s answers %s: %s", s.url, response.Status, text)
	}
	if compressed && response.Header.Get("Content-Encoding") != "gzip" {
		_ = response.Body.Close()
		return nil, fmt.Errorf("%s does not compress", s.url)
	}
	return response.Body, nil
}

// once scrapes and gives how long it took until the last byte had come, and how many those were.
func (s *scraper) once(ctx context.Context, compressed bool) (time.Duration, int64, error) {
	began := time.Now()
	body, err := s.open(ctx, compressed)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = body.Close() }()
	n, err := io.Copy(io.Discard, body)
	return time.Since(began), n, err
}

// scrapes is what many scrapes came to.
type scrapes struct {
	times []time.Duration
	bytes int64
	cpu   float64 // seconds of the exporter's processor time, of all
}

// many scrapes so many times, or as often as a minute allows, ten times at least.
func (s *scraper) many(ctx context.Context, p *process, count int, compressed bool) (scrapes, error) {
	before, err := p.cpu()
	if err != nil {
		return scrapes{}, err
	}
	var r scrapes
	for deadline := time.Now().Add(time.Minute); len(r.times) < count && (len(r.times) < 10 || time.Now().Before(deadline)); {
		t, n, err := s.once(ctx, compressed)
		if err != nil {
			return r, err
		}
		r.times, r.bytes = append(r.times, t), n
	}
	after, err := p.cpu()
	r.cpu = after - before
	slices.Sort(r.times)
	return r, err
}

func (r *scrapes) percentile(p float64) float64 {
	if len(r.times) == 0 {
		return 0
	}
	return r.times[min(len(r.times)-1, int(p*float64(len(r.times))))].Seconds()
}

// count reads an exposition and gives its series by metric. It looks at nothing but the beginnings of lines: expositions have a
// gigabyte.
func count(r io.Reader) (map[string]int, error) {
	counts := map[string]int{}
	lines := bufio.NewReaderSize(r, 1<<20)
	begins := true
	for {
		line, err := lines.ReadSlice('\n')
		if begins && len(line) > 0 && line[0] != '#' && line[0] != '\n' {
			name := line
			if i := slices.IndexFunc(line, func(c byte) bool { return c == '{' || c == ' ' }); i >= 0 {
				name = line[:i]
			}
			counts[string(name)]++
		}
		begins = err == nil
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return counts, nil
		default:
			return counts, err
		}
	}
}

// series scrapes and counts.
func (s *scraper) series(ctx context.Context) (map[string]int, error) {
	body, err := s.open(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	return count(body)
}

// unpacked scrapes compressed and counts, which checks that the compression is sound.
func (s *scraper) unpacked(ctx context.Context) (map[string]int, error) {
	body, err := s.open(ctx, true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	text, err := gzip.NewReader(body)
	if err != nil {
		return nil, err
	}
	return count(text)
}
