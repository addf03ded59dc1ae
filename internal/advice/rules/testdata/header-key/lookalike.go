package p

import "net/http"

// The name is canonical, and looking at it is all there is.
func get(h http.Header) string {
	return h.Get("X-Request-Id") // hot: net/textproto.CanonicalMIMEHeaderKey
}

// The name isn't known.
func named(h http.Header, name string) string {
	return h.Get(name) // hot: net/textproto.CanonicalMIMEHeaderKey net/textproto.canonicalMIMEHeaderKey
}

// The time is in the map.
func set(h http.Header, id string) {
	h.Set("x-request-id", id) // hot: net/textproto.MIMEHeader.Set runtime.mapassign_faststr
}

// A map is asked for what it has.
func index(h map[string]string) string {
	return h["x-request-id"] // hot: net/textproto.CanonicalMIMEHeaderKey
}
