package objective

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestObjectiveErrors: each case is one error, at line:column of the text.
func TestObjectiveErrors(t *testing.T) {
	const head = "[[objective]]\nbenchmark = \"Parse\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "[[objective]]\nbenchmark = \n", "2:13: "},
		{"duplicate key", head + "benchmark = \"B\"\n", "3:1: "},
		{"unknown key", head + "metric = \"ns/op\"\nmaximum = 3\nmax = 4\n", `4:1: unknown key "maximum"; an objective has name, package, benchmark,`},
		{"dotted key", head + "metric = \"ns/op\"\nmax.value = 3\nmin = 4\n", `4:1: unknown key "max.value"`},
		{"unknown table", "[settings]\na = 1\n", `1:2: unknown table "settings"; want [[objective]]`},
		{"one bracket", "[objective]\nbenchmark = \"B\"\n", "1:2: write [[objective]], with two brackets"},
		{"array", "objective = [{metric = \"ns/op\"}]\n", "1:1: write each objective as a table"},
		{"outside", "metric = \"ns/op\"\n", `1:1: key "metric" is outside an [[objective]] table`},
		{"no metric", head + "max = 3\n", "1:3: the objective has no metric"},
		{"no benchmark", "[[objective]]\nmetric = \"ns/op\"\nmax = 3\n", "1:3: the objective has no benchmark"},
		{"no bound", head + "metric = \"ns/op\"\n", "1:3: the objective has no bound"},
		{"bad regexp", "[[objective]]\nbenchmark = \"Parse(\"\nmetric = \"ns/op\"\nmax = 3\n", "2:13: benchmark: missing closing ): `Parse(`"},
		{"not a string", head + "metric = 5\nmax = 3\n", "3:10: metric: want a string in quotes"},
		{"empty string", head + "metric = \"\"\nmax = 3\n", "3:10: metric: the string is empty"},
		{"unknown unit", head + "metric = \"ns/op\"\nmax = \"5 parsec\"\n", `4:7: max: unknown unit "parsec"; want one of %`},
		{"wrong dimension", head + "metric = \"B/op\"\nmax = \"5ms\"\n", `4:7: max: "5ms" is a time, but B/op is a number of bytes`},
		{"percent of time", head + "metric = \"ns/op\"\nmin = \"5%\"\n", `4:7: min: "5%" is a percentage, but ns/op is a time`},
		{"no number", head + "metric = \"ns/op\"\nmax = \"fast\"\n", `4:7: max: "fast" does not begin with a number`},
		{"bound is a list", head + "metric = \"ns/op\"\nmax = [3]\n", "max: want a number, or a string with a unit"},
		{"max below min", head + "metric = \"ns/op\"\nmax = 3\nmin = 5\n", "4:7: max 3 is below min 5"},
		{"budget is a number", head + "metric = \"ns/op\"\nbudget = 0.03\n", `4:10: budget: want a percentage, such as "3%"`},
		{"budget too large", head + "metric = \"ns/op\"\nbudget = \"300%\"\n", "4:10: budget 300% is out of range: use 0 % to 100 %"},
		{"budget of unknown unit", head + "metric = \"widgets\"\nbudget = \"3%\"\n", "4:10: budget: whether more widgets is worse is unknown"},
		{"share without profile", head + "metric = \"share\"\nfunction = \"f\"\nmax = \"3%\"\n", `3:10: metric "share" comes from a profile: name it`},
		{"share without function", head + "metric = \"share\"\nprofile = \"cpu\"\nmax = \"3%\"\n", `3:10: metric "share" needs a function`},
		{"share as a number", head + "metric = \"share\"\nprofile = \"cpu\"\nfunction = \"f\"\nmax = 0.1\n", `6:7: max: write a share with a percent sign`},
		{"bad function", head + "metric = \"share\"\nprofile = \"cpu\"\nfunction = \"[\"\nmax = \"3%\"\n", "5:12: function: missing closing ]: `[`"},
		{"function of a benchmark", head + "metric = \"ns/op\"\nfunction = \"f\"\nmax = 3\n", `4:12: function goes with the metrics "share" and "total/op" only`},
		{"budget of a profile", head + "metric = \"total/op\"\nprofile = \"mem\"\nmax = 3\nbudget = \"3%\"\n", "6:10: budget: a profile is a sample of one run"},
		{"percent of a total", head + "metric = \"total/op\"\nprofile = \"mem\"\nmax = \"3%\"\n", `5:7: max: "3%" is a percentage, but total/op is an amount`},
		{"flat is a string", head + "metric = \"share\"\nprofile = \"cpu\"\nfunction = \"f\"\nflat = \"yes\"\nmax = \"3%\"\n", "6:8: flat: want true or false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Parse("hone.toml", []byte(c.text))
			if err == nil {
				t.Fatalf("no error, but %+v", o)
			}
			var at *Error
			if !errors.As(err, &at) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("want one Error, not %v", err)
			}
			if got := err.Error(); !strings.HasPrefix(got, "hone.toml:"+c.want) && !(c.name == "bound is a list" && strings.Contains(got, c.want)) {
				t.Errorf("error %q\nwant  %q", got, "hone.toml:"+c.want)
			}
		})
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	text := "[[objective]]\nbenchmark = \"(\"\nmetric = \"ns/op\"\nmax = 1\n[[objective]]\nbenchmark = \"B\"\nmetric = \"B/op\"\nmax = \"1s\"\nlimit = 3\n"
	_, err := Parse("f", []byte(text))
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("want three lines of errors:\n%v", err)
	}
}

