package capture

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// request is a source that was recognized as a URL.
type request struct {
	source  string // as the user wrote it
	url     *url.URL
	wait    time.Duration // how long the server will measure, 0 if not known
	timeout time.Duration
	limit   time.Duration // timeout and slack
}

// adjustURL completes source by the rules of go tool pprof: a missing scheme
// is http, a missing path is the default, -seconds becomes a parameter.
func (f *Fetcher) adjustURL(source string) (request, bool) {
	u, err := url.Parse(source)
	if err != nil || u.Host == "" && u.Scheme != "" && u.Scheme != "file" {
		// localhost:6060 parses with the scheme "localhost", and 127.0.0.1:6060
		// not at all.
		u, err = url.Parse("http://" + source)
	}
	if err != nil || u.Host == "" {
		return request{}, false
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = cmp.Or(f.DefaultPath, profileHandler)
	}
	r := request{source: source, url: u, timeout: f.Timeout}
	query := u.Query()
	if f.Seconds > 0 {
		r.wait = time.Duration(f.Seconds) * time.Second
		query.Set("seconds", strconv.Itoa(f.Seconds))
	} else if s, err := strconv.ParseInt(query.Get("seconds"), 10, 32); err == nil {
		r.wait = max(0, time.Duration(s)*time.Second)
	}
	if r.timeout <= 0 {
		r.timeout = defaultTimeout
		if r.wait > 0 {
			r.timeout = r.wait + r.wait/2
		}
	}
	r.limit = r.timeout + headerSlack
	if f.slack > 0 {
		r.limit = r.timeout + f.slack
	}
	u.RawQuery = query.Encode()
	return r, true
}

// An exchange is a request and what is known of its answer so far.
type exchange struct {
	r         request
	ctx       context.Context
	maxBytes  int64 // 0 is no bound
	sendsCert bool  // has a certificate to send

	wantsCert atomic.Bool    // the server asked for a client certificate
	resp      *http.Response // nil until its header is here
	size      int64          // Content-Length or -1
	got       int64
}
