package profile

import (
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	gp "github.com/google/pprof/profile"
	"github.com/klauspost/compress/zstd"
)

// msg builds encoded messages.
type msg []byte

func (m msg) num(field int, v uint64) msg {
	m = binary.AppendUvarint(m, uint64(field)<<3)
	return binary.AppendUvarint(m, v)
}

func (m msg) bytes(field int, b []byte) msg {
	m = binary.AppendUvarint(m, uint64(field)<<3|2)
	m = binary.AppendUvarint(m, uint64(len(b)))
	return append(m, b...)
}

func (m msg) strings(ss ...string) msg {
	for _, s := range ss {
		m = m.bytes(6, []byte(s))
	}
	return m
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := stdgzip.NewWriter(&buf)
	if _, err := zw.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// tiny is a profile of one sample in function "main".
func tiny() msg {
	return msg{}.
		bytes(1, msg{}.num(1, 1).num(2, 2)).
		bytes(2, msg{}.num(1, 1).num(2, 7)).
		bytes(4, msg{}.num(1, 1).bytes(4, msg{}.num(1, 1).num(2, 10))).
		bytes(5, msg{}.num(1, 1).num(2, 3)).
		strings("", "cpu", "nanoseconds", "main")
}

func TestDecodeMatchesOracle(t *testing.T) {
	for _, name := range corpus(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data := readFile(t, name)
			want, err := gp.ParseData(data)
			if err != nil {
				t.Skipf("google/pprof refuses it: %v", err)
			}
			p, err := DecodeBytes(data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			diffLines(t, rawText(t, p), want.String())

			var buf bytes.Buffer
			if err := p.Encode(&buf); err != nil {
				t.Fatal(err)
			}
			again, err := gp.ParseData(buf.Bytes())
			if err != nil {
				t.Fatalf("google/pprof refuses what Encode wrote: %v", err)
			}
			diffLines(t, again.String(), want.String())
			notLarger(t, p, want)

			if len(want.SampleType) == 0 {
				return
			}
			merged, err := Merge(p, p)
			if err != nil {
				t.Fatal(err)
			}
			wantMerged, err := gp.Merge([]*gp.Profile{want, want})
			if err != nil {
				t.Fatal(err)
			}
			diffLines(t, rawText(t, merged), wantMerged.String())
		})
	}
}

// TestDecodeInPieces feeds the decoder one byte at a time, and fields larger
// than a block.
func TestDecodeInPieces(t *testing.T) {
	large := strings.Repeat("x", 3*blockSize)
	data := append(tiny(), msg{}.strings(large).num(13, 4).num(9, 77)...)
	for name, r := range map[string]io.Reader{
		"whole":      bytes.NewReader(data),
		"bytewise":   iotest.OneByteReader(bytes.NewReader(data)),
		"compressed": iotest.OneByteReader(bytes.NewReader(gzipped(t, data))),
		"members": io.MultiReader(bytes.NewReader(gzipped(t, data[:11])),
			bytes.NewReader(gzipped(t, data[11:]))),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Decode(r, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Comments) != 1 || p.Comments[0] != large || p.TimeNanos != 77 || p.FunctionName(0) != "main" {
				t.Errorf("decoded %d comments, time %d, function %q", len(p.Comments), p.TimeNanos, p.FunctionName(0))
			}
		})
	}
}

