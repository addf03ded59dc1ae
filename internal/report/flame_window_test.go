package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// randomFolded returns folded stacks, with negative values if asked for.
func randomFolded(r *rand.Rand, stacks int, negative bool) string {
	var b strings.Builder
	for range stacks {
		for i := range 1 + r.IntN(6) {
			if i > 0 {
				b.WriteByte(';')
			}
			fmt.Fprintf(&b, "p%d.f%d", r.IntN(2), r.IntN(4))
		}
		v := int64(1+r.IntN(1000)) * int64(1+r.IntN(1000))
		if negative && r.IntN(3) == 0 {
			v = -v
		}
		fmt.Fprintf(&b, " %d\n", v)
	}
	return b.String()
}

// placed is a node of a window with its position.
type placed struct {
	id, depth               int64
	name                    string
	from, width             int64
	total, self             int64
	baseTotal, baseSelf     int64
	hidden                  int64
	inlined                 bool
	file, pkg, origin, line string
}

// decodeWindow does what a client does.
func decodeWindow(t *testing.T, w *FlameWindow) []placed {
	t.Helper()
	var out []placed
	ends := []int64{} // by depth, where the next node of the level begins
	starts := []int64{}
	for i := range w.Nodes.ID {
		p := placed{
			id: w.Nodes.ID[i], depth: w.Nodes.Depth[i], total: w.Nodes.Total[i] * w.Scale,
			self: w.Nodes.Self[i] * w.Scale, hidden: w.Nodes.Hidden[i],
			inlined: slices.Contains(w.Nodes.Inlined, int64(i)),
		}
		if w.Diff {
			p.baseTotal, p.baseSelf = w.Nodes.BaseTotal[i]*w.Scale, w.Nodes.BaseSelf[i]*w.Scale
		}
		if p.width = p.total; w.Nodes.Width != nil {
			p.width = w.Nodes.Width[i] * w.Scale
		}
		d := int(p.depth)
		if d > len(ends) || d == 0 && i != 0 {
			t.Fatalf("node %d: depth %d after %d levels", i, d, len(ends))
		}
		if d < len(ends) {
			p.from = ends[d]
			ends, starts = ends[:d+1], starts[:d+1]
		} else {
			if d > 0 {
				p.from = starts[d-1]
			}
			ends, starts = append(ends, 0), append(starts, 0)
		}
		p.from += w.Nodes.Gap[i] * w.Scale
		starts[d], ends[d] = p.from, p.from+p.width
		if f := w.Nodes.Frame[i]; f >= 0 {
			p.name = w.Frames.Name[f]
			p.file, p.pkg = w.Files[w.Frames.File[f]], w.Packages[w.Frames.Package[f]]
			p.origin, p.line = profile.Origin(w.Frames.Origin[f]).String(), fmt.Sprint(w.Frames.Line[f])
		}
		out = append(out, p)
	}
	return out
}

// naiveWidths are the widths of nodes by their definition.
func naiveWidths(t *profile.Tree, widths FlameWidths) []int64 {
	v := &t.Values[0]
	of := func(n uint32, head, base []int64) int64 {
		if base == nil || widths == WidthsHead {
			return head[n]
		}
		scaled := int64(math.Round(float64(base[n]) * v.BaseScale))
		if widths == WidthsBase {
			return scaled
		}
		return max(head[n], scaled)
	}
	out := make([]int64, t.NumNodes())
	var measure func(n uint32)
	measure = func(n uint32) {
		called := int64(0)
		if v.Folded != nil {
			called = of(n, v.Folded, v.BaseFolded)
		}
		for c, end := t.Children(n); c < end; c++ {
			measure(c)
			called += out[c]
		}
		out[n] = max(of(n, v.Total, v.BaseTotal), called)
	}
	measure(0)
	return out
}

