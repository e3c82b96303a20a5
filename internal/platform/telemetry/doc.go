// Package telemetry holds what a process tells about itself: the instruments that Prometheus reads, and the spans of
// traces that are sent over OTLP.
//
// The instruments are variables of the package, because they belong to the process as a whole; instruments.go lists them
// all, and only with labels of few values: routes, kinds, codes, never ids, names, addresses or texts. What is read from a
// store when Prometheus asks is a collector, which internal/app registers for its connections.
//
// A [Stage] is both: a histogram of durations, and a span if the request or task that it belongs to is traced. Traces are
// off unless [StartTracing] is given an endpoint; a stage then costs two readings of the clock and an observation.
//
// The package imports apperr only, so that every package may use it.
package telemetry
