package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// Equal values of two keys are frames of their own, but for go tool pprof.
func TestFramesOfSeveralLabels(t *testing.T) {
	zone := profile.WithLabel(folded(t, "main.f 10\n"), "zone", "a")
	shard := profile.WithLabel(folded(t, "main.f 20\n"), "shard", "a")
	p, err := profile.Sum(t.Context(), zone, shard)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		root, leaf string
		compat     bool
		want       string
	}{
		{"zone,shard", "", false, "shard=a 20"},
		{"zone,shard", "", false, "zone=a 10"},
		{"zone,shard", "", false, "zone=<unknown> 20"},
		{"zone", "shard", false, "shard=a 20"},
		{"", "zone,shard", false, "zone=a 10"},
		{"zone", "", false, "a 10"},
		{"zone,shard", "", true, "a 30"},
		{"", "zone,shard", true, "<unknown> 30"},
	} {
		o := DefaultOptions()
		o.TagRoot, o.TagLeaf = c.root, c.leaf
		r, err := New(p, "top", "", o, Env{Compat: c.compat})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		found := false
		for line := range strings.Lines(b.String()) {
			f := strings.Fields(line)
			found = found || len(f) == 6 && f[5]+" "+f[3] == c.want
		}
		if !found {
			t.Errorf("root %q leaf %q: no %q in\n%s", c.root, c.leaf, c.want, b.String())
		}
	}
}