// manualObjectives returns the example of doc/objectives.md.
func manualObjectives(t *testing.T) []Objective {
	t.Helper()
	page, err := os.ReadFile("../../../doc/objectives.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```toml\n")
	example, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("doc/objectives.md has no toml block")
	}
	o, err := Parse("hone.toml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// profilesOf answers for profiles by a table.
type profilesOf map[string]Quantity

func (p profilesOf) ProfileValue(pkg, benchmark string, m ProfileMetric) (Quantity, error) {
	q, ok := p[benchmark+"/"+m.Kind]
	if !ok {
		return Quantity{}, ErrNoProfile
	}
	return q, nil
}

func TestEvaluate(t *testing.T) {
	objectives := manualObjectives(t)
	named := func(name, unit string, base, head []float64) experiment.Series {
		s := blocksOf(unit, base, head)
		s.Benchmark = name
		return s
	}
	series := []experiment.Series{
		named("ParseShort-2", "ns/op", around(440, .01, 10), around(450, .01, 10)),
		named("ParseLong-2", "ns/op", around(900, .01, 10), around(1200, .01, 10)),
		named("ParseShort-2", "allocs/op", same(0, 10), same(0, 10)),
		named("ParseLong-2", "allocs/op", same(0, 10), same(2, 10)),
		named("GET/checkout", "p99-ns", around(2e6, .01, 10), around(2e6, .01, 10)),
	}
	opts := experiment.DefaultOptions()
	opts.Budget, opts.Gated = BudgetOf(objectives), GatedBy(objectives)
	first := compare(t, series, opts)
	family := first.Confirm(compare(t, series, opts))
	profiles := profilesOf{
		"ParseShort-2/cpu": {0.04, Fraction, ""}, "ParseLong-2/cpu": {0.31, Fraction, ""},
		"ParseShort-2/mem": {1 << 10, Bytes, ""},
	}
	var b strings.Builder
	for _, o := range Evaluate(objectives, series, family, profiles) {
		mark := "    "
		if o.Status.Fails() {
			mark = "FAIL"
		}
		fmt.Fprintf(&b, "%s %s\n", mark, o.Text)
	}
	golden := filepath.Join("testdata", "evaluate.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestBounds: a bound is missed only when all of the interval is beyond it.
func TestBounds(t *testing.T) {
	parse := func(bound string) []Objective {
		o, err := Parse("f", []byte("[[objective]]\nbenchmark = \"^B$\"\nmetric = \"ns/op\"\n"+bound+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for _, c := range []struct {
		bound  string
		values []float64
		want   Status
	}{
		{"max = 500", around(450, .05, 10), Met},
		{"max = 500", around(600, .05, 10), Missed},
		{"max = 500", around(540, .25, 10), Uncertain},
		{"max = 500", []float64{501, 502, 503}, Missed}, // too few for an interval
		{`max = "0.5us"`, around(600, .05, 10), Missed},
		{`max = "1 µs"`, around(600, .05, 10), Met},
		{"min = 500", around(450, .05, 10), Missed},
		{"min = 500", around(600, .05, 10), Met},
		{"min = 1e3", around(600, .05, 10), Missed},
		{"max = 1_000", around(600, .05, 10), Met},
		{`budget = "3%"`, nil, NoData},
	} {
		s := blocksOf("ns/op", nil, c.values)
		var family *experiment.Family
		if c.values == nil {
			family = compare(t, nil, experiment.DefaultOptions())
		}
		out := Evaluate(parse(c.bound), []experiment.Series{s}, family, nil)
		if len(out) != 1 || out[0].Status != c.want {
			t.Errorf("%s of %v: %+v, want %v", c.bound, c.values, out, c.want)
		}
	}
	if out := Evaluate(parse(`budget = "3%"`), []experiment.Series{blocksOf("ns/op", nil, same(5, 3))}, nil, nil); len(out) != 0 {
		t.Errorf("a budget without a base gives %+v", out)
	}
}

func TestGatedBy(t *testing.T) {
	o, err := Parse("f", []byte("[[objective]]\nbenchmark = \"B\"\nmetric = \"MB/s\"\nbudget = \"3%\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if GatedBy(nil)("MB/s") || !GatedBy(nil)("ns/op") || !GatedBy(o)("MB/s") {
		t.Error("MB/s is gated exactly if it has a budget")
	}
}

func FuzzObjectives(f *testing.F) {
	f.Add("[[objective]]\nbenchmark = \"B\"\nmetric = \"ns/op\"\nmax = \"3ms\"\n")
	f.Add("[[objective]]\nmax = {a = 1}\n[x.y]\n'a' = 1979-05-27\n")
	f.Fuzz(func(t *testing.T, text string) {
		objectives, err := Parse("f", []byte(text))
		if err != nil {
			return
		}
		for _, o := range objectives {
			if o.Benchmark == nil || o.Metric == "" || o.Max == nil && o.Min == nil && o.Budget == nil {
				t.Errorf("accepted %+v", o)
			}
		}
	})
}

// TestObjectivesOfWindows: a byte order mark is skipped, and UTF-16 is named.
func TestObjectivesOfWindows(t *testing.T) {
	const text = "[[objective]]\r\nbenchmark = \".\"\r\nmetric = \"ns/op\"\r\nbudget = \"5%\"\r\n"
	if all, err := Parse("hone.toml", []byte("\ufeff"+text)); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := Parse("hone.toml", []byte("\xff\xfe[\x00")); err == nil || err.Error() != "hone.toml:1:1: "+infile.ErrUTF16.Error() {
		t.Errorf("UTF-16: %v", err)
	}
}

// TestQuantity: numbers have the unit that people write, once.
func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		tidied float64
		metric string
		want   string
	}{
		{7.37e-6, "ns/op", "7.37µs/op"},
		{0.040321023, "p99-ns", "40.32ms p99"},
		{0.0012, "cpu-ns/op", "1.2ms/op cpu"},
		{2.5e-7, "user+sys-ns/op", "250ns/op user+sys"},
		{872, "B/op", "872B/op"},
		{1 << 20, "peak-RSS-bytes", "1MiB peak-RSS"},
		{12.3e6, "MB/s", "12.3MB/s"},
		{2702, "allocs/op", "2702 allocs/op"},
		{0, "ns/op", "0s/op"},
		{150, "req/s", "150 req/s"},
	} {
		if got := quantity(c.tidied, c.metric); got != c.want {
			t.Errorf("%v of %s: %q, want %q", c.tidied, c.metric, got, c.want)
		}
	}
	for _, c := range [][3]string{{"100µs", "ns/op", "100µs"}, {"20000", "ns/op", "20µs/op"}, {"0", "allocs/op", "0"}, {"4096", "B/op", "4KiB/op"}, {"3", "allocs/op", "3"}} {
		o, err := Parse("hone.toml", []byte("[[objective]]\nbenchmark = \".\"\nmetric = \""+c[1]+"\"\nmax = "+map[bool]string{true: "\"" + c[0] + "\"", false: c[0]}[strings.HasSuffix(c[0], "s")]+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := o[0].Max.shown(c[1]); got != c[2] {
			t.Errorf("bound %s of %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
