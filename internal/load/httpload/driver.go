package httpload

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/load"
)

// A Driver is a load.Driver that sends the requests of its targets.
type Driver struct {
	plan *plan
	h2   *shared // nil: HTTP/1.1
}

// New checks the options and compiles the targets. Nothing is sent.
func New(opts Options) (*Driver, error) {
	p, err := newPlan(opts)
	if err != nil {
		return nil, err
	}
	d := &Driver{plan: p}
	if opts.HTTP2 {
		d.h2 = newShared(p)
	}
	return d, nil
}

var _ load.Driver = (*Driver)(nil)

// Connect returns a client. The client opens connections when it sends, since targets can
// have different hosts.
func (d *Driver) Connect(ctx context.Context) (load.Client, error) {
	if d.h2 != nil {
		d.h2.begin()
		return &http2Client{plan: d.plan, shared: d.h2, values: d.plan.values()}, nil
	}
	return &http1Client{plan: d.plan, values: d.plan.values(), conns: make(map[string]*http1Conn, 1)}, nil
}

// Addresses returns the addresses of all targets, as HOST:PORT, each once.
func (d *Driver) Addresses() []string {
	var all []string
	for _, r := range d.plan.requests {
		if !slices.Contains(all, r.address) {
			all = append(all, r.address)
		}
	}
	return all
}

// Connections returns the gauge of open connections.
func (d *Driver) Connections() *load.Gauge { return &d.plan.connections }

// Shares reports whether requests share connections.
func (d *Driver) Shares() bool { return d.h2 != nil }
