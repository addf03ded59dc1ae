package target

import (
	"context"
	"fmt"
	"time"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
)

// Check compares the totals that the store shows with those pushed: of every
// profile type over everything, and of CPU for each service.
func Check(t Target, c *corpus.Corpus) (lines []string, wrong int) {
	var sels []corpus.Select
	for _, typ := range c.Meta.Types {
		vs := corpus.SampleTypes[typ]
		for _, svc := range append([]string{""}, c.Meta.Services...) {
			if svc == "" || typ == "cpu" {
				sels = append(sels, corpus.Select{Type: typ, Value: vs[len(vs)-1][0], Service: svc, From: c.Start(), To: c.End()})
			}
		}
	}
	for _, s := range sels {
		want, n := c.Expect(s)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		a, err := t.Flame(ctx, s, Full)
		cancel()
		if err != nil {
			wrong++
			lines = append(lines, fmt.Sprintf("%v: error: %v", s, err))
			continue
		}
		ok := "ok"
		if a.Total != want {
			ok = fmt.Sprintf("WRONG: want %d (%.6f of it)", want, float64(a.Total)/float64(want))
			wrong++
		}
		lines = append(lines, fmt.Sprintf("%v: %d profiles: %d %s", s, n, a.Total, ok))
	}
	return lines, wrong
}
