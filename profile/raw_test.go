package profile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	gp "github.com/google/pprof/profile"
)

func rawText(t testing.TB, p *Profile) string {
	t.Helper()
	var b strings.Builder
	if err := p.WriteRaw(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// diffLines fails the test with the first line in which got differs from want.
func diffLines(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var gl, wl string
		if i < len(g) {
			gl = g[i]
		}
		if i < len(w) {
			wl = w[i]
		}
		if gl != wl {
			t.Errorf("line %d of %d, want %d lines:\n got %q\nwant %q", i+1, len(g), len(w), gl, wl)
			return
		}
	}
}

func TestWriteRawMatchesOracle(t *testing.T) {
	for _, file := range corpus(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := readFile(t, file)
			g, err := gp.ParseData(data)
			if err != nil {
				t.Fatal(err)
			}
			p, err := DecodeBytes(data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			diffLines(t, rawText(t, p), g.String())
			sameAsOracle(t, p, g)
		})
	}
}

// oddProfile holds what real profiles rarely do.
func oddProfile() *gp.Profile {
	m := &gp.Mapping{
		ID: 7, Start: 0x400000, Limit: math.MaxUint64, Offset: 0x1000, File: "/bin/a b", BuildID: "abc",
		HasFunctions: true, HasInlineFrames: true,
	}
	f := &gp.Function{ID: 3, Name: "f", SystemName: "_f", Filename: "f.go", StartLine: 9}
	h := &gp.Function{ID: 9, Name: "h(µ)", SystemName: "h(µ)"}
	locs := []*gp.Location{
		{ID: 12345678, Address: 0xfeed, Mapping: m, IsFolded: true, Line: []gp.Line{{Function: f, Line: 1, Column: 2}, {Function: h, Line: -3}}},
		{ID: 1, Mapping: m},
		{ID: 2, Line: []gp.Line{{Function: h}}},
		{ID: math.MaxUint64, IsFolded: true},
	}
	return &gp.Profile{
		SampleType:        []*gp.ValueType{{Type: " a", Unit: "count"}, {Type: "b", Unit: "bytes"}},
		DefaultSampleType: "b",
		PeriodType:        &gp.ValueType{Type: "p", Unit: ""},
		Period:            -1,
		TimeNanos:         1700000000123456789,
		DurationNanos:     10080000000,
		Comments:          []string{"one", "", "# two\nthree"},
		DocURL:            "https://example.com/",
		Sample: []*gp.Sample{
			{Value: []int64{math.MinInt64, math.MaxInt64}, Location: locs},
			{Value: []int64{0, -12}},
			{
				Value:    []int64{1234567890, 12345678901},
				Location: locs[1:2],
				Label:    map[string][]string{"a b": {"x", "y z"}, "a": {"1"}, "": {""}, "a:": {"2"}},
				NumLabel: map[string][]int64{"n": {1, -2}, "n m": {0}, "bare": {5, 6}},
				NumUnit:  map[string][]string{"n": {"", "bytes"}, "n m": {"ms"}},
			},
			{Value: []int64{1, 2}, NumLabel: map[string][]int64{"only": {4}}},
			{Value: []int64{1, 2}, Label: map[string][]string{"only": {"4"}}},
		},
		Mapping: []*gp.Mapping{m}, Function: []*gp.Function{f, h}, Location: locs,
	}
}

func TestWriteRawOddities(t *testing.T) {
	g := oddProfile()
	for _, duration := range []int64{0, 1, 999, 1500, 123456, 10080000000, 3 * 3600e9, -5e9} {
		g.DurationNanos = duration
		var encoded bytes.Buffer
		if err := g.Write(&encoded); err != nil {
			t.Fatal(err)
		}
		p, err := DecodeBytes(encoded.Bytes(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := gp.ParseData(encoded.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		diffLines(t, rawText(t, p), g.String())
		diffLines(t, ToGoogle(p).String(), g.String())
	}
	empty := &gp.Profile{PeriodType: &gp.ValueType{}}
	diffLines(t, rawText(t, &Profile{Strings: []string{""}}), empty.String())
}

// failingWriter fails once it has taken n bytes.
type failingWriter struct{ n int }

var errFull = errors.New("full")

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.n -= len(b); w.n < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteRawReportsWriteErrors(t *testing.T) {
	b := NewBuilder(ValueType{"samples", "count"})
	for i := range 20000 {
		f := b.Function("f", "f", "f.go", int64(i))
		b.Sample([]uint32{b.Location(uint64(i+1), 0, Line{Function: f})}, nil, 1)
	}
	p := b.Profile()
	size := len(rawText(t, p))
	for _, n := range []int{0, rawChunk + 1<<10, size / 2, size - 1} {
		if err := p.WriteRaw(&failingWriter{n}); !errors.Is(err, errFull) {
			t.Errorf("after %d bytes: error %v", n, err)
		}
	}
}

func BenchmarkWriteRaw(b *testing.B) {
	for _, file := range parityFiles(b, "large/*") {
		data := readFile(b, file)
		p, err := DecodeBytes(data, Limits{})
		if err != nil {
			b.Fatal(err)
		}
		g, err := gp.ParseData(bytes.Clone(data))
		if err != nil {
			b.Fatal(err)
		}
		b.Run("hone", func(b *testing.B) {
			for b.Loop() {
				if err := p.WriteRaw(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("google", func(b *testing.B) {
			for b.Loop() {
				_ = g.String()
			}
		})
	}
}
