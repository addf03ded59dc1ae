package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

var updateGolden = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

func runs(t *testing.T, texts ...string) []*profile.Profile {
	t.Helper()
	var ps []*profile.Profile
	for _, text := range texts {
		ps = append(ps, folded(t, text))
	}
	return ps
}

func TestDiffComparesOperations(t *testing.T) {
	// Profiled for as long: an operation costs a tenth of what it did.
	base, head := runs(t, "op;slow 90\nop;rest 10\n"), runs(t, "op;rest 270\n")
	d, err := NewDiff(t.Context(), base, head, DefaultOptions(), Scaling{Normalize: true, BaseTotal: 10})
	if err != nil {
		t.Fatal(err)
	}
	if d.BaseTotal != 100 || d.HeadTotal != 270 || d.Compared != 2700 {
		t.Errorf("totals %d, %d, compared %d", d.BaseTotal, d.HeadTotal, d.Compared)
	}
	for _, r := range d.Rows {
		if want := map[string]int64{"slow": -2430, "rest": 0}[r.Name]; r.Flat.Delta != want {
			t.Errorf("%s: %+d, want %+d", r.Name, r.Flat.Delta, want)
		}
	}
	p, err := Subtract(t.Context(), head[0], base[0], true, Scaling{Normalize: true, BaseTotal: 10})
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, v := range p.Values[0] {
		sum += v
	}
	if sum != 270-2700 { // as above
		t.Errorf("head minus base is %d", sum)
	}
	tree, err := profile.NewDiffTree(base[0], head[0], profile.TreeOptions{Normalize: true, BaseTotal: 10})
	if err != nil || tree.Values[0].BaseScale != 27 {
		t.Errorf("tree: %v, %v", tree, err)
	}
}

func TestDiffText(t *testing.T) {
	base := runs(t, "main;parse 40\nmain;old 10\nmain 950\n")
	head := runs(t, "main;parse 60\nmain;fresh 30\nmain 950\n")
	var b bytes.Buffer
	for _, normalize := range []bool{false, true} {
		for _, sort := range []string{"flat", "cum"} {
			o := DefaultOptions()
			o.Sort = sort
			d, err := NewDiff(t.Context(), base, head, o, Scaling{Normalize: normalize})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			b.WriteString("\n")
		}
	}
	golden(t, "diff.txt", b.String())
}

