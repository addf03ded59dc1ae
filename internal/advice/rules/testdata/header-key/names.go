package p

import (
	"net/http"
	"net/textproto"
)

const traceHeader = "x-trace-id"

func handle(w http.ResponseWriter, r *http.Request) {
	// want A: converts the name to "X-Request-Id" on each call
	id := r.Header.Get("x-request-id") // hot: net/textproto.MIMEHeader.Get net/textproto.CanonicalMIMEHeaderKey
	// want A: converts the name to "X-Request-Id" on each call
	w.Header().Set("X-Request-ID", id) // hot: net/http.Header.Set net/textproto.MIMEHeader.Set net/textproto.CanonicalMIMEHeaderKey net/textproto.canonicalMIMEHeaderKey
	// want C: converts the name to "X-Trace-Id" on each call
	w.Header().Add(traceHeader, id) // hot: net/textproto.CanonicalMIMEHeaderKey
}

func parts(h textproto.MIMEHeader) []string {
	// want A: converts the name to "Content-Disposition" on each call
	return h.Values(("content-disposition")) // hot: net/textproto.CanonicalMIMEHeaderKey
}
