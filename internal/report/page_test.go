package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

func newReport(t testing.TB, p *profile.Profile, command, param string, change ...func(*Options)) *Report {
	t.Helper()
	o := DefaultOptions()
	for _, f := range change {
		f(&o)
	}
	r, err := New(p, command, param, o, Env{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTopPage(t *testing.T) {
	top := newReport(t, folded(t, "Main;parse 40\nMain;old 10\nMain 950\nother;PARSE 7\n"), "top", "", func(o *Options) { o.Trim = false }).Top()
	for _, tt := range []struct {
		page Page
		want string
		rows int
	}{
		{Page{}, "Main parse old PARSE other", 5},
		{Page{Limit: 2}, "Main parse", 5},
		{Page{Offset: 1, Limit: 2}, "parse old", 5},
		{Page{Offset: 4, Limit: 2}, "other", 5},
		{Page{Offset: 9}, "", 5},
		{Page{Find: "(?i)arse"}, "parse PARSE", 2},
		{Page{Find: "^pa|d$"}, "parse old", 2},
		{Page{Find: "(?i)ParsE", Order: "-cum"}, "parse PARSE", 2},
		{Page{Find: "parse|PARSE", Order: "cum", Limit: 1}, "PARSE", 2},
		{Page{Order: "name"}, "Main PARSE old other parse", 5},
		{Page{Order: "-name", Limit: 3}, "parse other old", 5},
		{Page{Order: "flat"}, "other PARSE old parse Main", 5},
		{Page{Order: "cum"}, "PARSE other old parse Main", 5}, // equal ones stay
		{Page{Find: "nothing"}, "", 0},
	} {
		got, rows, err := top.Page(tt.page)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range got.Rows {
			names = append(names, r.Name)
		}
		if text := strings.Join(names, " "); text != tt.want || rows != tt.rows {
			t.Errorf("%+v: got %q of %d, want %q of %d", tt.page, text, rows, tt.want, tt.rows)
		}
		roundTrip(t, got)
	}
	// The sum is that of the whole table.
	if got, _, _ := top.Page(Page{Offset: 1, Limit: 1}); got.Rows[0].Sum != top.Rows[1].Sum {
		t.Errorf("sum %+v", got.Rows[0].Sum)
	}
	for page, param := range map[Page]string{
		{Order: "flot"}: "order", {Order: "-"}: "order", {Offset: -1}: "offset", {Limit: -1}: "limit", {Order: "delta"}: "order",
	} {
		_, _, err := top.Page(page)
		var pe *ParamError
		if !errors.As(err, &pe) || pe.Param != param {
			t.Errorf("%+v: error %v, want one of %s", page, err, param)
		}
	}
	// Rows are the page's own.
	got, _, _ := top.Page(Page{})
	got.Rows[0].Name = "changed"
	if top.Rows[0].Name == "changed" {
		t.Error("the page shares its rows")
	}
}

// TestCallFlat checks what a call costs in the called function itself.
func TestCallFlat(t *testing.T) {
	p := folded(t, "main;f;g 5\nmain;f 3\nmain;h;g 2\nmain;f;g;k 7\nmain;f;g;f;g 1\n")
	tree, err := newReport(t, p, "tree", "", func(o *Options) { o.Trim = false }).Tree()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, row := range tree.Rows {
		for _, c := range row.Callees {
			got[row.Name+" "+c.Name] = c.Flat.Value
		}
		sum := int64(0)
		for _, c := range row.Callers {
			sum += c.Flat.Value
		}
		if len(row.Callers) > 0 && sum != row.Flat.Value {
			t.Errorf("%s itself has %d, by its callers %d", row.Name, row.Flat.Value, sum)
		}
	}
	if want := map[string]int64{"main f": 3, "main h": 0, "f g": 6, "h g": 2, "g k": 7, "g f": 0}; !maps.Equal(got, want) {
		t.Errorf("calls have %v, want %v", got, want)
	}
}

func TestTreePage(t *testing.T) {
	tree, err := newReport(t, folded(t, "a;b 5\na;c 3\n"), "tree", "").Tree()
	if err != nil {
		t.Fatal(err)
	}
	got, rows, err := tree.Page(Page{Order: "-cum", Limit: 1})
	if err != nil || rows != 3 || len(got.Rows) != 1 || got.Rows[0].Name != "a" || len(got.Rows[0].Callees) != 2 {
		t.Errorf("got %+v, %d, %v", got, rows, err)
	}
}

func TestTagsPage(t *testing.T) {
	tags := newReport(t, testProfile(t, "cpu.labels.pb.gz"), "tags", "").Tags()
	values := func(t *Tags) []string {
		var out []string
		for _, k := range t.Keys {
			for _, v := range k.Values {
				out = append(out, k.Key+":"+v.Value)
			}
		}
		return out
	}
	all := values(tags)
	if len(all) < 4 {
		t.Fatalf("only %v", all)
	}
	var joined []string
	for i := 0; i < len(all); i += 3 {
		page, rows, err := tags.Page(Page{Offset: i, Limit: 3})
		if err != nil || rows != len(all) {
			t.Fatalf("%d rows, %v", rows, err)
		}
		joined = append(joined, values(page)...)
		roundTrip(t, page)
	}
	if !slices.Equal(joined, all) {
		t.Errorf("got %v, want %v", joined, all)
	}
	if _, _, err := tags.Page(Page{Order: "name"}); err == nil {
		t.Error("tags were ordered")
	}
}

func TestDiffPage(t *testing.T) {
	d, err := NewDiff(t.Context(), runs(t, "m;parse 40\nm;old 10\nm 950\n"), runs(t, "m;parse 60\nm;fresh 30\nm 900\n"), DefaultOptions(), Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ order, want string }{
		{"", "m fresh parse old"},
		{"name", "fresh m old parse"},
		{"-delta", "fresh parse old m"},
		{"delta", "m old parse fresh"},
		{"relative", "old m parse fresh"},
		{"-relative", "fresh parse m old"},
		{"-size", "fresh old parse m"},
		{"-flat", "m parse fresh old"},
		{"-cum", "m parse fresh old"},
	} {
		got, rows, err := d.Page(Page{Order: tt.order})
		if err != nil || rows != 4 {
			t.Fatalf("%d rows, %v", rows, err)
		}
		var names []string
		for _, r := range got.Rows {
			names = append(names, r.Name)
		}
		if text := strings.Join(names, " "); text != tt.want {
			t.Errorf("by %q: got %q, want %q", tt.order, text, tt.want)
		}
	}
	row := d.Rows[0]
	if row.Flat.BaseText != "950" || row.Flat.HeadText != "900" || row.Flat.DeltaText != "-50" || d.Rows[1].Flat.DeltaText != "+30" ||
		d.BaseText != "1000" || d.HeadText != "990" {
		t.Errorf("texts %+v, %s, %s", row, d.BaseText, d.HeadText)
	}
	if got, rows, _ := d.Page(Page{Find: "^par"}); rows != 1 || got.Rows[0].Name != "parse" {
		t.Errorf("found %+v", got.Rows)
	}
	roundTrip(t, d)
}

// TestDiffPageSure checks that what chance explains doesn't come first, however large it is relatively.
func TestDiffPageSure(t *testing.T) {
	d, err := NewDiff(t.Context(), runs(t, "m;a 1000\nm 500\n"), runs(t, "m;a 2000\nm;b 30\nm 500\n"), DefaultOptions(), Scaling{})
	if err != nil {
		t.Fatal(err)
	}
	d.Judge(&Chance{Event: 10, BaseEvent: 10})
	for order, want := range map[string]string{"-relative": "b", "-size": "a"} {
		if got, _, err := d.Page(Page{Order: order, Limit: 1}); err != nil || got.Rows[0].Name != want {
			t.Errorf("by %s: first is %q, want %q, %v", order, got.Rows[0].Name, want, err)
		}
	}
}

func TestTracesPage(t *testing.T) {
	p := testProfile(t, "cpu.labels.pb.gz")
	r := newReport(t, p, "traces", "")
	var all []string
	r.Traces(func(tr *Trace) bool {
		all = append(all, fmt.Sprintf("%+v", *tr))
		return true
	})
	for _, limit := range []int{1, 7, 0} {
		var got []string
		for offset := 0; offset < len(all); offset += max(1, limit) {
			page, rows, err := r.TracesPage(Page{Offset: offset, Limit: limit})
			if err != nil || rows != len(all) {
				t.Fatalf("%d rows, want %d, %v", rows, len(all), err)
			}
			for _, tr := range page.Traces {
				got = append(got, fmt.Sprintf("%+v", tr))
			}
			roundTrip(t, page)
			if limit == 0 {
				break
			}
		}
		if !slices.Equal(got, all) {
			t.Errorf("limit %d: got %d traces, want %d", limit, len(got), len(all))
		}
	}
	if page, rows, err := r.TracesPage(Page{Offset: len(all) + 5, Limit: 10}); err != nil || rows != len(all) || len(page.Traces) != 0 {
		t.Errorf("behind the end: %+v, %v", page, err)
	}
	if _, _, err := r.TracesPage(Page{Offset: -1}); err == nil {
		t.Error("no error for a negative offset")
	}
	if _, _, err := r.TracesPage(Page{Order: "depth"}); err == nil {
		t.Error("no error for an order by what is no column")
	}

	// By cost: the same samples, and those of equal cost stay in the profile's order.
	costliest, _, err := r.TracesPage(Page{Order: "-value"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(costliest.Traces, func(a, b Trace) int { return cmp.Compare(b.Value.Value, a.Value.Value) }) {
		t.Error("not the costliest first")
	}
	var got []string
	for i := range costliest.Traces {
		got = append(got, fmt.Sprintf("%+v", costliest.Traces[i]))
	}
	if slices.Equal(got, all) {
		t.Error("the profile has its samples by cost: it tests nothing")
	}
	slices.Sort(got)
	slices.Sort(all)
	if !slices.Equal(got, all) {
		t.Error("by cost there are other samples")
	}
	second, _, err := r.TracesPage(Page{Order: "-value", Offset: 1, Limit: 1})
	if err != nil || fmt.Sprintf("%+v", second.Traces) != fmt.Sprintf("%+v", costliest.Traces[1:2]) {
		t.Errorf("the second page has %+v, %v", second, err)
	}

	// Of a comparison: the largest change first, in either direction.
	for i := range p.Values[0] {
		for c := range p.Values {
			if i%2 == 0 {
				p.Values[c][i] *= -1
			}
		}
	}
	largest, _, err := newReport(t, p, "traces", "").TracesPage(Page{Order: "-size"})
	if err != nil || !slices.IsSortedFunc(largest.Traces, func(a, b Trace) int { return compareAbs(a.Value.Value, b.Value.Value) }) {
		t.Errorf("not the largest change first, %v", err)
	}
}

func TestRawLines(t *testing.T) {
	broken := folded(t, "a;b 5\na;c 3\n")
	b := profile.NewBuilder(profile.ValueType{Type: "n", Unit: "count"})
	f := b.Function("two\nlines", "", "x", 1)
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: f}), b.Location(7, 0)}, nil, 5)
	for name, p := range map[string]*profile.Profile{
		"labels": testProfile(t, "cpu.labels.pb.gz"), "heap": testProfile(t, "heap.inlining.pb.gz"),
		"empty": testProfile(t, "cpu.empty.pb.gz"), "cgo": testProfile(t, "cpu.cgo-unsymbolized.pb.gz"),
		"none":   profile.NewBuilder(profile.ValueType{Type: "a", Unit: "b"}).Profile(),
		"folded": broken, "line breaks": b.Profile(),
	} {
		var text bytes.Buffer
		if err := p.WriteRaw(&text); err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
		r := rand.New(rand.NewPCG(1, 1))
		for i := range 200 {
			offset, limit := r.IntN(len(all)+3), r.IntN(20)
			if i < 40 {
				offset = min(i, len(all)) // the header
			}
			if i > 150 {
				offset = max(0, len(all)-i+150) // and the end
			}
			want := all[min(offset, len(all)):]
			if limit > 0 {
				want = want[:min(limit, len(want))]
			}
			got, total := RawLines(p, offset, limit)
			if total != len(all) || !slices.Equal(got, want) || got == nil {
				t.Fatalf("%s: lines %d+%d of %d (%d): got\n%q\nwant\n%q", name, offset, limit, total, len(all), got, want)
			}
		}
	}
	if _, err := newReport(t, broken, "raw", "").RawPage(Page{Limit: -1}); err == nil {
		t.Error("no error for a negative limit")
	}
}

func TestRawSections(t *testing.T) {
	p := testProfile(t, "cpu.labels.pb.gz")
	page, err := newReport(t, p, "raw", "").RawPage(Page{Limit: 0})
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{"samples": "samples/count cpu/nanoseconds", "locations": "Locations", "mappings": "Mappings"}
	records := map[string]int{"samples": len(p.Stacks), "locations": len(p.Locations), "mappings": len(p.Mappings)}
	for _, s := range page.Sections {
		if got := page.Lines[s.Line-1]; got != titles[s.Name] || s.Records != records[s.Name] {
			t.Errorf("%s: %d records behind the line %q", s.Name, s.Records, got)
		}
		delete(titles, s.Name)
	}
	if len(titles) > 0 {
		t.Errorf("missing sections: %v", titles)
	}
}

// TestRawFind checks which records a text finds, and that pages of them are those of the whole.
func TestRawFind(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "n", Unit: "count"})
	program, library := b.Mapping(profile.Mapping{Start: 1, Limit: 99, File: "prog"}), b.Mapping(profile.Mapping{Start: 100, Limit: 199, File: "libc"})
	place := func(address uint64, mapping uint32, name, file string) uint32 {
		return b.Location(address, mapping, profile.Line{Function: b.Function(name, "", file, 1), Line: 1})
	}
	main, parse, read := place(1, program, "main", "m.go"), place(2, program, "parse", "p.go"), place(100, library, "read", "r.c")
	place(3, program, "unused", "p.go")
	b.Sample([]uint32{parse, main}, nil, 1)
	b.Sample([]uint32{read, parse, main}, []profile.Label{{Key: b.String("endpoint"), Str: b.String("/a")}}, 2)
	b.Sample([]uint32{main}, []profile.Label{{Key: b.String("endpoint"), Str: b.String("/b")}}, 3)
	p := b.Profile()
	id := func(l uint32) string { return fmt.Sprint("location ", p.Locations[l].ID) }
	for _, tt := range []struct{ find, samples, locations, mappings string }{
		{"", "1 2 3", "main parse read unused", "prog libc"},
		{"^parse$", "1 2", "main parse read", "prog libc"},
		{`p\.go`, "1 2", "main parse read unused", "prog libc"},
		{"unused", "", "unused", "prog"},
		{"/b", "3", "main", "prog"},
		{"libc", "", "", "libc"},
		{id(parse), "1 2", "main parse read", "prog libc"},
		{"location 99", "", "", ""},
		{fmt.Sprint("mapping ", p.Mappings[library-1].ID), "2", "main parse read", "prog libc"},
	} {
		r := newReport(t, p, "raw", "")
		page, err := r.RawPage(Page{Find: tt.find})
		if err != nil {
			t.Fatal(err)
		}
		var got [3][]string
		for i, s := range page.Sections {
			end := len(page.Lines)
			if i+1 < len(page.Sections) {
				end = page.Sections[i+1].Line - 1
			}
			for _, line := range page.Lines[s.Line:end] {
				if found := regexp.MustCompile(`^ +(\d): (?:\d+ )+$|M=\d (\w+) |/0x0 (\w+) `).FindStringSubmatch(line); found != nil {
					got[i] = append(got[i], cmp.Or(found[2], found[3], found[1]))
				}
			}
			if len(got[i]) != s.Records {
				t.Errorf("%q: %d %s, and lines of %q", tt.find, s.Records, s.Name, got[i])
			}
		}
		for i, want := range []string{tt.samples, tt.locations, tt.mappings} {
			if text := strings.Join(got[i], " "); text != want {
				t.Errorf("%q: found %q, want %q, in\n%s", tt.find, text, want, strings.Join(page.Lines, "\n"))
			}
		}
		for offset := range len(page.Lines) + 2 {
			for limit := 1; limit < 4; limit++ {
				part, err := r.RawPage(Page{Find: tt.find, Offset: offset, Limit: limit})
				at := min(offset, len(page.Lines))
				if want := page.Lines[at:min(at+limit, len(page.Lines))]; err != nil || !slices.Equal(part.Lines, want) || part.Total != page.Total {
					t.Errorf("%q, %d lines from %d: %q, %v, want %q", tt.find, limit, offset, part.Lines, err, want)
				}
			}
		}
	}
	for _, find := range []string{"(", "location x("} {
		_, err := newReport(t, p, "raw", "").RawPage(Page{Find: find})
		var pe *ParamError
		if !errors.As(err, &pe) || pe.Param != "find" {
			t.Errorf("%q: %v", find, err)
		}
	}
}