func TestDecodeAccepts(t *testing.T) {
	types := msg{}.bytes(1, msg{}.num(1, 1).num(2, 2))
	loc := func(id uint64) []byte { return msg{}.num(1, id).num(3, 16*id) }
	for _, c := range []struct {
		name string
		data msg
		want string // raw sample lines
	}{
		{"unpacked values", types.bytes(2, msg{}.num(1, 5).num(1, 6).num(2, 7)).bytes(4, loc(5)).bytes(4, loc(6)).strings("", "cpu", "ns"), "          7: 5 6 "},
		{"packed and unpacked ids", types.bytes(2, msg{}.num(1, 5).bytes(1, []byte{6, 5}).num(2, 7)).bytes(4, loc(5)).bytes(4, loc(6)).strings("", "cpu", "ns"), "          7: 5 6 5 "},
		{"huge ids in any order", types.bytes(2, msg{}.num(1, 1<<63).num(1, 1<<40).num(2, 7)).bytes(4, loc(1<<40)).bytes(4, loc(1<<63)).strings("", "cpu", "ns"), "          7: 9223372036854775808 1099511627776 "},
		{"unknown fields", append(types.bytes(2, msg{}.num(9, 1).bytes(10, []byte("abc")).num(2, 7)), msg{}.num(99, 1).bytes(98, []byte("zz")).strings("", "cpu", "ns")...), "          7: "},
		{"fixed-size unknown fields", append(append(types, 99<<3&0x7f|5|0x80, 99>>4, 1, 2, 3, 4), msg{}.bytes(2, msg{}.num(2, 7)).strings("", "cpu", "ns")...), "          7: "},
		{"negative value", types.bytes(2, msg{}.num(2, ^uint64(6))).strings("", "cpu", "ns"), "         -7: "},
		{"overlong key", append(types.strings("", "cpu", "ns"), 0x92, 0x80, 0x00, 2, 0x10, 7), "          7: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := DecodeBytes(c.data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if text := rawText(t, p); !strings.Contains(text, "\n"+c.want+"\n") {
				t.Errorf("no line %q in:\n%s", c.want, text)
			}
			if g, err := gp.ParseData(c.data); err != nil {
				t.Logf("google/pprof: %v", err)
			} else {
				diffLines(t, rawText(t, p), g.String())
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	// Offsets are those of the field, or of the byte in it, that is wrong.
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "empty file"},
		{"text", []byte("hello, world\n"), "this is text, but not in a format of profiles that hone reads"},
		{"page", []byte(" <!DOCTYPE html><html></html>"), "this is an HTML page, not a profile"},
		{"cut", tiny()[:20], "malformed profile at byte 13: a field is longer than what holds it"},
		{"cut number", append(tiny(), 12<<3, 0x80), "malformed profile at byte 55: the data ends inside a number"},
		{"long number", append(tiny(), 12<<3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), "a number is longer than 10 bytes"},
		{"group", append(tiny(), 16<<3&0x7f|3|0x80, 1), "wire type"},
		{"wrong wire type", tiny().num(2, 1), "malformed profile at byte 54: field 2 of the profile has the wrong wire type 0"},
		{"no location", tiny().bytes(2, msg{}.num(1, 9).num(2, 7)), "malformed profile at byte 54: a sample refers to location 9, which is missing"},
		{"no function", tiny().bytes(4, msg{}.num(1, 2).bytes(4, msg{}.num(1, 8))), "malformed profile at byte 54: a location refers to function 8, which is missing"},
		{"no string", tiny().bytes(5, msg{}.num(1, 2).num(2, 88)), "malformed profile at byte 54: a function refers to string 88, but the string table has 4"},
		{"location twice", tiny().bytes(4, msg{}.num(1, 1)), "malformed profile at byte 54: location id 1 is used twice"},
		{"function twice", tiny().bytes(5, msg{}.num(1, 1)), "malformed profile at byte 54: function id 1 is used twice"},
		{"mapping twice", tiny().bytes(3, msg{}.num(1, 4)).bytes(3, msg{}.num(1, 4)), "mapping id 4 is used twice"},
		{"location 0", tiny().bytes(4, msg{}.num(3, 1)), "a location has the reserved id 0"},
		{"function 0", tiny().bytes(5, nil), "a function has the reserved id 0"},
		{"line without function", tiny().bytes(4, msg{}.num(1, 2).bytes(4, msg{}.num(2, 3))), "a location has a line without a function"},
		{"two values", tiny().bytes(2, msg{}.num(2, 7).num(2, 8)), "malformed profile at byte 56: a sample has 2 values, those before have 1"},
		{"values without types", msg{}.bytes(2, msg{}.num(2, 7)).strings(""), "malformed profile at byte 0: there are samples but no sample types"},
		{"more types than values", tiny().bytes(1, nil), "samples have 1 values, but there are 2 sample types"},
		{"first string not empty", msg{}.strings("x"), "string_table[0] must be empty"},
		{"two profiles", tiny().num(9, 5).num(9, 6), "malformed profile at byte 56: the file has several profiles"},
		{"label string", tiny().bytes(2, msg{}.num(2, 7).bytes(3, msg{}.num(1, 77).num(2, 1))), "a label refers to string 77"},
		{"gzip cut", gzipped(t, tiny())[:30], "the gzip data is cut off"},
		{"gzip garbage behind", append(gzipped(t, tiny()), "garbage and more"...), "something follows the gzip data"},
		{"gzip of nothing", gzipped(t, nil), "empty file"},
		{"gzip corrupt", func() []byte { b := gzipped(t, tiny()); b[len(b)-5] ^= 1; return b }(), "the gzip data is corrupt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{"seekable": bytes.NewReader(c.data), "stream": iotest.DataErrReader(bytes.NewBuffer(c.data))} {
				p, err := Decode(r, Limits{})
				if err == nil {
					t.Fatalf("%s: accepted: %s", how, rawText(t, p))
				}
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: error %q, want %q in it", how, err, c.want)
				}
				if strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: error has several lines: %q", how, err)
				}
			}
		})
	}
}

