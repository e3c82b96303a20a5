package telemetry

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"banca/internal/platform/apperr"
)

// scrape returns what Prometheus reads.
func scrape(t *testing.T, own ...prometheus.Collector) string {
	t.Helper()
	handler, err := Handler(own...)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	require.Equal(t, http.StatusOK, w.Code)
	text, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return string(text)
}

// traced makes spans of this process, each request of which is traced, and returns those that ended.
func traced(t *testing.T) func() tracetest.SpanStubs {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter), sdktrace.WithSampler(sampler(1))))
	tracing.Store(true)
	t.Cleanup(func() {
		tracing.Store(false)
		otel.SetTracerProvider(before)
	})
	return exporter.GetSpans
}

func TestWhatHappenedIsCounted(t *testing.T) {
	SalesTotal.Add(2, "sold")
	GroupItems.Observe("telemetry_test", 3)
	_, stage := Sales.Begin(t.Context(), "telemetry_test")
	stage.End(errors.New("refused"))
	text := scrape(t)
	for _, line := range []string{
		`banca_sales_total{outcome="sold"} 2`,
		`banca_group_items_sum{group="telemetry_test"} 3`,
		`banca_sale_stage_seconds_count{stage="telemetry_test"} 1`,
		"go_goroutines ", "process_open_fds ",
	} {
		require.Contains(t, text, line)
	}
}

type broken struct{ *prometheus.Desc }

func (b broken) Describe(to chan<- *prometheus.Desc) { to <- b.Desc }
func (b broken) Collect(to chan<- prometheus.Metric) {
	to <- prometheus.NewInvalidMetric(b.Desc, errors.New("away"))
}

// A store that does not answer takes nothing away but its own metrics.
func TestABrokenCollectorLeavesTheOthers(t *testing.T) {
	text := scrape(t, broken{prometheus.NewDesc("banca_away", "Away.", nil, nil)})
	require.Contains(t, text, "go_goroutines ")
	require.NotContains(t, text, "banca_away")
}

// A request, the task that it asked for and the steps of both are one trace.
func TestOneTraceThroughATask(t *testing.T) {
	spans := traced(t)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	ctx, request := BeginRequest(t.Context(), http.MethodPost, "/sales/tickets", http.Header{"Traceparent": {parent}})
	inner, step := Sales.Begin(ctx, "commit")
	headers := Headers(TraceOf(inner))
	step.End(apperr.New(apperr.Conflict, "REFUSED", "refused"))
	request.Note("status", "409")
	request.End(nil)
	_, task := BeginTask(t.Context(), "receipt.render", headers)
	task.End(nil)

	list := spans()
	require.Len(t, list, 3)
	for i := range list {
		require.Equal(t, "0af7651916cd43dd8448eb211c80319c", list[i].SpanContext.TraceID().String(), list[i].Name)
	}
	require.Equal(t, "sale commit", list[0].Name)
	require.Equal(t, "REFUSED", list[0].Status.Description, "the code, and no text")
	require.Equal(t, "POST /sales/tickets", list[1].Name)
	require.Equal(t, "b7ad6b7169203331", list[1].Parent.SpanID().String())
	require.Equal(t, "task receipt.render", list[2].Name)
	require.Equal(t, list[0].SpanContext.SpanID(), list[2].Parent.SpanID())
}

// Without a receiver nothing is traced, whatever a client sends.
func TestTracesAreOff(t *testing.T) {
	ctx, request := BeginRequest(t.Context(), http.MethodGet, "/x", http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})
	require.Equal(t, t.Context(), ctx)
	request.End(nil)
	require.Empty(t, TraceOf(ctx))
	require.Nil(t, Headers(""))
}

// A client cannot have all of its requests traced: the operator's ratio decides by the id of the trace.
func TestClientsDoNotDecideWhatIsTraced(t *testing.T) {
	spans := traced(t)
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSampler(sampler(0))))
	_, request := BeginRequest(t.Context(), http.MethodGet, "/x", http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}})
	request.End(nil)
	require.Empty(t, spans())
}

// A traceparent that is none begins a trace of its own.
func TestAMalformedTraceparent(t *testing.T) {
	spans := traced(t)
	for _, header := range []string{"", "00-", "zz", strings.Repeat("0", 5000), "00-00000000000000000000000000000000-0000000000000000-01"} {
		_, request := BeginRequest(t.Context(), http.MethodGet, "/x", http.Header{"Traceparent": {header}})
		request.End(nil)
	}
	for _, span := range spans() {
		require.False(t, span.Parent.IsValid())
	}
	require.Len(t, spans(), 5)
}

func BenchmarkStage(b *testing.B) {
	for b.Loop() {
		_, stage := Sales.Begin(b.Context(), "benchmark")
		stage.End(nil)
	}
}

func BenchmarkRequest(b *testing.B) {
	headers := http.Header{}
	for b.Loop() {
		_, request := BeginRequest(b.Context(), http.MethodPost, "/benchmark", headers)
		request.End(nil)
		RequestsTotal.Add(1, http.MethodPost, "/benchmark", "200")
	}
}
