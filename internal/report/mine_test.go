package report

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

const shop = `net/http.(*conn).serve;main.get;encoding/json.Marshal;runtime.mallocgc 40
net/http.(*conn).serve;main.get;main.find;regexp.MustCompile;runtime.mallocgc 30
net/http.(*conn).serve;main.get;main.find 5
net/http.(*conn).serve;bufio.(*Reader).Peek 10
runtime.gcBgMarkWorker;runtime.gcDrain 10
runtime.mcall;runtime.schedule 5
`

func TestMine(t *testing.T) {
	for _, tt := range []struct {
		what string
		o    func(*Options)
		want string // flat, cum, name
		warn string
	}{
		{"your code", func(*Options) {}, `40 40 main.get via encoding/json.Marshal
30 30 main.find via regexp.MustCompile
10 10 library: net/http
10 10 runtime: garbage collection
5 35 main.find
5 5 runtime: scheduler
0 75 main.get
`, ""},
		{"focus finds what is folded", func(o *Options) { o.Focus = "mallocgc" }, `40 40 main.get via encoding/json.Marshal
30 30 main.find via regexp.MustCompile
0 30 main.find
0 70 main.get
`, ""},
		{"focus finds what stands for it", func(o *Options) { o.Focus = `^main\.find via regexp\.MustCompile$` }, `30 30 main.find via regexp.MustCompile
0 30 main.find
0 30 main.get
`, ""},
		{"ignore as well", func(o *Options) { o.Ignore = "mallocgc|^library|runtime: scheduler" }, `10 10 runtime: garbage collection
5 5 main.find
0 5 main.get
`, ""},
		{"hide takes what is seen", func(o *Options) { o.Hide = "mallocgc|^main.get" }, `30 30 main.find via regexp.MustCompile
10 10 library: net/http
10 10 runtime: garbage collection
5 35 main.find
5 5 runtime: scheduler
`, ""},
		{"another set", func(o *Options) { o.Mine = `^encoding/json\.` }, `45 45 library: net/http
40 40 encoding/json.Marshal via runtime.mallocgc
10 10 runtime: garbage collection
5 5 runtime: scheduler
0 40 encoding/json.Marshal
`, ""},
		{"nobody's", func(o *Options) { o.Mine = "nobody" }, `85 85 library: net/http
10 10 runtime: garbage collection
5 5 runtime: scheduler
`, "No stack has a frame of your code; tell hone which functions are yours with -mine=REGEXP"},
	} {
		o := DefaultOptions()
		o.Mine, o.Trim = MineModule, false
		tt.o(&o)
		warned := ""
		r, err := New(folded(t, shop), "top", "", o, Env{Warn: func(w Warning) { warned += w.Text }})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, row := range r.Top().Rows {
			b.WriteString(row.Flat.Text + " " + row.Cum.Text + " " + row.Name + "\n")
		}
		if b.String() != tt.want || warned != tt.warn {
			t.Errorf("%s: got\n%s%swant\n%s", tt.what, b.String(), warned, tt.want)
		}
		q, err := Select(folded(t, shop), o, Env{})
		if err != nil || q.NumSamples() != r.prof.NumSamples() {
			t.Errorf("%s: a flame graph is of %d samples and not of %d, %v", tt.what, q.NumSamples(), r.prof.NumSamples(), err)
		}
	}
	o := DefaultOptions()
	o.Mine = "("
	if _, err := New(folded(t, shop), "top", "", o, Env{}); err == nil || !strings.Contains(err.Error(), "parsing mine regexp") {
		t.Error(err)
	}
}