// naiveWindow looks at every node.
func naiveWindow(t *profile.Tree, widths []int64, from, to int64, width int) []placed {
	var out []placed
	v := &t.Values[0]
	seen := func(from1, total int64) bool {
		return total > 0 && from1 < to && from1+total > from && float64(total)*float64(width)*2 >= float64(to-from)
	}
	var walk func(n uint32, depth, at int64)
	walk = func(n uint32, depth, at int64) {
		p := placed{id: int64(n), depth: depth, from: at, width: widths[n], total: v.Total[n], self: v.Self[n], inlined: t.Inlined[n]}
		if n > 0 {
			f := &t.Frames[t.Frame[n]]
			p.name, p.file, p.pkg, p.origin, p.line = f.Name, f.File, f.Package(), f.Origin().String(), fmt.Sprint(f.StartLine)
		}
		if v.BaseTotal != nil {
			p.baseTotal, p.baseSelf = v.BaseTotal[n], v.BaseSelf[n]
		}
		if t.Folded != nil {
			p.hidden = int64(t.Folded[n])
		}
		i := len(out)
		out = append(out, p)
		var children []uint32
		for c, end := t.Children(n); c < end; c++ {
			children = append(children, c)
		}
		slices.SortStableFunc(children, func(a, b uint32) int {
			return cmp.Compare(widths[b], widths[a])
		})
		for _, c := range children {
			if seen(at, widths[c]) {
				walk(c, depth+1, at)
			} else {
				out[i].hidden++
			}
			at += widths[c]
		}
	}
	walk(0, 0, 0)
	return out
}

// randomWidths returns one of all widths that there are.
func randomWidths(r *rand.Rand) FlameWidths {
	return []FlameWidths{WidthsBoth, WidthsHead, WidthsBase}[r.IntN(3)]
}

func TestWindowAgainstModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		var base *profile.Profile
		head := folded(t, randomFolded(r, 1+r.IntN(150), seed%5 == 0))
		if r.IntN(2) == 0 {
			base = folded(t, randomFolded(r, 1+r.IntN(150), false))
		}
		widths := randomWidths(r)
		tr := tree(t, base, head, profile.TreeOptions{Inverted: r.IntN(2) == 0, MinShare: r.Float64() * 0.02, Normalize: r.IntN(2) == 0})
		wide := naiveWidths(tr, widths)
		total := wide[0]
		x := NewFlameIndex(tr, Options{Unit: "auto"}, widths)
		for range 20 {
			w := Window{Width: 1 + r.IntN(60)}
			from, to := int64(0), total
			if total > 1 && r.IntN(3) > 0 {
				w.From = r.Int64N(total)
				w.To = w.From + 1 + r.Int64N(total-w.From)
				from, to = w.From, w.To
			} else if n := r.IntN(tr.NumNodes()); n > 0 && wide[n] > 0 {
				w.Node = int64(n)
				from, to = x.place(uint32(n))
			}
			got, err := x.Window(w)
			if err != nil {
				t.Fatalf("seed %d: %+v: %v", seed, w, err)
			}
			if got.From != from || got.To != to || got.Height != tr.Height()+1 || got.Diff != tr.Diff() || got.Total.Value != tr.Values[0].Total[0] {
				t.Fatalf("seed %d: %+v: %+v", seed, w, got)
			}
			nodes, want := decodeWindow(t, got), naiveWindow(tr, wide, from, to, w.Width)
			if !slices.Equal(nodes, want) {
				t.Fatalf("seed %d: %+v (%d to %d): got\n%+v\nwant\n%+v", seed, w, from, to, nodes, want)
			}
			if used := len(slices.Compact(slices.Sorted(slices.Values(got.Nodes.Frame)))) - 1; used != len(got.Frames.Name) {
				t.Fatalf("seed %d: %d frames for %d in use", seed, len(got.Frames.Name), used)
			}
			for i, own := range got.Nodes.Own {
				inside := func(p placed) bool { // below node i
					return p.depth == nodes[i].depth+1 && p.from >= nodes[i].from && p.from+p.width <= nodes[i].from+nodes[i].width
				}
				for _, p := range nodes {
					if inside(p) && p.from+p.width > nodes[i].from+nodes[i].width-own*got.Scale {
						t.Fatalf("seed %d: %+v reaches into what %+v has for itself, %d", seed, p, nodes[i], own*got.Scale)
					}
				}
			}
			if g := gcd(got.Nodes.Gap, got.Nodes.Total, got.Nodes.Self, got.Nodes.BaseTotal, got.Nodes.BaseSelf, got.Nodes.Width, got.Nodes.Own); g != 1 {
				t.Fatalf("seed %d: values could be divided by %d", seed, g)
			}
			roundTrip(t, got)
		}
	}
}

