package httpload

import "github.com/hone-go/hone/internal/load/template"

// request returns request n of a run.
func (p *Driver) request(n int64) *request {
	if len(p.requests) == 1 {
		return p.requests[0]
	}
	return p.requests[uint64(n)%uint64(len(p.requests))]
}

func (p *Driver) values() *values {
	return &values{feed: p.opts.Feed, Values: template.NewValues(p.opts.Seed, p.streams.Add(1))}
}