// TestMineLabelFrames: frames made of labels are nobody's code and stay.
func TestMineLabelFrames(t *testing.T) {
	o := DefaultOptions()
	o.Mine, o.TagRoot = MineModule, "zone"
	q, err := Select(profile.WithLabel(folded(t, shop), "zone", "eu"), o, Env{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Folded(&b, tree(t, nil, q, profile.TreeOptions{}), 0); err != nil {
		t.Fatal(err)
	}
	if want := "eu;main.get;main.find;main.find via regexp.MustCompile 30\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// TestMineCompared: with -diff_base, and in a comparison of two sides.
func TestMineCompared(t *testing.T) {
	o := DefaultOptions()
	o.Mine = MineModule
	base, head := folded(t, shop), folded(t, strings.ReplaceAll(shop, "regexp.MustCompile;runtime.mallocgc 30", "regexp.MustCompile 10"))
	both, err := profile.Merge(head, profile.Scale(profile.WithLabel(base, baseLabel, "true"), -1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(both, "top", "", o, Env{})
	if err != nil {
		t.Fatal(err)
	}
	const call = "main.find via regexp.MustCompile"
	if rows := r.Top().Rows; r.Total() != 100 || rows[0].Name != call || rows[0].Flat.Value != -20 {
		t.Errorf("of %d, %+v", r.Total(), rows[0])
	}
	sides := []*profile.Profile{base, head}
	for i, p := range sides {
		if sides[i], err = Select(p, o, Env{}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := NewDiff(t.Context(), sides[:1], sides[1:], o, Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Rows) != 1 || d.Rows[0].Name != call || d.Rows[0].Flat.Base != 30 || d.Rows[0].Flat.Head != 10 {
		t.Errorf("%+v", d.Rows)
	}
}

// TestMineListing: a line's own value is what it costs, whoever spends it.
func TestMineListing(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
	line := func(name string, n int64) profile.Line {
		return profile.Line{Function: b.Function(name, name, "/src/f.go", 1), Line: n}
	}
	for _, inlines := range []bool{false, true} {
		caller := b.Location(1, 0, line("main.f", 2))
		b.Sample([]uint32{b.Location(2, 0, line("strings.Repeat", 9)), caller}, nil, 3)
		b.Sample([]uint32{b.Location(3, 0, line("strings.Clone", 8), line("main.f", 3))}, nil, 4)
		o := DefaultOptions()
		o.Mine, o.Granularity, o.NoInlines = MineModule, "lines", !inlines
		r, err := New(b.Profile(), "list", "main", o, Env{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, row := range r.Top().Rows {
			got += row.Flat.Text + " " + row.Name + "\n"
		}
		if want := "4 main.f /src/f.go:3\n3 main.f /src/f.go:2\n"; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		b = profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
	}
}

// TestMineGolden writes reports of a server's profile, a real one.
func TestMineGolden(t *testing.T) {
	data, err := os.ReadFile("../../testdata/cpu.http-server.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, command := range []string{"top", "peek"} {
		o := DefaultOptions()
		o.Mine = MineModule
		if err := Generate(&b, p, command, "inventory", o, Env{}); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "mine.txt", b.String())
}

// BenchmarkMine makes reports of a large profile of which a tenth is yours, with and
// without folding the rest. "ratio" is how much longer the first takes: less than 1
// where a report of fewer frames makes up for finding them.
func BenchmarkMine(b *testing.B) {
	p := benchProfile(b)
	for _, command := range []string{"top", "dot"} {
		b.Run(command, func(b *testing.B) {
			var times [2]time.Duration
			run := func(mine string) time.Duration {
				start := time.Now()
				o := DefaultOptions()
				o.Mine = mine
				r, err := New(p, command, "", o, Env{})
				if err != nil {
					b.Fatal(err)
				}
				graphOf(r, command == "dot")
				return time.Since(start)
			}
			mine := `/pkg\d\.`
			if os.Getenv("HONE_BENCH_PROFILE") != "" {
				mine = MineModule
			}
			for b.Loop() {
				times[0] += run("")
				times[1] += run(mine)
			}
			b.ReportMetric(float64(times[1])/float64(times[0]), "ratio")
			b.ReportMetric(float64(times[1].Milliseconds())/float64(b.N), "ms-mine")
		})
	}
}