// roundTrip checks that a value becomes valid JSON without null where the
// pages expect a list, and returns it.
func roundTrip(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	if bytes.Contains(text, []byte(":null")) {
		t.Fatalf("%T has a null: %.2000s", v, text)
	}
	return text
}

func TestWindowErrors(t *testing.T) {
	x := NewFlameIndex(tree(t, folded(t, "a;gone 5\na 5\n"), folded(t, "a;b 60\na;c 40\n"), profile.TreeOptions{}), Options{Unit: "auto"}, WidthsHead)
	gone := slices.IndexFunc(x.v.Total, func(v int64) bool { return v == 0 })
	for _, tt := range []struct {
		w     Window
		param string
	}{
		{Window{From: 50, To: 50}, "to"},
		{Window{From: 60, To: 50}, "to"},
		{Window{From: -1, To: 50}, "from"},
		{Window{From: 100, To: 101}, "from"},
		{Window{From: 1, To: 101}, "to"},
		{Window{To: -1}, "to"},
		{Window{Node: 99}, "node"},
		{Window{Node: 1 << 40}, "node"},
		{Window{Node: int64(gone)}, "node"},
		{Window{Width: -1}, "width"},
		{Window{Width: 1 << 30}, "width"},
	} {
		_, err := x.Window(tt.w)
		var pe *ParamError
		if !errors.As(err, &pe) || pe.Param != tt.param {
			t.Errorf("%+v: error %v, want one of parameter %s", tt.w, err, tt.param)
		}
	}
	for _, w := range []Window{{}, {Node: -1}, {Node: 0}, {To: 100}} {
		if got, err := x.Window(w); err != nil || got.From != 0 || got.To != 100 {
			t.Errorf("%+v: got %+v, %v; want all", w, got, err)
		}
	}
	if got, err := x.Window(Window{From: 30}); err != nil || got.From != 30 || got.To != 100 {
		t.Errorf("from 30: got %+v, %v; want all behind it", got, err)
	}
}

// Trees whose head is empty have a root and nothing to draw.
func TestWindowEmpty(t *testing.T) {
	for name, tr := range map[string]*profile.Tree{
		"no samples": tree(t, nil, profile.NewBuilder(profile.ValueType{Type: "a", Unit: "b"}).Profile(), profile.TreeOptions{}),
		"all gone":   tree(t, folded(t, "a;b 5\n"), folded(t, "x 0\n"), profile.TreeOptions{}),
		"negative":   tree(t, nil, folded(t, "a;b -5\n"), profile.TreeOptions{}),
		"pivot":      tree(t, nil, folded(t, "a;b 5\n"), profile.TreeOptions{Pivot: "x"}),
	} {
		x := NewFlameIndex(tr, Options{Unit: "auto"}, WidthsHead)
		w, err := x.Window(Window{})
		if err != nil || len(w.Nodes.ID) != 1 || w.From != 0 || w.To != 0 || w.Scale < 1 {
			t.Errorf("%s: got %+v, %v", name, w, err)
		}
		roundTrip(t, w)
		if s := x.Search(regexp.MustCompile("."), 10); s.Count != 0 || s.Matched.Value != 0 {
			t.Errorf("%s: found %+v", name, s)
		} else {
			roundTrip(t, s)
		}
	}
}

