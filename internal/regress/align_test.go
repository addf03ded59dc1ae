package regress

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

// placed is a source whose functions have places in files.
type placed struct {
	Source
	places map[string]profile.Frame
}

func (p placed) Sums(ctx context.Context, sel Selection, frames *Frames) ([]Sum, error) {
	sums, err := p.Source.Sums(ctx, sel, frames)
	for n, name := range frames.Names {
		if at, ok := p.places[name]; ok {
			at.Name = name
			frames.define(int32(n), &at)
		}
	}
	return sums, err
}

// TestRenamedLiteral: a function literal that the compiler named anew isn't a new function.
// Growth of its cost is that of one function, and so is that of what calls it.
func TestRenamedLiteral(t *testing.T) {
	const was, is = "main.main.F.func3", "m.F.func1"
	at := profile.Frame{File: "f.go", StartLine: 3}
	places := map[string]profile.Frame{was: at, is: at}
	for _, test := range []struct {
		after  map[string]float64
		want   string
		growth float64
	}{
		{map[string]float64{"main;" + is: 3e8}, "", 0},
		{map[string]float64{"main;" + is: 3.6e8}, is, 0.2},
		{map[string]float64{"main;" + is: 3e8, "main;" + is + ";deep": 1e8}, is, 0.33},
	} {
		before, after := usualStacks(), usualStacks()
		before["main;"+was] = 3e8
		for stack, cost := range test.after {
			after[stack] = cost
		}
		src := placed{&fixed{changed: atStart, instances: 8, before: before, after: after}, places}
		found, err := Detect(t.Context(), src, Trigger{Service: "s", Kind: "cpu", Version: "v2", Since: atStart, Rate: 0.01, Now: atStart + int64(30*time.Minute)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if test.want == "" && len(found) > 0 || test.want != "" && (len(found) != 1 || found[0].Function != test.want || math.Abs(found[0].Growth-test.growth) > 0.02) {
			t.Errorf("%v: found %+v, want %q by %g", test.after, found, test.want, test.growth)
		}
	}
}