func BenchmarkRawLines(b *testing.B) {
	p := benchProfile(b)
	for _, at := range []float64{0, 0.5, 1} {
		b.Run(fmt.Sprint(at), func(b *testing.B) {
			_, total := RawLines(p, 0, 1)
			for b.Loop() {
				RawLines(p, int(at*float64(total-1000)), 1000)
			}
		})
	}
}

func TestCSV(t *testing.T) {
	p := named(append(slices.Clone(hostile[:4]), "=1+1", "-[NSString length]", "with,comma", "plain"))
	tree, err := newReport(t, p, "tree", "").Tree()
	if err != nil {
		t.Fatal(err)
	}
	tags := newReport(t, testProfile(t, "cpu.labels.pb.gz"), "tags", "").Tags()
	top := newReport(t, p, "top", "").Top()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"top":  func(b *bytes.Buffer) error { return top.WriteCSV(b) },
		"tree": func(b *bytes.Buffer) error { return tree.WriteCSV(b) },
		"tags": func(b *bytes.Buffer) error { return tags.WriteCSV(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(&b).ReadAll() // checks that all have the header's length
		if err != nil || len(records) < 5 {
			t.Errorf("%s: %d records, %v", name, len(records), err)
		}
		if name == "top" {
			for i, r := range top.Rows {
				if got := records[i+1]; strings.TrimPrefix(got[0], "'") != strings.TrimPrefix(r.Func, "'") || got[6] != fmt.Sprint(r.Flat.Value) {
					t.Errorf("top: record %q for %+v", got, r)
				}
			}
		}
	}
	var b bytes.Buffer
	small := newReport(t, folded(t, "a;b 5\na;c 3\n"), "tree", "")
	tree, _ = small.Tree()
	if err := tree.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	if err := small.Top().WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "tables.csv", b.String())
}

