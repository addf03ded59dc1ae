package report

import (
	"io"
	"os"
	"regexp/syntax"
	"testing"

	"github.com/hone-go/hone/profile"
)

// fuzzProfile is a profile with text and numeric labels.
func fuzzProfile(f *testing.F) *profile.Profile {
	f.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for i, name := range []string{"main.main", "main.work", "encoding/json.Marshal", "runtime.mallocgc"} {
		fn := b.Function(name, name, name+".go", int64(i))
		loc := b.Location(uint64(0x1000+i), 0, profile.Line{Function: fn, Line: int64(10 + i)})
		key, value := b.String("key"), b.String(name)
		size, unit := b.String("bytes"), b.String("kilobytes")
		b.Sample([]uint32{loc}, []profile.Label{{Key: key, Str: value}, {Key: size, Numeric: true, Num: int64(1 << i), Unit: unit}}, 1, int64(1000*i))
	}
	return b.Profile()
}

// FuzzTagFilter checks that any text is either refused or a filter that works,
// and that a range accepts its own ends.
func FuzzTagFilter(f *testing.F) {
	p := fuzzProfile(f)
	for _, s := range []string{"1kb", ":64kb", "4mb:", "1kb:10mb", "bytes=1kb:", "key=main,json", "main,runtime", "-5:5", "99999999999999999999", "=", "a=b=c", "1kb:1ms", "+3", "[", "key=("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := syntax.Parse(s, syntax.Perl); err == nil && len(s) > 200 {
			t.Skip() // regexp's own limits are not what is tested
		}
		r := &selection{prof: p, units: map[string]string{"bytes": "kilobytes"}}
		if filter, err := r.tagFilter("tagfocus", s); err == nil {
			q, focused, _ := profile.FilterLabels(p, filter, nil)
			if focused != (q.NumSamples() > 0) {
				t.Fatalf("%q: focused %v, %d samples", s, focused, q.NumSamples())
			}
			rest, _, ignored := profile.FilterLabels(p, nil, filter)
			if ignored != focused || q.NumSamples()+rest.NumSamples() != p.NumSamples() {
				t.Fatalf("%q: focusing keeps %d and ignoring %d of %d", s, q.NumSamples(), rest.NumSamples(), p.NumSamples())
			}
		}
	})
}

// FuzzOptions runs reports with any filters.
func FuzzOptions(f *testing.F) {
	p := fuzzProfile(f)
	if data, err := os.ReadFile("../../testdata/cpu.labels.pb.gz"); err == nil {
		if q, err := profile.DecodeBytes(data, profile.Limits{}); err == nil && q.NumSamples() < 200 {
			p = q
		}
	}
	f.Add("main", "runtime", "json", "main", "work", "key", "1kb:", "key", uint8(0))
	f.Add("", "a|b", "", "^m", "", "", "bytes=2kb", "bytes,key", uint8(3))
	f.Add("(", "", "", "", "", "", "", "", uint8(7))
	commands := []string{"top", "tree", "peek", "traces", "tags", "dot", "callgrind", "raw", "topproto", "list"}
	f.Fuzz(func(t *testing.T, focus, ignore, hide, show, showFrom, tagShow, tagFocus, tagRoot string, command uint8) {
		for _, s := range []string{focus, ignore, hide, show, showFrom, tagShow, tagFocus, tagRoot} {
			if len(s) > 100 {
				t.Skip()
			}
		}
		o := DefaultOptions()
		o.Focus, o.Ignore, o.Hide, o.Show, o.ShowFrom = focus, ignore, hide, show, showFrom
		o.TagShow, o.TagFocus, o.TagRoot = tagShow, tagFocus, tagRoot
		c := commands[int(command)%len(commands)]
		param := ""
		if c == "peek" || c == "list" {
			param = "."
		}
		_ = Generate(io.Discard, p, c, param, o, Env{}) // an error is fine, a panic isn't
	})
}