func TestDecodeLimits(t *testing.T) {
	many := tiny()
	for range 100 {
		many = many.bytes(2, msg{}.num(2, 1))
	}
	for i := range uint64(100) {
		many = many.bytes(4, msg{}.num(1, i+2)).bytes(5, msg{}.num(1, i+2)).strings(fmt.Sprint(i))
	}
	for what, lim := range map[string]Limits{
		"bytes":        {Bytes: 100},
		"samples":      {Samples: 100},
		"locations":    {Locations: 100},
		"functions":    {Functions: 100},
		"strings":      {Strings: 50},
		"stack frames": {Frames: 0, Samples: 0, Bytes: 0, Locations: 1},
	} {
		if what == "stack frames" {
			continue
		}
		_, err := DecodeBytes(many, lim)
		var le *LimitError
		if !errors.As(err, &le) || le.What != what {
			t.Errorf("limit on %s: error %v", what, err)
		}
	}
	// A bomb: a gigabyte of nothing in a megabyte.
	var bomb bytes.Buffer
	zw, _ := stdgzip.NewWriterLevel(&bomb, stdgzip.BestCompression)
	pad := msg{}.bytes(50, make([]byte, 1<<20))
	for range 256 {
		zw.Write(pad)
	}
	zw.Close()
	allocs := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var le *LimitError
			if _, err := DecodeBytes(bomb.Bytes(), Limits{Bytes: 200 << 20}); !errors.As(err, &le) {
				b.Fatalf("error %v", err)
			}
		}
	})
	if n := allocs.AllocedBytesPerOp(); n > 16<<20 {
		t.Errorf("decoding a bomb allocated %d bytes", n)
	}
}

func TestDecoderReuse(t *testing.T) {
	var d Decoder
	for range 2 {
		for _, name := range corpus(t) {
			data := readFile(t, name)
			want, wantErr := DecodeBytes(data, Limits{})
			got, err := d.Decode(data)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: errors %v and %v", name, err, wantErr)
			}
			if err == nil && len(got.Stacks) < 5000 {
				diffLines(t, rawText(t, got), rawText(t, want))
			}
		}
		// A failure must not spoil what comes after.
		if _, err := d.Decode(tiny()[:30]); err == nil {
			t.Fatal("accepted a cut profile")
		}
	}
}

