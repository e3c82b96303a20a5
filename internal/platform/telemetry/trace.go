package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"
)

// TraceOptions configure the sending of traces.
type TraceOptions struct {
	Endpoint string  // base URL of a receiver of OTLP over HTTP, such as http://localhost:4318; "" switches traces off
	Ratio    float64 // share of the requests that are traced, 0 to 1, unless the caller's traceparent decides
	Service  string  // name of the process, such as banca-api
	Version  string
}

// tracing is set once spans have a receiver.
var tracing atomic.Bool

// Tracing reports whether StartTracing was given a receiver. Connections that are opened later show their calls.
func Tracing() bool { return tracing.Load() }

// StartTracing sends the spans of this process to a receiver. The returned function sends the rest and ends; call it
// once. A receiver that does not answer costs spans and never a request: they wait in a bounded queue, and are dropped.
func StartTracing(ctx context.Context, o TraceOptions) (stop func(context.Context) error, err error) {
	if o.Endpoint == "" {
		return func(context.Context) error { return nil }, nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(o.Endpoint+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("telemetry: traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithSampler(sampler(o.Ratio)),
		sdktrace.WithResource(resource.NewSchemaless(semconv.ServiceName(o.Service), semconv.ServiceVersion(o.Version))),
	)
	otel.SetTracerProvider(provider)
	tracing.Store(true)
	return provider.Shutdown, nil
}

// sampler decides by the id of the trace, so that all processes decide alike, also for callers who ask for more.
func sampler(ratio float64) sdktrace.Sampler {
	byID := sdktrace.TraceIDRatioBased(ratio)
	return sdktrace.ParentBased(byID, sdktrace.WithRemoteParentSampled(byID))
}

func tracer() trace.Tracer { return otel.Tracer("banca") }

const traceHeader = "traceparent" // https://www.w3.org/TR/trace-context/

// TraceOf returns the trace that a context belongs to, as the value of a traceparent header, or "" without a trace
// that is recorded.
func TraceOf(ctx context.Context) string {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[traceHeader]
}

// Headers returns the headers of a task that belongs to a trace, or nil.
func Headers(traceparent string) map[string]string {
	if traceparent == "" {
		return nil
	}
	return map[string]string{traceHeader: traceparent}
}

// BeginRequest begins the answer to a request, which continues the trace of its traceparent header. The route is the
// pattern of the path.
func BeginRequest(ctx context.Context, method, route string, headers http.Header) (context.Context, Stage) {
	return Requests.beginRoot(ctx, route, method+" "+route, propagation.HeaderCarrier(headers), trace.SpanKindServer)
}

// BeginTask begins a run of a task, which continues the trace of its headers.
func BeginTask(ctx context.Context, kind string, headers map[string]string) (context.Context, Stage) {
	return Tasks.beginRoot(ctx, kind, "task "+kind, propagation.MapCarrier(headers), trace.SpanKindConsumer)
}
