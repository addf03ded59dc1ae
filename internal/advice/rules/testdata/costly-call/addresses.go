package calls

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

func shown(ip net.IP, addr netip.Addr) (string, []byte) {
	// want C: without
	_, block, _ := net.ParseCIDR("10.0.0.0/8") // hot: net.ParseCIDR
	// want C: addresses of package net/netip are values
	text := ip.String() // hot: net.IP.String
	// want C: AppendTo of net/netip
	text += addr.String() // hot: net/netip.Addr.String
	// want C: AppendTo of net/netip
	b, _ := addr.MarshalText() // hot: net/netip.Addr.MarshalText
	// want C: AppendTo of net/netip
	old, _ := ip.MarshalText() // hot: net.IP.MarshalText
	return text + string(block.Mask), append(b, old...)
}

func asked(u *url.URL, h http.Header) (string, http.Header) {
	// want C: keep the parsed URLs by their text
	to, _ := url.ParseRequestURI(u.Path) // hot: net/url.ParseRequestURI
	// want C: call it once
	page := u.Query().Get("page") // hot: net/url.(*URL).Query net/url.ParseQuery
	// want C: compare the text with common types first
	kind, _, _ := mime.ParseMediaType(page) // hot: mime.ParseMediaType
	// want C: needs no copy
	return kind + to.Host, h.Clone() // hot: net/http.Header.Clone
}
