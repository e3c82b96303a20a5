package demo

import (
	"context"
	"net"
	"net/http"
	"time"
)

// resetting is the answer to all requests during a reset. A browser repeats its request after the seconds of Refresh.
const resetting = "La demostración vuelve al principio. Espere unos segundos.\n\nThe demonstration is being reset. Wait some seconds.\n"

const headerTimeout = 5 * time.Second

// meanwhile answers requests at the address of the api until stop is called, while no api does. An address that is taken is
// left alone: the api reports it.
func meanwhile(ctx context.Context, address string) (stop func()) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return func() {}
	}
	server := &http.Server{ReadHeaderTimeout: headerTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Retry-After", "2")
		w.Header().Set("Refresh", "2")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(resetting))
	})}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }
}
