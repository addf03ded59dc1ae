package advice

import (
	"strings"
	"testing"
)

func TestBoundString(t *testing.T) {
	for _, c := range []struct {
		bound Bound
		want  string
	}{
		{Bound{Time: 0.0001, Speedup: 1.0001}, ""},
		{Bound{Time: 0.002, Error: 0.015, Speedup: 1.002}, "hardly faster without it (0.2 ±1.5 % of the time"},
		{Bound{Time: 0.01, Speedup: 1.0101}, "at most 1.01 times as fast without it (1.0 % of the time"},
		{Bound{Time: 0.67, Error: 0.014, Speedup: 3.0303}, "at most 3.03 times as fast without it (67.0 ±1.4 % of the time"},
		{Bound{Time: 0.995, Speedup: 200}, "affects nearly all of the time (99.5 %)"},
	} {
		if got := c.bound.String(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", c.bound, got, c.want)
		}
	}
}
