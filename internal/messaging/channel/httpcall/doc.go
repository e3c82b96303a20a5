// Package httpcall makes the calls of drivers: one request, bounded, without redirects, to addresses that internal/platform/egress
// lets through. Its errors are *channel.Error and say how far the request got.
package httpcall
