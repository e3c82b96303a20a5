package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// registry has the instruments of the process. The library's default registry is not used, because dependencies may
// register there what they like.
var registry = newRegistry()

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Buckets of histograms: work on this machine and its stores, and tasks and calls of other companies, in seconds; items of
// one transaction or round trip.
var (
	localSeconds  = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
	remoteSeconds = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	sizes         = []float64{1, 2, 4, 8, 16, 32, 64, 128}
)

func newHistogram(name, help, label string, buckets []float64) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{label})
	registry.MustRegister(h)
	return h
}

// Counter counts events by the values of its labels.
type Counter struct{ values *prometheus.CounterVec }

func newCounter(name, help string, labels ...string) *Counter {
	c := &Counter{values: prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)}
	registry.MustRegister(c.values)
	return c
}

// Add counts n events. The labels are in the order of the counter's declaration.
func (c *Counter) Add(n int64, labels ...string) { c.values.WithLabelValues(labels...).Add(float64(n)) }

// Sizes counts how many items things have.
type Sizes struct{ values *prometheus.HistogramVec }

func newSizes(name, help, label string) *Sizes {
	return &Sizes{values: newHistogram(name, help, label, sizes)}
}

// Observe counts a thing of n items.
func (s *Sizes) Observe(label string, n int) { s.values.WithLabelValues(label).Observe(float64(n)) }

// scrapeTimeout bounds an answer to Prometheus, whose own default is 10 s.
const scrapeTimeout = 5 * time.Second

// Handler answers Prometheus with the instruments of the process and what collectors read at that moment. A collector that
// fails is left out, and promhttp_metric_handler_errors_total counts it.
func Handler(own ...prometheus.Collector) (http.Handler, error) {
	read := prometheus.NewRegistry()
	for _, c := range own {
		if err := read.Register(c); err != nil {
			return nil, err
		}
	}
	return promhttp.HandlerFor(prometheus.Gatherers{registry, read}, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, Timeout: scrapeTimeout, MaxRequestsInFlight: 4, Registry: read,
	}), nil
}
