package p

import (
	"net/http"
	"net/textproto"
)

const traceHeader = "x-trace-id"

func handle(w http.ResponseWriter, r *http.Request) {
	// want A: "X-Request-Id" of the name
	id := r.Header.Get("x-request-id") // hot: net/textproto.MIMEHeader.Get net/textproto.CanonicalMIMEHeaderKey
	// want A: "X-Request-Id" of the name
	w.Header().Set("X-Request-ID", id) // hot: net/http.Header.Set net/textproto.MIMEHeader.Set net/textproto.CanonicalMIMEHeaderKey net/textproto.canonicalMIMEHeaderKey
	// want C: "X-Trace-Id" of the name
	w.Header().Add(traceHeader, id) // hot: net/textproto.CanonicalMIMEHeaderKey
}

func parts(h textproto.MIMEHeader) []string {
	// want A: "Content-Disposition" of the name
	return h.Values(("content-disposition")) // hot: net/textproto.CanonicalMIMEHeaderKey
}
