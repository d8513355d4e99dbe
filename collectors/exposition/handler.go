package exposition

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// HandlerOptions say what a scrape gets.
type HandlerOptions struct {
	// New gives an empty gathering, Gather fills it.
	New    func() *Gathering
	Gather func(*Gathering)
	// Others are further metrics, such as those of the process.
	Others prometheus.Gatherer
	// Waiting says in one line why nothing can be told yet, "" when all is ready.
	Waiting func() string
	// MaxRequests is how many scrapes are served at a time; 0 is no limit.
	MaxRequests int
	Logger      *slog.Logger
}

// Handler serves scrapes: text, OpenMetrics and protobuf as the Accept header asks, with gzip or zstd as Accept-Encoding asks.
// promhttp has all of it, but for a text format that is written straight from the samples: it knows no other way to them than a
// tree of protobuf messages, which for a large cluster costs more than all verdicts together.
type Handler struct {
	options   HandlerOptions
	rounds    rounds
	encodings []*encoding
	slots     chan struct{}
}

// NewHandler makes a Handler.
func NewHandler(o HandlerOptions) *Handler {
	h := &Handler{options: o, encodings: newEncodings()}
	h.rounds.empty = o.New
	h.rounds.gather = func(g *Gathering) ([]*dto.MetricFamily, error) {
		o.Gather(g)
		return o.Others.Gather()
	}
	if o.MaxRequests > 0 {
		h.slots = make(chan struct{}, o.MaxRequests)
	}
	return h
}

// ServeHTTP answers one scrape. Until all is ready, and when too many others are being served, that is 503 with a reason in one line.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if reason := h.options.Waiting(); reason != "" {
		http.Error(w, "not ready: "+reason, http.StatusServiceUnavailable)
		return
	}
	if h.slots != nil {
		select {
		case h.slots <- struct{}{}:
			defer func() { <-h.slots }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, fmt.Sprintf("%d scrapes are being served already, which is --web.max-requests", h.options.MaxRequests), http.StatusServiceUnavailable)
			return
		}
	}
	round, leave := h.rounds.join()
	defer leave()
	if round.err != nil {
		h.options.Logger.Error("a scrape failed", "err", round.err)
		if len(round.others) == 0 {
			http.Error(w, round.err.Error(), http.StatusInternalServerError)
			return
		}
	}
	format := expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...)
	w.Header().Set("Content-Type", string(format))
	w.Header().Set("Vary", "Accept, Accept-Encoding")
	write := func(to io.Writer) error { return round.write(to, format) }
	var err error
	if e := acceptable(r.Header, h.encodings); e != nil {
		w.Header().Set("Content-Encoding", e.name)
		err = e.encoded(w, write)
	} else {
		err = write(w)
	}
	if err != nil {
		h.options.Logger.Debug("a scraper went away", "remote", r.RemoteAddr, "err", err)
	}
}

// write lays the round out in the format: the samples first, then the other metrics.
func (r *round) write(w io.Writer, format expfmt.Format) error {
	encoder := expfmt.NewEncoder(w, format)
	openMetrics := format.FormatType() == expfmt.TypeOpenMetrics
	if openMetrics || format.FormatType() == expfmt.TypeTextPlain {
		if err := r.samples.WriteText(w, openMetrics); err != nil {
			return err
		}
	} else if err := encode(encoder, r.samples.MetricFamilies()); err != nil {
		return err
	}
	if err := encode(encoder, r.others); err != nil {
		return err
	}
	if closer, ok := encoder.(expfmt.Closer); ok { // OpenMetrics ends with # EOF
		return closer.Close()
	}
	return nil
}

func encode(encoder expfmt.Encoder, families []*dto.MetricFamily) error {
	for _, mf := range families {
		if err := encoder.Encode(mf); err != nil {
			return err
		}
	}
	return nil
}
