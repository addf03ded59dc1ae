package httpload

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/template"
)

// A plan is a driver's Options, checked: which requests go where, and how.
type plan struct {
	opts     Options
	requests []*request
	hosts    map[string]bool // that targets name: requests go nowhere else
	tls      *tls.Config
	streams  atomic.Uint64 // of random numbers

	connections load.Gauge // that are open
}

// request returns request n of a run.
func (p *plan) request(n int64) *request {
	if len(p.requests) == 1 {
		return p.requests[0]
	}
	return p.requests[uint64(n)%uint64(len(p.requests))]
}

// newPlan checks the options and compiles the targets.
func newPlan(opts Options) (*plan, error) {
	if len(opts.Targets) == 0 {
		return nil, errors.New("no target given")
	}
	if opts.Timeout == 0 {
		opts.Timeout = 30 * time.Second
	}
	if opts.HTTP2 && opts.NoKeepAlive {
		return nil, errors.New("HTTP/2 keeps its connections open: it can't open one per request")
	}
	p := &plan{opts: opts, hosts: make(map[string]bool)}
	var err error
	if p.tls, err = opts.TLS.Config(); err != nil {
		return nil, err
	}
	p.tls.NextProtos = []string{"http/1.1"}
	if opts.HTTP2 {
		p.tls.NextProtos = []string{"h2"}
	}
	for _, t := range opts.Targets {
		r, err := t.compile(opts.Feed)
		if err != nil {
			return nil, err
		}
		p.requests = append(p.requests, r)
		p.hosts[strings.ToLower(r.url.Hostname())] = true
		if r.fixed() {
			if r.static, _, err = p.values().write(r, nil, nil, !opts.NoKeepAlive); err != nil {
				return nil, fmt.Errorf("%s: invalid URL %q: escape its special characters, a space as %%20", t.Name, t.URL)
			}
		}
	}
	return p, nil
}

func (p *plan) values() *values {
	return &values{feed: p.opts.Feed, Values: template.NewValues(p.opts.Seed, p.streams.Add(1))}
}