func TestSearchAgainstModel(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		head := folded(t, randomFolded(r, 1+r.IntN(150), seed%5 == 0))
		var base *profile.Profile
		if r.IntN(2) == 0 {
			base = folded(t, randomFolded(r, 1+r.IntN(150), false))
		}
		widths := randomWidths(r)
		tr := tree(t, base, head, profile.TreeOptions{})
		x := NewFlameIndex(tr, Options{Unit: "auto"}, widths)
		wide := naiveWidths(tr, widths)
		re := regexp.MustCompile([]string{"f1", "p0", "f[12]$", "nothing", "."}[r.IntN(5)])
		// Sample by sample, and node by node.
		sum := func(p *profile.Profile, sign int64) (matched int64) {
			for s := range p.Stacks {
				if v := sign * p.Values[0][s]; v > 0 && slices.ContainsFunc(p.Stack(s), func(l uint32) bool {
					return re.MatchString(p.FunctionName(p.LocationLines(l)[0].Function))
				}) {
					matched += v
				}
			}
			return matched
		}
		matched, matchedBase := sum(head, 1), sum(head, -1)
		if base != nil {
			matchedBase += sum(base, 1)
		}
		var nodes []FlameMatch
		walkTree(tr, func(n uint32, depth int) {
			for a := tr.Parent[n]; a != 0; a = tr.Parent[a] {
				if re.MatchString(tr.Frames[tr.Frame[a]].Name) {
					return
				}
			}
			if name := ""; n != 0 && wide[n] > 0 {
				if name = tr.Frames[tr.Frame[n]].Name; re.MatchString(name) {
					nodes = append(nodes, FlameMatch{n, depth, x.start[n], wide[n], name})
				}
			}
		})
		limit := r.IntN(10)
		got := x.Search(re, limit)
		if got.Matched.Value != matched || got.Count != len(nodes) {
			t.Fatalf("seed %d: matched %d in %d nodes, want %d in %d", seed, got.Matched.Value, got.Count, matched, len(nodes))
		}
		if (got.Base != nil) != tr.Diff() || got.Base != nil && got.Base.Value != matchedBase {
			t.Fatalf("seed %d: matched %+v of the base, want %d", seed, got.Base, matchedBase)
		}
		slices.SortFunc(nodes, func(a, b FlameMatch) int {
			if a.Width != b.Width {
				return int(b.Width - a.Width)
			}
			return int(a.ID) - int(b.ID)
		})
		if want := nodes[:min(limit, len(nodes))]; !slices.Equal(got.Nodes, want) {
			t.Fatalf("seed %d: got %v, want %v", seed, got.Nodes, want)
		}
		roundTrip(t, got)
	}
}

func TestTopNodesAreTheWidest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	k := topNodes{limit: 50}
	for n := range uint32(10_000) {
		k.width = append(k.width, 1+r.Int64N(500))
		k.add(n)
	}
	got := k.sorted()
	all := topNodes{limit: len(k.width), width: k.width}
	for n := range k.width {
		all.nodes = append(all.nodes, uint32(n))
	}
	if want := all.sorted()[:50]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestWindowSize keeps the first view small: google/pprof sends all nodes.