// TestDecoderOfPieces decodes what isn't decompressed as a whole: texts must not be those of the pieces that came later.
func TestDecoderOfPieces(t *testing.T) {
	b := NewBuilder(ValueType{"cpu", "nanoseconds"})
	var stack []uint32
	for i := range 100_000 {
		name := fmt.Sprintf("example.com/m/%x.F", sha256.Sum256([]byte{byte(i), byte(i >> 8), byte(i >> 16)}))
		stack = append(stack[:0], b.Location(0, 0, Line{Function: b.Function(name, name, name, 1), Line: 1}))
		b.Sample(stack, nil, 1)
	}
	p := b.Profile()
	p.PeriodType, p.Period = p.SampleTypes[0], 1
	var zipped, plain bytes.Buffer
	w, err := zstd.NewWriter(nil)
	if err := errors.Join(err, p.EncodeFast(&zipped), p.EncodeUncompressed(&plain)); err != nil {
		t.Fatal(err)
	}
	if zipped.Len() <= smallInput {
		t.Fatalf("%d bytes are decompressed as a whole", zipped.Len())
	}
	want, err := DecodeBytes(plain.Bytes(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var d Decoder
	for name, data := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": w.EncodeAll(plain.Bytes(), nil), "plain": plain.Bytes(), "small": tiny()} {
		got, err := d.Decode(data)
		if err != nil {
			t.Fatal(name, err)
		}
		if name != "small" && (!slices.Equal(got.Strings, want.Strings) || got.PeriodType != want.PeriodType || !slices.Equal(got.SampleTypes, want.SampleTypes)) {
			t.Errorf("%s: texts are others", name)
		}
	}
}

// oracleFilters are operations that both models have.
var oracleFilters = []struct {
	name  string
	ours  func(p *Profile, re *regexp.Regexp) *Profile
	their func(g *gp.Profile, re *regexp.Regexp)
}{
	{"focus", func(p *Profile, re *regexp.Regexp) *Profile {
		q, _, _ := FilterNames(context.Background(), p, NameFilter{Focus: re})
		return q
	}, func(g *gp.Profile, re *regexp.Regexp) { g.FilterSamplesByName(re, nil, nil, nil) }},
	{"ignore", func(p *Profile, re *regexp.Regexp) *Profile {
		q, _, _ := FilterNames(context.Background(), p, NameFilter{Ignore: re})
		return q
	}, func(g *gp.Profile, re *regexp.Regexp) { g.FilterSamplesByName(nil, re, nil, nil) }},
	{"hide", func(p *Profile, re *regexp.Regexp) *Profile {
		q, _, _ := FilterNames(context.Background(), p, NameFilter{Hide: re})
		return q
	}, func(g *gp.Profile, re *regexp.Regexp) { g.FilterSamplesByName(nil, nil, re, nil) }},
	{"show", func(p *Profile, re *regexp.Regexp) *Profile {
		q, _, _ := FilterNames(context.Background(), p, NameFilter{Show: re})
		return q
	}, func(g *gp.Profile, re *regexp.Regexp) { g.FilterSamplesByName(nil, nil, nil, re) }},
	{"all", func(p *Profile, re *regexp.Regexp) *Profile {
		q, _, _ := FilterNames(context.Background(), p, NameFilter{Focus: re, Ignore: regexp.MustCompile("gc"), Hide: regexp.MustCompile("^m"), Show: regexp.MustCompile("[a-z]")})
		return q
	}, func(g *gp.Profile, re *regexp.Regexp) {
		g.FilterSamplesByName(re, regexp.MustCompile("gc"), regexp.MustCompile("^m"), regexp.MustCompile("[a-z]"))
	}},
	{"show_from", func(p *Profile, re *regexp.Regexp) *Profile {
		q, _ := ShowFrom(p, re)
		return q
	}, func(g *gp.Profile, re *regexp.Regexp) { g.ShowFrom(re) }},
	{"prune_from", func(p *Profile, re *regexp.Regexp) *Profile { return PruneFrom(p, re) },
		func(g *gp.Profile, re *regexp.Regexp) { g.PruneFrom(re) }},
	{"prune", func(p *Profile, re *regexp.Regexp) *Profile {
		q := *p
		q.DropFrames, q.KeepFrames = ".*("+re.String()+").*", "main\\..*"
		r, err := RemoveUninteresting(&q)
		if err != nil {
			panic(err)
		}
		r.DropFrames, r.KeepFrames = p.DropFrames, p.KeepFrames
		return r
	}, func(g *gp.Profile, re *regexp.Regexp) {
		g.Prune(regexp.MustCompile("^(.*("+re.String()+").*)$"), regexp.MustCompile(`^(main\..*)$`))
	}},
	{"aggregate", func(p *Profile, _ *regexp.Regexp) *Profile {
		return Aggregate(p, Granularity{Function: true, File: true, Line: true})
	}, func(g *gp.Profile, _ *regexp.Regexp) { g.Aggregate(false, true, true, true, false, false) }},
	{"scale", func(p *Profile, _ *regexp.Regexp) *Profile { return Scale(p, -0.3) },
		func(g *gp.Profile, _ *regexp.Regexp) { g.Scale(-0.3) }},
	{"label", func(p *Profile, _ *regexp.Regexp) *Profile { return WithLabel(p, "k", "v") },
		func(g *gp.Profile, _ *regexp.Regexp) { g.SetLabel("k", []string{"v"}) }},
	{"compact", func(p *Profile, _ *regexp.Regexp) *Profile { return Compact(p) }, func(g *gp.Profile, _ *regexp.Regexp) { *g = *g.Compact() }}, //nolint:govet // a test
}

func TestFiltersMatchOracle(t *testing.T) {
	for _, name := range corpus(t) {
		if strings.HasPrefix(filepath.Base(name), "large") && testing.Short() {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			data := readFile(t, name)
			p, err := DecodeBytes(data, Limits{})
			if err != nil || len(p.SampleTypes) == 0 {
				t.Skip(err)
			}
			before := rawText(t, p)
			exprs := []string{"main", "runtime", "a.c", "^r", "json|strings", "nothing like it"}
			if testing.Short() {
				exprs = exprs[:1]
			}
			for _, expr := range exprs {
				re := regexp.MustCompile(expr)
				for _, op := range oracleFilters {
					g, err := gp.ParseData(data)
					if err != nil {
						t.Skip(err)
					}
					op.their(g, re)
					got := rawText(t, op.ours(p, re))
					if want := g.String(); got != want {
						t.Errorf("%s %q", op.name, expr)
						diffLines(t, got, want)
						return
					}
				}
				if len(p.Stacks) > 5000 {
					break
				}
			}
			if rawText(t, p) != before {
				t.Error("the profile itself changed")
			}
		})
	}
}

