package cloudprofiler

import (
	"context"
	"net/http"
	"time"
)

// pollBytes limits requests without a profile. There are many of them at a time.
const pollBytes = 64 << 10

// patient lets requests of a handler wait; see patience.
func patient(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), patienceKey{}, http.NewResponseController(w))
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

type patienceKey struct{}

// patience lifts the server's deadlines of a request that has been read.
func patience(ctx context.Context) {
	if c, ok := ctx.Value(patienceKey{}).(*http.ResponseController); ok {
		// Where this isn't supported there are none.
		_ = c.SetReadDeadline(time.Time{})
		_ = c.SetWriteDeadline(time.Time{})
	}
}
