package test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"banca/internal/dev/testkit"
)

// receiver is a receiver of OTLP over HTTP that keeps what it gets.
type receiver struct {
	mu    sync.Mutex
	spans []*tracepb.Span
	raw   []byte
}

// ServeHTTP takes spans.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	var got collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &got)
	}
	if err != nil || req.URL.Path != "/v1/traces" {
		http.Error(w, "not OTLP", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw = append(r.raw, body...)
	for _, resource := range got.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// of returns the names of the spans of a trace.
func (r *receiver) of(trace string) map[string]*tracepb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := map[string]*tracepb.Span{}
	for _, s := range r.spans {
		if hex.EncodeToString(s.TraceId) == trace {
			names[s.Name] = s
		}
	}
	return names
}

// One trace leads from the request of a point of sale through the outbox, the queue and two tasks to the answer of the provider of messages, and no
// span has a token, a telephone or a name.
func TestOneTraceFromTheSaleToTheProvider(t *testing.T) {
	t.Parallel()
	traces := &receiver{}
	server := httptest.NewServer(traces)
	t.Cleanup(server.Close)
	p := newPlatform(t)
	p.env = []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL, "TRACE_RATIO=1", "OTEL_BSP_SCHEDULE_DELAY=200"}
	p.start()
	token := p.login("taquilla@banca.test")
	draw := p.openDraw(token)

	const trace = "0af7651916cd43dd8448eb211c80319c"
	body, err := json.Marshal(map[string]any{
		"currency": "VES", "customer": map[string]string{"name": "Trazada Pérez", "phone": "0414-555.91.83"},
		"items": []map[string]any{{"draw_id": draw, "bet_type": "straight", "selection": "5", "amount": "10.00"}},
	})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.addr+"/sales/tickets", bytes.NewReader(body))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Authorization": "Bearer " + token, "Idempotency-Key": "trace-1", "Traceparent": "00-" + trace + "-b7ad6b7169203331-01",
	} {
		req.Header.Set(name, value)
	}
	require.Equal(t, http.StatusCreated, p.send(req).status)

	want := []string{"POST /sales/tickets", "sale quote", "sale reserve", "sale commit", "task receipt.render", "task message.send", "message evolution"}
	require.Eventually(t, func() bool {
		names := traces.of(trace)
		for _, name := range want {
			if names[name] == nil {
				return false
			}
		}
		return true
	}, testkit.WaitTimeout, 50*time.Millisecond)
	names := traces.of(trace)
	require.Equal(t, "b7ad6b7169203331", hex.EncodeToString(names["POST /sales/tickets"].ParentSpanId))
	require.Equal(t, names["POST /sales/tickets"].SpanId, names["sale commit"].ParentSpanId)
	require.NoError(t, p.interrupt())
	for _, secret := range []string{token, "4145559183", "Trazada", "Bearer "} {
		assert.NotContains(t, string(traces.raw), secret)
	}
}
