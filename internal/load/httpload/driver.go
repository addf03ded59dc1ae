package httpload

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// A Driver is a load.Driver that sends the requests of its targets.
type Driver struct {
	opts     Options
	requests []*request
	hosts    map[string]bool // that targets name: requests go nowhere else
	tls      *tls.Config
	h2       *shared
	streams  atomic.Uint64 // of random numbers

	connections load.Gauge
}

// New checks the options and compiles the targets. Nothing is sent.
func New(opts Options) (*Driver, error) {
	if len(opts.Targets) == 0 {
		return nil, errors.New("no target to send to")
	}
	if opts.Timeout == 0 {
		opts.Timeout = 30 * time.Second
	}
	if opts.HTTP2 && opts.NoKeepAlive {
		return nil, errors.New("HTTP/2 keeps its connections")
	}
	d := &Driver{opts: opts, hosts: make(map[string]bool)}
	var err error
	if d.tls, err = opts.TLS.Config(); err != nil {
		return nil, err
	}
	d.tls.NextProtos = []string{"http/1.1"}
	if opts.HTTP2 {
		d.tls.NextProtos = []string{"h2"}
	}
	for _, t := range opts.Targets {
		r, err := t.compile(opts.Feed)
		if err != nil {
			return nil, err
		}
		d.requests = append(d.requests, r)
		d.hosts[strings.ToLower(r.url.Hostname())] = true
		if r.fixed() {
			if r.static, _, err = d.values().write(r, nil, nil, !opts.NoKeepAlive); err != nil {
				return nil, fmt.Errorf("%s: %q is no URL: escape what is in it, a space as %%20", t.Name, t.URL)
			}
		}
	}
	if opts.HTTP2 {
		d.h2 = &shared{hosts: make(map[string]*http2Host)}
	}
	return d, nil
}

var _ load.Driver = (*Driver)(nil)

// Connect returns a client. The client opens connections when it sends, since targets can
// have different hosts.
func (d *Driver) Connect(ctx context.Context) (load.Client, error) {
	if d.h2 != nil {
		d.h2.begin()
		return &http2Client{plan: d, values: d.values()}, nil
	}
	return &http1Client{plan: d, values: d.values(), conns: make(map[string]*http1Conn, 1)}, nil
}

// Addresses returns the addresses of all targets, as HOST:PORT, each once.
func (d *Driver) Addresses() []string {
	var all []string
	for _, r := range d.requests {
		if !slices.Contains(all, r.address) {
			all = append(all, r.address)
		}
	}
	return all
}

// Connections counts those that are open.
func (d *Driver) Connections() *load.Gauge { return &d.connections }

// Shares reports whether requests share connections.
func (d *Driver) Shares() bool { return d.h2 != nil }
