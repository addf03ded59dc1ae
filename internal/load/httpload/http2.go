package httpload

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/hone-go/hone/internal/load"
)

func (d *Driver) transport() *http.Transport {
	t := &http.Transport{
		TLSClientConfig:    d.tls.Clone(),
		Protocols:          new(http.Protocols),
		DisableCompression: true,
		MaxConnsPerHost:    1,
	}
	t.TLSClientConfig.NextProtos = nil // the transport's own
	t.Protocols.SetHTTP2(true)
	t.Protocols.SetUnencryptedHTTP2(true)
	return t
}

// A client2 sends requests over the driver's connections of HTTP/2.
type client2 struct {
	d      *Driver
	values *values
	path   []byte
}

func (c *client2) Close() error { return nil }

func (c *client2) Do(ctx context.Context, n int64) (int, error) {
	r := c.d.requests[uint64(n)%uint64(len(c.d.requests))]
	c.values.at(n)
	c.path = r.path.Append(c.path[:0], c.values.Values)
	ctx, cancel := context.WithTimeout(ctx, c.d.opts.Timeout)
	defer cancel()
	u := *r.url
	path, query, _ := bytes.Cut(c.path, []byte("?"))
	u.RawPath, u.RawQuery = string(path), string(query)
	var err error
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return 0, &load.Failure{Class: "bad path", Text: err.Error()}
	}
	var body io.Reader
	if r.body != nil {
		// The transport may read on when the answer is there, so it gets one of its own.
		body = bytes.NewReader(r.body.Append(nil, c.values.Values))
	}
	req, err := http.NewRequestWithContext(ctx, r.method, "", body)
	if err != nil {
		return 0, err
	}
	req.URL, req.Host = &u, u.Host
	for _, h := range r.header {
		value := string(h.value.Append(nil, c.values.Values))
		if equalFold([]byte(h.name), "host") {
			req.Host = value
			continue
		}
		req.Header.Add(h.name, value)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "hone")
	}
	resp, err := c.d.h2.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	size, err := io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if err == nil && !c.d.opts.Expect.has(resp.StatusCode) {
		err = &load.Failure{Class: "status " + strconv.Itoa(resp.StatusCode), Text: fmt.Sprintf("%s %s: %s", r.method, r.url, resp.Status)}
	}
	return int(size), err
}
