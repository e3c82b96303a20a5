package api

import "net/http"

// HeadAsGet lets every path that answers GET answer HEAD: handlers see a GET, and the server, which has the original
// request, sends no body.
func HeadAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			get := *r
			get.Method = http.MethodGet
			r = &get
		}
		next.ServeHTTP(w, r)
	})
}
