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
func example() (block, *answer) {
	cols := newBlock("a", "UInt64", "b", "Int64", "c", "Int32", "d", "UInt8", "e", "String", "f", "FixedString(3)", "g", "Array(Int64)")
	cols.col("a").uint64(1<<64 - 1)
	cols.col("a").uint64(2)
	cols.col("b").int64(-1)
	cols.col("b").int64(-1 << 63)
	cols.col("c").int32(-5)
	cols.col("c").int32(5)
	cols.col("d").uint8(255)
	cols.col("d").uint8(0)
	cols.col("e").string(strings.Repeat("x", 3000))
	cols.col("e").bytes(nil)
	cols.col("f").fixed([]byte("abc"))
	cols.col("f").fixed([]byte{0, 0, 0})
	cols.col("g").words([]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0})
	cols.col("g").words(nil)
	minus := func(v int64) uint64 { return uint64(-v) }
	return cols, &answer{rows: 2, cols: []values{
		{name: "a", words: []uint64{1<<64 - 1, 2}}, {name: "b", words: []uint64{minus(1), 1 << 63}}, {name: "c", words: []uint64{minus(5), 5}},
		{name: "d", words: []uint64{255, 0}}, {name: "e", texts: []string{strings.Repeat("x", 3000), ""}},
		{name: "f", texts: []string{"abc", "\x00\x00\x00"}}, {name: "g", words: []uint64{1, 2}, ends: []uint64{2, 2}},
	}}
}

// What was written can be read, in frames or in none, however it comes.
func TestNative(t *testing.T) {
	cols, want := example()
	plain := cols.append(nil)
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
	if err != nil || got.rows != 4 || !slices.Equal(got.col("g").row(2), []uint64{1, 2}) || len(got.col("g").row(3)) != 0 {
		t.Errorf("two blocks: got %+v, %v", got, err)
	}
	if got := cols.structure(); got != "a UInt64,b Int64,c Int32,d UInt8,e String,f FixedString(3),g Array(Int64)" {
		t.Errorf("structure: got %s", got)
	}
}

// Columns are found by name; an answer without one that was asked for is an error.
func TestNamedColumns(t *testing.T) {
	asking := func(names ...string) *statement { return &statement{out: outputs(names...)} }
	cols, _ := example()
	a, err := readAnswer(&stream{r: bytes.NewReader(cols.append(nil)), plain: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := asking("g", "a").check(a); err != nil {
		t.Error(err)
	}
	if err := asking("a", "other").check(a); !errors.Is(err, errAnswer) || !strings.Contains(err.Error(), "other") {
		t.Errorf("without the column other: got error %v", err)
	}
	none := new(answer) // old engines tell no columns of no rows
	if err := asking("a").check(none); err != nil || len(none.col("a").words) != 0 {
		t.Errorf("without rows: got %v, %v", none.col("a"), err)
	}
	insert := insertInto("things", cols)
	if got, want := insert.text(), "INSERT INTO things (a, b, c, d, e, f, g) FORMAT Native"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	st := statement{out: []output{{name: "a"}, {"most", "max(b)"}}, sql: "FROM things", distinct: true}
	if got, want := st.text(), "SELECT DISTINCT a, max(b) AS most FROM things"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

type oneByte struct{ r io.Reader }

func (r oneByte) Read(p []byte) (int, error) { return r.r.Read(p[:min(1, len(p))]) }

// An answer that ends early, or isn't one, is an error and nothing worse.
func TestNativeDamaged(t *testing.T) {
	cols, _ := example()
	plain := cols.append(nil)
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
	f.Add(cols.append(nil), true)
	f.Add(appendFrames(nil, cols.append(nil)), false)
	f.Fuzz(func(t *testing.T, data []byte, plain bool) {
		_, _ = readAnswer(&stream{r: bytes.NewReader(data), plain: plain})
	})
}
