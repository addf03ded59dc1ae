package measure

import (
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestHottestOwnCode: what libraries and the runtime take is that of the service's functions
// that call them. A profile without code of the service has its functions as they are.
func TestHottestOwnCode(t *testing.T) {
	for _, c := range []struct {
		name, stacks string
		want         []Hot
		own          bool
	}{
		{"own code", "net/http.(*conn).serve;main.report;sort.Slice;runtime.memmove 5\nnet/http.(*conn).serve;main.report 2\n" +
			"runtime.gcBgMarkWorker;runtime.scanobject 3\n",
			[]Hot{{"main.report via sort.Slice", .5}, {"runtime: garbage collection", .3}, {"main.report", .2}}, true},
		{"only libraries", "net/http.(*conn).serve;sort.Slice;runtime.memmove 7\nruntime.gcBgMarkWorker;runtime.scanobject 3\n",
			[]Hot{{"runtime.memmove", .7}, {"runtime.scanobject", .3}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := profile.ParseFolded(strings.NewReader(c.stacks), profile.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			p.SampleTypes[0].Type = "cpu"
			m := &measurement{Plan: &Plan{}, report: &Report{}}
			if got := m.costs(t.Context(), "cpu", p, 10); !slices.Equal(got.hottest, c.want) || got.ownCode != c.own {
				t.Errorf("hottest %v, own code %v; want %v, %v", got.hottest, got.ownCode, c.want, c.own)
			}
		})
	}
}
