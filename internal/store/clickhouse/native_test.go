package clickhouse

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// example returns a block with a column of each type, and what it says.
func example() ([]column, *answer) {
	cols := columns("a", "UInt64", "b", "Int64", "c", "Int32", "d", "UInt8", "e", "String", "f", "FixedString(3)", "g", "Array(Int64)")
	cols[0].uint64(1<<64 - 1)
	cols[0].uint64(2)
	cols[1].int64(-1)
	cols[1].int64(-1 << 63)
	cols[2].int32(-5)
	cols[2].int32(5)
	cols[3].uint8(255)
	cols[3].uint8(0)
	cols[4].string(strings.Repeat("x", 3000))
	cols[4].bytes(nil)
	cols[5].fixed([]byte("abc"))
	cols[5].fixed([]byte{0, 0, 0})
	cols[6].words([]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0})
	cols[6].words(nil)
	minus := func(v int64) uint64 { return uint64(-v) }
	return cols, &answer{rows: 2, cols: []values{
		{words: []uint64{1<<64 - 1, 2}}, {words: []uint64{minus(1), 1 << 63}}, {words: []uint64{minus(5), 5}}, {words: []uint64{255, 0}},
		{texts: []string{strings.Repeat("x", 3000), ""}}, {texts: []string{"abc", "\x00\x00\x00"}}, {words: []uint64{1, 2}, ends: []uint64{2, 2}},
	}}
}

// What was written can be read, in frames or in none, however it comes.
func TestNative(t *testing.T) {
	cols, want := example()
	plain := appendBlock(nil, cols)
	for _, test := range []struct {
		name string
		s    stream
	}{
		{"plain", stream{r: bytes.NewReader(plain), plain: true}},
		{"frame", stream{r: bytes.NewReader(appendFrames(nil, plain))}},
		{"frames", stream{r: bytes.NewReader(slices.Concat(appendFrames(nil, plain[:7]), appendFrames(nil, plain[7:100]), appendFrames(nil, plain[100:])))}},
		{"byte by byte", stream{r: oneByte{bytes.NewReader(appendFrames(nil, plain))}}},
	} {
		got, err := readAnswer(&test.s)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", test.name, got, err)
		}
	}
	// Rows of several blocks are one after another, those of arrays too.
	got, err := readAnswer(&stream{r: bytes.NewReader(slices.Concat(plain, plain)), plain: true})
	if err != nil || got.rows != 4 || !slices.Equal(got.cols[6].row(2), []uint64{1, 2}) || len(got.cols[6].row(3)) != 0 {
		t.Errorf("two blocks: got %+v, %v", got, err)
	}
	if got := structure(cols); got != "a UInt64,b Int64,c Int32,d UInt8,e String,f FixedString(3),g Array(Int64)" {
		t.Errorf("structure: got %s", got)
	}
}

type oneByte struct{ r io.Reader }

func (r oneByte) Read(p []byte) (int, error) { return r.r.Read(p[:min(1, len(p))]) }

// An answer that ends early, or isn't one, is an error and nothing worse.
func TestNativeDamaged(t *testing.T) {
	cols, _ := example()
	plain := appendBlock(nil, cols)
	frames := appendFrames(nil, plain)
	for n := 1; n < len(plain); n++ {
		if _, err := readAnswer(&stream{r: bytes.NewReader(plain[:n]), plain: true}); err == nil {
			t.Fatalf("%d bytes of %d are read without an error", n, len(plain))
		}
	}
	for n := 1; n < len(frames); n++ {
		if _, err := readAnswer(&stream{r: bytes.NewReader(frames[:n])}); err == nil || errors.Is(err, io.EOF) {
			t.Fatalf("%d bytes of %d in a frame: got %v", n, len(frames), err)
		}
	}
	for _, text := range []string{"Code: 241, e.displayText() = DB::Exception: Memory limit", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x01\x01\x01a\x0bNullable(x)"} {
		if _, err := readAnswer(&stream{r: strings.NewReader(text), plain: true}); err == nil {
			t.Errorf("%q is read without an error", text)
		}
	}
}

func FuzzNative(f *testing.F) {
	cols, _ := example()
	f.Add(appendBlock(nil, cols), true)
	f.Add(appendFrames(nil, appendBlock(nil, cols)), false)
	f.Fuzz(func(t *testing.T, data []byte, plain bool) {
		_, _ = readAnswer(&stream{r: bytes.NewReader(data), plain: plain})
	})
}
