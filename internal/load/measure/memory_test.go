package measure

import (
	"testing"

	"github.com/hone-go/hone/internal/load"
)

// TestMemory: what reading takes is not the requests', and a service that was
// started anew tells nothing.
func TestMemory(t *testing.T) {
	reading := &Memory{Bytes: 100, Objects: 10}
	before, after := &Memory{1000, 200, 3}, &Memory{5100, 610, 5}
	got := after.since(before).less(reading)
	if *got != (Memory{4000, 400, 2}) {
		t.Errorf("%+v", got)
	}
	costs := sumMemory([]*Memory{got, got}).costs(&load.Result{Succeeded: 80})
	if len(costs) != 3 || costs[0].Value != 100 || costs[1].Value != 10 || costs[2].Value != .05 {
		t.Errorf("%+v", costs)
	}
	for name, m := range map[string]*Memory{
		"started anew": before.since(after).less(reading), "unknown": after.since(nil), "one of them": sumMemory([]*Memory{got, nil}),
	} {
		if m.costs(&load.Result{Succeeded: 1}) != nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