func TestWindowSize(t *testing.T) {
	p := testProfile(t, "cpu.go-compile.pb.gz")
	tr, err := profile.NewTree(p, profile.TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewFlameIndex(tr, Options{Unit: "auto"}, WidthsHead).Window(Window{Width: 1600})
	if err != nil {
		t.Fatal(err)
	}
	text := roundTrip(t, w)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	t.Logf("%d of %d nodes, %d bytes, %d gzipped", len(w.Nodes.ID), tr.NumNodes(), len(text), b.Len())
	if b.Len() > 100_000 {
		t.Errorf("%d bytes gzipped", b.Len())
	}
}

func testProfile(t testing.TB, name string) *profile.Profile {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// benchProfile has 200,000 stacks, which make 2.4 million nodes, or is the one
// that HONE_BENCH_PROFILE names.
func benchProfile(b *testing.B) *profile.Profile {
	b.Helper()
	if name := os.Getenv("HONE_BENCH_PROFILE"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		p, err := profile.DecodeBytes(data, profile.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	r := rand.New(rand.NewPCG(1, 2))
	pb := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
	var locs []uint32
	for i := range 50_000 {
		f := pb.Function(fmt.Sprintf("example.com/app/pkg%d.Function%d", i%100, i), "", fmt.Sprintf("/src/app/pkg%d/f.go", i%100), 1)
		locs = append(locs, pb.Location(0, 0, profile.Line{Function: f, Line: 1}))
	}
	for range 200_000 {
		var stack []uint32
		at := 1
		for range 5 + r.IntN(30) {
			at = (at*31 + int(r.ExpFloat64()*1.5)) % len(locs)
			stack = append(stack, locs[at])
		}
		slices.Reverse(stack)
		pb.Sample(stack, nil, 1+r.Int64N(100))
	}
	return pb.Profile()
}

func benchIndex(b *testing.B) *FlameIndex {
	b.Helper()
	p := benchProfile(b)
	tr, err := profile.NewTree(p, profile.TreeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	return NewFlameIndex(tr, Options{Unit: "auto"}, WidthsHead)
}

// The tree of a comparison is laid out by both sides.
func BenchmarkFlameWidths(b *testing.B) {
	p := benchProfile(b)
	base := *p
	base.Values = [][]int64{slices.Clone(p.Values[0])}
	r := rand.New(rand.NewPCG(3, 4))
	for s := range base.Values[0] {
		base.Values[0][s] = r.Int64N(100)
	}
	tr, err := profile.NewDiffTree(&base, p, profile.TreeOptions{Types: []int{0}, Normalize: true})
	if err != nil {
		b.Fatal(err)
	}
	for _, widths := range []FlameWidths{WidthsHead, WidthsBoth} {
		b.Run("index/widths="+string(widths), func(b *testing.B) {
			for b.Loop() {
				NewFlameIndex(tr, Options{Unit: "auto"}, widths)
			}
		})
		x := NewFlameIndex(tr, Options{Unit: "auto"}, widths)
		b.Run("window/widths="+string(widths), func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Window(Window{Width: 1600}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFlame(b *testing.B) {
	x := benchIndex(b)
	total := x.v.Total[0]
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			NewFlameIndex(x.t, Options{Unit: "auto"}, WidthsHead)
		}
		b.ReportMetric(float64(x.t.NumNodes()), "nodes")
	})
	for _, bm := range []struct {
		name string
		w    Window
	}{
		{"all", Window{Width: 1600}},
		{"zoomed", Window{From: total / 3, To: total/3 + max(total/1000, 1), Width: 1600}},
	} {
		w, err := x.Window(bm.w)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("window="+bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Window(bm.w); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(w.Nodes.ID)), "nodes")
		})
		b.Run("json="+bm.name, func(b *testing.B) {
			b.ReportAllocs()
			var text []byte
			for b.Loop() {
				text, _ = json.Marshal(w)
			}
			b.SetBytes(int64(len(text)))
			var z bytes.Buffer
			zw := gzip.NewWriter(&z)
			zw.Write(text)
			zw.Close()
			b.ReportMetric(float64(z.Len()), "gzipped-B")
		})
	}
	for name, expr := range map[string]string{"one": `Function123$`, "all": `.`, "many": `7$`} {
		re := regexp.MustCompile(expr)
		b.Run("search="+name, func(b *testing.B) {
			for b.Loop() {
				x.Search(re, 500)
			}
		})
	}
}