// With callees, every caller has the change of what it calls.
func TestDiffCauseFirst(t *testing.T) {
	base := runs(t, "main;handle;price;round 10\nmain;handle;price 10\nmain;handle 300\nmain;handle;log 20\nmain 600\n")
	head := runs(t, "main;handle;price;round 40\nmain;handle;price 60\nmain;handle 300\nmain;handle;log 30\nmain 600\n")
	o := DefaultOptions()
	o.Sort = "cum"
	d, err := NewDiff(t.Context(), base, head, o, Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range d.Rows {
		names = append(names, r.Name)
	}
	if got, want := strings.Join(names, " "), "price round handle main log"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDiffSignificance(t *testing.T) {
	var base, head []string
	for i := range 8 {
		base = append(base, fmt.Sprintf("main;steady %d\nmain;slower %d\n", 500+i*7%5, 100+i))
		head = append(head, fmt.Sprintf("main;steady %d\nmain;slower %d\n", 500+i*3%5, 150+i))
	}
	d, err := NewDiff(t.Context(), runs(t, base...), runs(t, head...), DefaultOptions(), Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Tested != 2 || d.Rows[0].Name != "slower" || !d.Rows[0].Test.Significant {
		t.Errorf("got %+v", d)
	}
	// All of 8 above all of 8 others: 2 of C(16, 8) orders are as extreme.
	if p := d.Rows[0].Test.P; math.Abs(p-2.0/12870) > 1e-12 {
		t.Errorf("p = %g", p)
	}
	for _, row := range d.Rows[1:] {
		if row.Test.Significant {
			t.Errorf("%s is significant", row.Name)
		}
	}
}

func TestDiffWarnings(t *testing.T) {
	many := func(n, scale int) []*profile.Profile {
		var texts []string
		for i := range n {
			text := ""
			for f := range 20 {
				text += fmt.Sprintf("main;f%d %d\n", f, scale*100+i)
			}
			texts = append(texts, text)
		}
		return runs(t, texts...)
	}
	for _, tt := range []struct {
		base, head []*profile.Profile
		want       string
	}{
		{many(1, 1), many(1, 1), "one run per side"},
		{many(2, 1), many(9, 1), "2 and 9 runs: too few"},
		{many(4, 1), many(4, 1), "p is at least 0.029, and of 20 functions tested none can be significant after Holm's correction; compare at least 6 runs"},
		{many(1, 1), many(1, 3), "the totals differ by a factor of 3"},
	} {
		d, err := NewDiff(t.Context(), tt.base, tt.head, DefaultOptions(), Scaling{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(d.Warnings, "\n"), tt.want) {
			t.Errorf("got %q, want %q", d.Warnings, tt.want)
		}
	}
}

func TestDiffFormats(t *testing.T) {
	d, err := NewDiff(t.Context(), runs(t, "a;b 10\n"), runs(t, "a;b 20\na;c 5\n"), DefaultOptions(), Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var back Diff
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Rows) != 2 || *back.Rows[0].Flat.Relative != 1 || !back.Rows[1].New || back.Rows[1].Flat.Relative != nil {
		t.Errorf("got %+v", back)
	}
	b.Reset()
	if err := d.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(records) != 3 || records[1][0] != "b" || records[1][6] != "10" {
		t.Errorf("got %q, %v", records, err)
	}
}

func TestDiffErrors(t *testing.T) {
	a := runs(t, "a 1\n")
	for _, tt := range []struct {
		base, head []*profile.Profile
		o          Options
		want       string
	}{
		{nil, a, Options{}, "nothing to compare"},
		{a, a, Options{Granularity: "bits"}, "unknown granularity"},
		{a, a, Options{SampleIndex: "cpu"}, `sample_index "cpu"`},
		{runs(t, "a 1 2\n"), a, Options{}, "profile 1 of 2 has no sample type samples"},
	} {
		if _, err := NewDiff(t.Context(), tt.base, tt.head, tt.o, Scaling{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}

// Exact values are counts of orders out of C(n+m, n). With ties U = 2.5 of 16,
// the variance is 16/12·(9 − 36/56) and z = (5.5 − 0.5)/3.338 = 1.498.
func TestMannWhitney(t *testing.T) {
	for _, tt := range []struct {
		name string
		x, y []float64
		want float64
	}{
		{"separated 4 and 4", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70},
		{"separated 3 and 5", []float64{1, 2, 3}, []float64{5, 6, 7, 8, 9}, 2.0 / 56},
		{"one overlap", []float64{1, 2, 3, 5}, []float64{4, 6, 7, 8}, 4.0 / 70},
		{"interleaved", []float64{1, 3, 5, 7}, []float64{2, 4, 6, 8}, 48.0 / 70},
		{"all equal", []float64{2, 2, 2, 2}, []float64{2, 2, 2, 2}, 1},
		{"ties", []float64{1, 2, 2, 3}, []float64{2, 3, 4, 4}, 0.1341692},
	} {
		for _, swapped := range []bool{false, true} {
			x, y := tt.x, tt.y
			if swapped {
				x, y = y, x
			}
			if got := mannWhitney(x, y); math.Abs(got-tt.want) > 1e-6 {
				t.Errorf("%s: p = %.7f, want %.7f", tt.name, got, tt.want)
			}
		}
	}
}

// TestMannWhitneyBrute compares the exact test with counting all orders.
func TestMannWhitneyBrute(t *testing.T) {
	const n, m = 4, 5
	var us []int
	for set := range 1 << (n + m) {
		u, ys, xs := 0, 0, 0
		for i := range n + m {
			if set>>i&1 == 1 {
				xs++
				u += ys
			} else {
				ys++
			}
		}
		if xs == n {
			us = append(us, u)
		}
	}
	for u := range n*m + 1 {
		below := 0
		for _, v := range us {
			if v <= min(u, n*m-u) {
				below++
			}
		}
		want := min(2*float64(below)/float64(len(us)), 1)
		if got := exactP(u, n, m); math.Abs(got-want) > 1e-12 {
			t.Errorf("u = %d: p = %g, want %g", u, got, want)
		}
	}
}

func TestHolm(t *testing.T) {
	tests := []*DiffTest{{P: 0.03}, {P: 0.01}, {P: 0.04}, {P: 0.005}}
	adjust(tests)
	for i, want := range []float64{0.06, 0.03, 0.06, 0.02} {
		if got := tests[i]; math.Abs(got.Holm-want) > 1e-12 || got.Significant != (want < 0.05) {
			t.Errorf("p = %g: adjusted to %g, want %g", got.P, got.Holm, want)
		}
	}
}

func TestDiffInShort(t *testing.T) {
	repeated := func(text string) []*profile.Profile {
		return runs(t, text, text+"a;b 1\n", text+"a;b 2\n", text+"a;b 3\n")
	}
	for _, tt := range []struct {
		name       string
		base, head []*profile.Profile
		chance     Chance
		normalize  bool
		basis      string
		rows       string // that are named
		changed    int
		total      string // "", noise or changed
	}{
		{"nothing is known", runs(t, "x 1000\ny 1000\n"), runs(t, "x 1100\ny 2000\n"), Chance{}, false, "", "y x", 0, ""},
		{"samples", runs(t, "x 1000\ny 1000\n"), runs(t, "x 1010\ny 2000\n"), Chance{Event: 1, BaseEvent: 1}, false, "samples", "y", 1, "changed"},
		{"few samples", runs(t, "x 10\ny 10\n"), runs(t, "x 11\ny 12\n"), Chance{Event: 1, BaseEvent: 1}, false, "samples", "", 0, "noise"},
		{"shares", runs(t, "x 1000\ny 1000\n"), runs(t, "x 1010\ny 2000\n"), Chance{Event: 1, BaseEvent: 1}, true, "samples", "x y", 2, ""},
		{"four are named two", runs(t, "x 1000\n"), runs(t, "u 900\nv 800\nw 700\n"), Chance{Event: 1, BaseEvent: 1}, false, "samples", "x u", 4, "changed"},
		{"runs", repeated("x 1000\n"), repeated("x 2000\n"), Chance{}, false, "runs", "x", 1, "changed"},
		{"runs that don't differ", repeated("x 1000\n"), repeated("x 1000\n"), Chance{}, false, "runs", "", 0, "noise"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := NewDiff(t.Context(), tt.base, tt.head, DefaultOptions(), Scaling{Normalize: tt.normalize})
			if err != nil {
				t.Fatal(err)
			}
			d.Judge(&tt.chance)
			short := d.InShort(2)
			var names []string
			for _, r := range short.Rows {
				names = append(names, r.Name)
			}
			total := ""
			if short.Total != nil {
				total = map[bool]string{true: "noise", false: "changed"}[short.Total.Noise]
			}
			if rows := strings.Join(names, " "); rows != tt.rows || short.Changed != tt.changed || short.Basis != tt.basis || total != tt.total {
				t.Errorf("%s, %d changed by %q, total %q", rows, short.Changed, short.Basis, total)
			}
		})
	}
}

// TestDiffInterval checks that rows have the interval that judges them.
func TestDiffInterval(t *testing.T) {
	d, err := NewDiff(t.Context(), runs(t, "x 1000\ny 10\n"), runs(t, "x 2000\ny 12\nz 100\n"), DefaultOptions(), Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	d.Judge(&Chance{})
	for _, r := range d.Rows {
		if r.Flat.Interval != nil {
			t.Errorf("%s has the interval %+v, but nothing tells it", r.Name, r.Flat.Interval)
		}
	}
	d.Judge(&Chance{Event: 1, BaseEvent: 1})
	// The square root of the events of both sides, times 1.96, is half of the width of x's.
	want := map[string]string{"x": "[+893, +1108]", "z": "[+82, +122]", "y": "[-8, +12]"}
	for _, r := range d.Rows {
		in := r.Flat.Interval
		if in == nil || in.Text != want[r.Name] || (in.Low <= 0 && in.High >= 0) != r.Noise.Flat {
			t.Errorf("%s: %+v, want %s; noise: %+v", r.Name, in, want[r.Name], r.Noise)
		}
	}
}

// Nothing falls by more than all of it, however few events there are.
func TestDiffMarginEnds(t *testing.T) {
	d, err := NewDiff(t.Context(), runs(t, "x 70\n"), runs(t, "x 1\n"), DefaultOptions(), Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	d.Judge(&Chance{Event: 20, BaseEvent: 20})
	if m := d.Total.Margin; m == nil || m.Low != -100 || m.High <= m.Low {
		t.Errorf("%+v", m)
	}
}

// In a sentence, a change has the unit that fits it, like the totals beside it. A table has one unit.
func TestDiffInShortUnits(t *testing.T) {
	side := func(f, g int64) []*profile.Profile {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		for name, v := range map[string]int64{"f": f, "g": g} {
			at := b.Location(0, 0, profile.Line{Function: b.Function(name, name, "", 0)})
			b.Sample([]uint32{at}, nil, v)
		}
		return []*profile.Profile{b.Profile()}
	}
	d, err := NewDiff(t.Context(), side(3e9, 10e6), side(1550e6, 60e6), DefaultOptions(), Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	table := d.Rows[0].Flat.DeltaText
	if got := d.InShort(2).Rows; got[0].Flat.DeltaText != "-1.45s" || got[1].Flat.DeltaText != "+50ms" {
		t.Errorf("got %s and %s", got[0].Flat.DeltaText, got[1].Flat.DeltaText)
	}
	if table != "-1450ms" || d.Rows[0].Flat.DeltaText != table {
		t.Errorf("the table has %s, then %s", table, d.Rows[0].Flat.DeltaText)
	}
}

// A function that only calls what changed isn't a change of its own: its callee is named, and it as its caller.
func TestDiffCauses(t *testing.T) {
	for _, tt := range []struct {
		name, base, head string
		rows             string // of the table
		short            string // a row and its callers
	}{
		{"a chain", "a/x.handle;a/x.post;a/x.append 100\n", "a/x.handle;a/x.post;a/x.append 300\n",
			"a/x.append a/x.post a/x.handle", "a/x.append<a/x.post<a/x.handle"},
		{"what isn't yours is how the cost comes about", "a.b/x.post;a.b/x.append;sync.(*Mutex).Lock 100\n", "a.b/x.post;a.b/x.append;sync.(*Mutex).Lock 300\n",
			"sync.(*Mutex).Lock a.b/x.append a.b/x.post", "a.b/x.append<a.b/x.post"},
		{"callers that aren't yours", "net/http.serve;a.b/x.append 100\n", "net/http.serve;a.b/x.append 300\n", "a.b/x.append net/http.serve", "a.b/x.append"},
		{"two causes", "a/x.handle;a/x.f 100\na/x.handle;a/x.g 100\n", "a/x.handle;a/x.f 300\na/x.handle;a/x.g 280\n",
			"a/x.handle a/x.f a/x.g", "a/x.handle a/x.f a/x.g"},
		{"a caller of several", "a/x.m;a/x.l;a/x.f 100\na/x.n;a/x.f 50\n", "a/x.m;a/x.l;a/x.f 400\na/x.n;a/x.f 250\n",
			"a/x.f a/x.l a/x.m a/x.n", "a/x.f<a/x.l<a/x.m<a/x.n"},
		{"what moved", "a/x.m;a/x.f 300\n", "a/x.m;a/x.g 280\n", "a/x.f a/x.g a/x.m", "a/x.f a/x.g"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := DefaultOptions()
			o.Sort = "cum"
			d, err := NewDiff(t.Context(), runs(t, tt.base), runs(t, tt.head), o, Scaling{})
			if err != nil {
				t.Fatal(err)
			}
			d.Judge(&Chance{Event: 1, BaseEvent: 1})
			var rows, short []string
			for _, r := range d.Rows {
				rows = append(rows, r.Name)
			}
			for _, r := range d.InShort(3).Rows {
				short = append(short, strings.Join(append([]string{r.Name}, r.Callers...), "<"))
			}
			if strings.Join(rows, " ") != tt.rows || strings.Join(short, " ") != tt.short {
				t.Errorf("rows %q, in short %q", rows, short)
			}
		})
	}
}
