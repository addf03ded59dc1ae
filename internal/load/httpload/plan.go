package httpload

import "github.com/hone-go/hone/internal/load/template"

// request returns request n of a run.
func (d *Driver) request(n int64) *request {
	if len(d.requests) == 1 {
		return d.requests[0]
	}
	return d.requests[uint64(n)%uint64(len(d.requests))]
}

func (d *Driver) values() *values {
	return &values{feed: d.opts.Feed, Values: template.NewValues(d.opts.Seed, d.streams.Add(1))}
}
