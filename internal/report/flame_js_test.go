package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"testing"

	"github.com/hone-go/hone/profile"
)

// runModel runs the page's model with an expression over its functions and the
// page's data, and decodes what the expression is.
func runModel(t *testing.T, data *flameData, expression string, result any) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-")
	cmd.Stdin = bytes.NewBufferString("'use strict';\n" + flameModelJS +
		"\nconst data = " + string(text) + ";\nprocess.stdout.write(JSON.stringify(" + expression + "));\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if err := json.Unmarshal(out, result); err != nil {
		t.Fatal(err)
	}
}

// matchedTotal adds up the totals of the nodes whose frames match, counting what
// lies below a match once: the model of the page's findMatches.
func matchedTotal(t *profile.Tree, n uint32, match func(name string) bool) int64 {
	if n != 0 && match(t.Frames[t.Frame[n]].Name) {
		return t.Values[0].Total[n]
	}
	sum := int64(0)
	first, end := t.Children(n)
	for k := first; k < end; k++ {
		sum += matchedTotal(t, k, match)
	}
	return sum
}

func TestFlameSearch(t *testing.T) {
	tr := tree(t, nil, folded(t, "a;b;a 10\na;b 20\nc;a;b 5\nc 65\n"), profile.TreeOptions{})
	for _, tt := range []struct {
		re   string
		want int64
	}{{"^a$", 35}, {"^b$", 35}, {"a|b", 35}, {"c|a", 100}, {"^c$", 70}, {"x", 0}} {
		re := regexp.MustCompile(tt.re)
		if got := matchedTotal(tr, 0, re.MatchString); got != tt.want {
			t.Errorf("%s: matched %d, want %d", tt.re, got, tt.want)
		}
		var got int64
		runModel(t, newFlameData(tr, &FlameOptions{MaxNodes: 1000}), fmt.Sprintf(`(() => {
			const t = readTree(data, data.trees[0]), match = matcher(%q);
			const place = layout(t, t.values[0], 'size', data.frames.name);
			return findMatches(t, place, t.values[0].total, 0, data.frames.name.map((n) => match(n))).sum;
		})()`, tt.re), &got)
		if got != tt.want {
			t.Errorf("%s: the page matches %d, want %d", tt.re, got, tt.want)
		}
	}
}

// TestFlameModel compares what the page computes with the same in Go.
func TestFlameModel(t *testing.T) {
	base := folded(t, "a;a;b 100\na;b 300\nold 50\nc 1000\n")
	head := folded(t, "a;a;b 200\na;b 290\nnew 60\nc 1003\n")
	o := profile.TreeOptions{Normalize: true}
	tr := tree(t, base, head, o)
	o.CollapseRecursion = true
	collapsed := tree(t, base, head, o)
	var got struct {
		Total, Base, Collapsed []float64
		Steps                  []int
		Places                 [][2]float64
	}
	runModel(t, newFlameData(tr, &FlameOptions{MaxNodes: 1000}), `(() => {
		const t = readTree(data, data.trees[0]), v = t.values[0], place = layout(t, v, 'name', data.frames.name);
		return {
			Total: [...v.total], Base: [...v.base.total], Collapsed: [...collapse(t).values[0].total].sort((a, b) => a - b),
			Steps: [...v.total].map((_, n) => changeStep(v, n, data.types[0], 10)),
			Places: [...place.x].map((x, n) => [x, place.w[n]]),
		};
	})()`, &got)
	v := &tr.Values[0]
	for n := range uint32(tr.NumNodes()) {
		if got.Total[n] != float64(v.Total[n]) || got.Base[n] != float64(v.BaseTotal[n]) {
			t.Errorf("node %d: total %g and %g, want %d and %d", n, got.Total[n], got.Base[n], v.Total[n], v.BaseTotal[n])
		}
		if want := changeStep(v, n); got.Steps[n] != want {
			t.Errorf("node %d: step %d, want %d", n, got.Steps[n], want)
		}
		p, parent := got.Places[n], got.Places[tr.Parent[n]]
		if p[0] < parent[0]-1e-9 || p[0]+p[1] > parent[0]+parent[1]+1e-9 {
			t.Errorf("node %d at %v is not inside of its parent at %v", n, p, parent)
		}
	}
	sum := func(column []int64) (s float64) {
		for _, v := range column {
			s += float64(v)
		}
		return s
	}
	total := 0.0
	for _, v := range got.Collapsed {
		total += v
	}
	if len(got.Collapsed) != collapsed.NumNodes() || total != sum(collapsed.Values[0].Total) {
		t.Errorf("collapsed: %v, want %v", got.Collapsed, collapsed.Values[0].Total)
	}
}

func TestFlameFormat(t *testing.T) {
	data := newFlameData(tree(t, nil, folded(t, smallStacks), profile.TreeOptions{}), &FlameOptions{MaxNodes: 1000})
	for _, tt := range []struct {
		v    int64
		unit string
	}{{0, "nanoseconds"}, {1, "nanoseconds"}, {1500, "nanoseconds"}, {240_290_000_000, "nanoseconds"}, {7_200_000_000_000, "nanoseconds"},
		{1023, "bytes"}, {1 << 20, "bytes"}, {3 << 33, "bytes"}, {-2048, "bytes"}, {999, "count"}} {
		var got string
		runModel(t, data, fmt.Sprintf("formatValue(%d, %q)", tt.v, tt.unit), &got)
		want := formatValue(tt.v, tt.unit, "auto")
		var x, y float64
		var xu, yu string
		fmt.Sscanf(got, "%g%s", &x, &xu)
		fmt.Sscanf(want, "%g%s", &y, &yu)
		if math.Abs(x-y) > 0.005 || xu != yu {
			t.Errorf("%d %s: %q, want %q", tt.v, tt.unit, got, want)
		}
	}
}
