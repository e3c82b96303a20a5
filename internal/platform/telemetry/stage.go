package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"banca/internal/platform/apperr"
)

// Stages are the steps of one kind of operation.
type Stages struct {
	name    string // of the spans, before the label
	seconds *prometheus.HistogramVec
}

func newStages(name, metric, help, label string, buckets []float64) *Stages {
	return &Stages{name: name, seconds: newHistogram(metric, help, label, buckets)}
}

// Stage is a step under way.
type Stage struct {
	began   time.Time
	seconds prometheus.Observer // nil if it is not counted
	span    trace.Span          // nil if the operation is not traced
}

// Begin begins a step. If ctx belongs to a traced operation, the step is a span of it, and the returned context belongs to that.
func (s *Stages) Begin(ctx context.Context, label string) (context.Context, Stage) {
	begun := Stage{began: time.Now(), seconds: s.seconds.WithLabelValues(label)}
	if trace.SpanFromContext(ctx).IsRecording() {
		ctx, begun.span = tracer().Start(ctx, s.name+" "+label)
	}
	return ctx, begun
}

// beginRoot begins a step that continues the trace of its caller, or may begin a trace.
func (s *Stages) beginRoot(ctx context.Context, label, span string, caller propagation.TextMapCarrier, kind trace.SpanKind) (context.Context, Stage) {
	begun := Stage{began: time.Now(), seconds: s.seconds.WithLabelValues(label)}
	if !tracing.Load() {
		return ctx, begun
	}
	ctx, started := tracer().Start(propagation.TraceContext{}.Extract(ctx, caller), span, trace.WithSpanKind(kind))
	if started.IsRecording() {
		begun.span = started
	}
	return ctx, begun
}

// Span begins a step that is not counted, only seen in the trace that ctx belongs to.
func Span(ctx context.Context, name string) (context.Context, Stage) {
	var begun Stage
	if trace.SpanFromContext(ctx).IsRecording() {
		ctx, begun.span = tracer().Start(ctx, name)
	}
	return ctx, begun
}

// End ends a step. err may be nil.
func (s *Stage) End(err error) {
	if s.seconds != nil {
		s.seconds.Observe(time.Since(s.began).Seconds())
	}
	if s.span == nil {
		return
	}
	if err != nil {
		s.span.SetStatus(codes.Error, apperr.CodeOf(err))
	}
	s.span.End()
}

// Note adds a fact to the span of a step. The value must not be of a person or secret.
func (s *Stage) Note(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String("banca."+key, value))
	}
}