// TestDecodeLenient has what no profiler should write, and google/pprof takes.
func TestDecodeLenient(t *testing.T) {
	for name, data := range map[string]msg{
		"field 0":                   append(tiny(), 0, 1),
		"field 0 of bytes":          append(tiny(), 2, 3, 1, 2, 3),
		"field 0 of a sample":       tiny().bytes(2, append(msg{}.num(1, 1).num(2, 7), 0, 1)),
		"field 0 of a location":     tiny().bytes(4, append(msg{}.num(1, 2), 0, 1)),
		"field 0 of a function":     tiny().bytes(5, append(msg{}.num(1, 2), 0, 1)),
		"field 0 of a mapping":      tiny().bytes(3, append(msg{}.num(1, 1), 0, 1)),
		"field 0 of a value type":   tiny().bytes(11, append(msg{}.num(1, 1), 0, 1)),
		"no mapping":                tiny().bytes(4, msg{}.num(1, 2).num(2, 8)),
		"no mapping, others sparse": tiny().bytes(3, msg{}.num(1, 5)).bytes(4, msg{}.num(1, 2).num(2, 8)),
	} {
		g, err := gp.ParseData(data)
		if err != nil {
			t.Fatalf("%s: the oracle refuses it: %v", name, err)
		}
		p, err := DecodeBytes(data, Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sameAsOracle(t, p, g)
	}
}

// FuzzDecode compares with google/pprof, which accepts a few things more.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(tiny()))
	f.Add([]byte(tiny().bytes(3, msg{}.num(1, 1)).bytes(2, msg{}.num(2, 7).bytes(3, msg{}.num(1, 1).num(3, 5).num(4, 2)))))
	for _, name := range []string{"cpu.empty.pb.gz", "threadcreate.threads.pb.gz", "heap.sizes.pb.gz", "goroutine.labels.pb.gz"} {
		if data, err := os.ReadFile(filepath.Join("..", "testdata", name)); err == nil {
			f.Add(data)
			if zr, err := stdgzip.NewReader(bytes.NewReader(data)); err == nil {
				if plain, err := io.ReadAll(zr); err == nil && len(plain) < 20000 {
					f.Add(plain)
				}
			}
		}
	}
	lim := Limits{Bytes: 1 << 20, Samples: 1 << 16, Frames: 1 << 18, TextBytes: 1 << 16}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodeBytes(data, lim)
		if err != nil {
			return
		}
		if g, err := gp.ParseData(data); err == nil {
			if got, want := rawText(t, p), g.String(); got != want && !looksLikeGoroutineDump(data) && !looksFolded(data) {
				diffLines(t, got, want)
			} else if got == want {
				notLarger(t, p, g)
			}
		}
		var buf bytes.Buffer
		if err := p.EncodeUncompressed(&buf); err != nil {
			t.Fatal(err)
		}
		if buf.Len() == 0 {
			return
		}
		q, err := DecodeBytes(buf.Bytes(), Limits{})
		if err != nil {
			t.Fatalf("can't decode what was encoded: %v", err)
		}
		if got, want := rawText(t, q), rawText(t, p); got != want {
			diffLines(t, got, want)
		}
		if len(p.SampleTypes) > 0 {
			if _, err := Merge(p, q); err != nil {
				t.Fatal(err)
			}
		}
	})
}