func TestCSVFormulas(t *testing.T) {
	var b bytes.Buffer
	rows := [][]string{{"=1+1", "@SUM(A1)", "-[NSString length]", "+f", "\t=x", " \n-y", "＝1", "\u200b=z"}, {"-5", "+1.5e3", "-", "a=b", "'=", "", "(x)", "-0.5%"}}
	if err := WriteCSV(&b, slices.Values(rows)); err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(&b).ReadAll()
	want := [][]string{{"'=1+1", "'@SUM(A1)", "'-[NSString length]", "'+f", "'\t=x", "' \n-y", "'＝1", "'\u200b=z"}, {"-5", "+1.5e3", "'-", "a=b", "'=", "", "(x)", "'-0.5%"}}
	if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v\n%q, want\n%q", err, got, want)
	}
	if rows[0][0] != "=1+1" {
		t.Error("the caller's rows are changed")
	}
}

func TestNoCommands(t *testing.T) {
	for text, want := range map[string]string{
		"a\n  ::error file=x::y\nb":    "a\n  \\u003a:error file=x::y\nb",
		"::set-env name=A::b":          "\\u003a:set-env name=A::b",
		"x##vso[task.complete]##[e]":   "x\\u0023#vso[task.complete]\\u0023#[e]",
		"a::b::c, C::operator::(), ##": "a::b::c, C::operator::(), ##",
		":: x ::":                      ":: x ::",
	} {
		if got := NoCommands(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
