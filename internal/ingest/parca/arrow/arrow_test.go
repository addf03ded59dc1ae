package arrow

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// read returns the records of a stream.
func read(data []byte, limit int64) ([]*Record, error) {
	r, err := NewReader(data, limit, nil)
	if err != nil {
		return nil, err
	}
	var all []*Record
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, rec)
	}
}

func texts(c *Column) (all []string) {
	for i := range c.Len {
		if b := c.Bytes(i); b == nil {
			all = append(all, "-")
		} else {
			all = append(all, string(b))
		}
	}
	return all
}

func ints(c *Column) (all []int64) {
	for i := range c.Len {
		all = append(all, c.Int(i))
	}
	return all
}

// TestKinds: every kind of column reads back, not compressed and in both ways.
func TestKinds(t *testing.T) {
	long := strings.Repeat("long ", 5)
	fields := []testField{
		{name: "int", typ: typeInt, bits: 64},
		{name: "byte", typ: typeInt, bits: 8},
		{name: "ms", typ: typeTimestamp, bits: 1},
		{name: "text", typ: typeUtf8},
		{name: "view", typ: typeUtf8View},
		{name: "fixed", typ: typeFixedSizeBinary, bits: 2},
		{name: "dictionary", typ: typeBinary, dict: 1},
		{name: "runs", typ: typeRunEndEncoded, children: []testField{{name: "run_ends", typ: typeInt, bits: 32}, {name: "values", typ: typeUtf8, dict: 2}}},
		{name: "list", typ: typeList, children: []testField{{name: "item", typ: typeInt, bits: 64}}},
		{name: "ranges", typ: typeListView, children: []testField{{name: "item", typ: typeStruct, children: []testField{{name: "x", typ: typeInt, bits: 32}}}}},
	}
	for codec := range int64(3) {
		stream := encode(fields,
			testBatch{id: 1, rows: 2, nodes: [][2]int64{{2, 0}}, buffers: [][]byte{nil, numbers[int32](0, 1, 3), []byte("abb")}, codec: codec},
			testBatch{id: 2, rows: 2, nodes: [][2]int64{{2, 0}}, buffers: [][]byte{nil, numbers[int32](0, 4, 6), []byte("sixtwo")}, codec: codec},
			testBatch{rows: 3, codec: codec,
				nodes: [][2]int64{{3, 1}, {3, 0}, {3, 0}, {3, 1}, {3, 0}, {3, 0}, {3, 1}, {3, 0}, {2, 0}, {2, 0}, {3, 0}, {4, 0}, {3, 0}, {3, 0}, {3, 0}},
				buffers: [][]byte{
					{0b101}, numbers[int64](1, 2, -3),
					nil, numbers[int8](1, -2, 3),
					nil, numbers[int64](5, -1, math.MaxInt64),
					{0b011}, numbers[int32](0, 2, 3, 3), []byte("xyz"),
					nil, slicesOf(numbers[int32](2), []byte("ab__________"), numbers[int32](0, 0, 0, 0), numbers[int32](25), []byte("long"), numbers[int32](0, 1)), []byte("?" + long),
					nil, []byte("aabbcc"),
					{0b110}, numbers[uint32](9, 1, 0),
					nil, numbers[int32](2, 7), nil, numbers[uint32](1, 0),
					nil, numbers[int32](0, 1, 1, 4), nil, numbers[int64](7, 8, 9, 10),
					nil, numbers[int32](1, 0, 0), numbers[int32](2, 3, 0), nil, nil, numbers[int32](4, 5, 6),
				}, variadic: []int64{1}})
		all, err := read(stream, 0)
		if err != nil || len(all) != 1 {
			t.Fatalf("codec %d: %d records, %v", codec, len(all), err)
		}
		rec := all[0]
		for name, want := range map[string][]string{"text": {"xy", "z", "-"}, "view": {"ab", "", long}, "fixed": {"aa", "bb", "cc"}, "dictionary": {"-", "bb", "a"}, "runs": {"wo", "wo", "sixt"}} {
			if got := texts(rec.Column(name)); !reflect.DeepEqual(got, want) {
				t.Errorf("codec %d: %s is %q, want %q", codec, name, got, want)
			}
		}
		for name, want := range map[string][]int64{"int": {1, 0, -3}, "byte": {1, -2, 3}, "ms": {5e6, 0, math.MaxInt64}} {
			if got := ints(rec.Column(name)); !reflect.DeepEqual(got, want) {
				t.Errorf("codec %d: %s is %d, want %d", codec, name, got, want)
			}
		}
		for name, want := range map[string][][2]int{"list": {{0, 1}, {1, 1}, {1, 4}}, "ranges": {{1, 3}, {0, 3}, {0, 0}}} {
			var got [][2]int
			for i := range 3 {
				from, to := rec.Column(name).Range(i)
				got = append(got, [2]int{from, to})
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("codec %d: %s is %d, want %d", codec, name, got, want)
			}
		}
		if got := ints(rec.Column("ranges").Elem().Field("x")); !reflect.DeepEqual(got, []int64{4, 5, 6}) {
			t.Errorf("codec %d: x is %d", codec, got)
		}
		// Out of order, too.
		runs := rec.Column("runs")
		if a, b, c := string(runs.Bytes(2)), string(runs.Bytes(0)), string(runs.Bytes(2)); a != "sixt" || b != "wo" || c != "sixt" {
			t.Errorf("codec %d: runs are %q %q %q", codec, a, b, c)
		}
	}
}

func slicesOf(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// TestRefused: what refers to something that is not there is an error, and so is
// what would take more memory or time than it has bytes.
func TestRefused(t *testing.T) {
	integer := []testField{{name: "n", typ: typeInt, bits: 64}}
	text := []testField{{name: "n", typ: typeUtf8}}
	view := []testField{{name: "n", typ: typeUtf8View}}
	entry := []testField{{name: "n", typ: typeUtf8, dict: 1}}
	list := []testField{{name: "n", typ: typeList, children: []testField{{name: "item", typ: typeInt, bits: 64}}}}
	ranges := []testField{{name: "n", typ: typeListView, children: []testField{{name: "item", typ: typeInt, bits: 64}}}}
	runs := []testField{{name: "n", typ: typeRunEndEncoded, children: []testField{{name: "run_ends", typ: typeInt, bits: 32}, {name: "values", typ: typeInt, bits: 64}}}}
	structs := []testField{{name: "n", typ: typeStruct, children: []testField{{name: "x", typ: typeInt, bits: 64}}}}
	deep := []testField{{name: "n", typ: typeInt, bits: 64}}
	for range maxDepth + 1 {
		deep = []testField{{name: "n", typ: typeStruct, children: deep}}
	}
	two := [][2]int64{{2, 0}}
	good := encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[int64](1, 2)}})
	zeros := make([]byte, 1<<20)
	for name, test := range map[string]struct {
		stream []byte
		says   string
	}{
		"nothing":             {nil, "empty"},
		"no Arrow":            {[]byte("GET / HTTP/1.1\r\n\r\n"), "ends early"},
		"a record first":      {good[len(encode(integer))-8:], "begin with a schema"},
		"cut":                 {good[:len(good)-20], "ends early"},
		"negative rows":       {encode(integer, testBatch{rows: -1, nodes: two, buffers: [][]byte{nil, numbers[int64](1, 2)}}), "-1"},
		"other rows":          {encode(integer, testBatch{rows: 3, nodes: two, buffers: [][]byte{nil, numbers[int64](1, 2)}}), "2 values, but the record has 3 rows"},
		"many rows":           {encode(integer, testBatch{rows: 1 << 30, nodes: [][2]int64{{1 << 30, 0}}, buffers: [][]byte{nil, numbers[int64](1, 2)}}), "16 bytes"},
		"short validity":      {encode(integer, testBatch{rows: 20, nodes: [][2]int64{{20, 1}}, buffers: [][]byte{{1}, make([]byte, 160)}}), "1 bytes"},
		"no buffers":          {encode(integer, testBatch{rows: 2, nodes: two}), "fewer columns"},
		"no nodes":            {encode(integer, testBatch{rows: 2}), "fewer columns"},
		"more nodes":          {encode(integer, testBatch{rows: 2, nodes: append(two, two...), buffers: [][]byte{nil, numbers[int64](1, 2)}}), "more columns"},
		"buffer outside":      {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[int64](1, 2)}, places: [][2]int64{{0, 0}, {8, 16}}}), "body of 16"},
		"buffer far outside":  {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[int64](1, 2)}, places: [][2]int64{{0, 0}, {math.MaxInt64, 16}}}), "body of 16"},
		"buffer before":       {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[int64](1, 2)}, places: [][2]int64{{0, 0}, {-8, 16}}}), "at offset -8"},
		"text outside":        {encode(text, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[int32](0, 1, 9), []byte("ab")}}), "begins at 9"},
		"text backwards":      {encode(text, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[int32](0, 2, 1), []byte("ab")}}), "begins at 1"},
		"text before":         {encode(text, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[int32](-1, 0, 1), []byte("ab")}}), "begins at -1"},
		"view outside":        {encode(view, testBatch{rows: 1, nodes: [][2]int64{{1, 0}}, buffers: [][]byte{nil, numbers[int32](20, 0, 0, 1), make([]byte, 20)}, variadic: []int64{1}}), "20 bytes at 1"},
		"view of no buffer":   {encode(view, testBatch{rows: 1, nodes: [][2]int64{{1, 0}}, buffers: [][]byte{nil, numbers[int32](20, 0, 7, 0), make([]byte, 20)}, variadic: []int64{1}}), "buffer 7 of 1"},
		"view of -1 bytes":    {encode(view, testBatch{rows: 1, nodes: [][2]int64{{1, 0}}, buffers: [][]byte{nil, numbers[int32](-1, 0, 0, 0)}, variadic: []int64{0}}), "-1 bytes"},
		"buffers of views":    {encode(view, testBatch{rows: 1, nodes: [][2]int64{{1, 0}}, buffers: [][]byte{nil, numbers[int32](0, 0, 0, 0)}, variadic: []int64{math.MaxInt64}}), "fewer columns"},
		"no entry":            {encode(entry, testBatch{id: 1, rows: 1, nodes: [][2]int64{{1, 0}}, buffers: [][]byte{nil, numbers[int32](0, 1), []byte("a")}}, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[uint32](0, 1)}}), "entry 1 of a dictionary of 1"},
		"no dictionary":       {encode(entry, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, numbers[uint32](0, 1)}}), "dictionary of 0"},
		"unknown dictionary":  {encode(entry, testBatch{id: 9, rows: 1}), "dictionary 8"},
		"growing dictionary":  {encode(entry, testBatch{id: 1, delta: true, rows: 1}), "adds to"},
		"shared dictionary":   {encode(append(entry, entry...)), "of another column"},
		"list outside":        {encode(list, testBatch{rows: 2, nodes: [][2]int64{{2, 0}, {1, 0}}, buffers: [][]byte{nil, numbers[int32](0, 1, 2), nil, numbers[int64](1)}}), "of 1"},
		"range outside":       {encode(ranges, testBatch{rows: 2, nodes: [][2]int64{{2, 0}, {1, 0}}, buffers: [][]byte{nil, numbers[int32](0, 1), numbers[int32](1, 1), nil, numbers[int64](1)}}), "of 1"},
		"range overflow":      {encode(ranges, testBatch{rows: 1, nodes: [][2]int64{{1, 0}, {1, 0}}, buffers: [][]byte{nil, numbers[int32](math.MaxInt32), numbers[int32](math.MaxInt32), nil, numbers[int64](1)}}), "of 1"},
		"runs backwards":      {encode(runs, testBatch{rows: 2, nodes: [][2]int64{{2, 0}, {2, 0}, {2, 0}}, buffers: [][]byte{nil, numbers[int32](2, 2), nil, numbers[int64](1, 2)}}), "run 1 ends at 2"},
		"runs that end early": {encode(runs, testBatch{rows: 3, nodes: [][2]int64{{3, 0}, {2, 0}, {2, 0}}, buffers: [][]byte{nil, numbers[int32](1, 2), nil, numbers[int64](1, 2)}}), "last run ends at 2"},
		"runs without values": {encode(runs, testBatch{rows: 2, nodes: [][2]int64{{2, 0}, {2, 0}, {1, 0}}, buffers: [][]byte{nil, numbers[int32](1, 2), nil, numbers[int64](1)}}), "1 values for 2 runs"},
		"runs of no ends":     {encode(runs, testBatch{rows: 2, nodes: [][2]int64{{2, 0}, {1, 1}, {1, 0}}, buffers: [][]byte{{0}, numbers[int32](2), nil, numbers[int64](1)}}), "not numbers"},
		"short field":         {encode(structs, testBatch{rows: 2, nodes: [][2]int64{{2, 0}, {1, 0}}, buffers: [][]byte{nil, nil, numbers[int64](1)}}), "1 values for 2"},
		"deep fields":         {encode(deep), "nested"},
		"list of two fields":  {encode([]testField{{name: "n", typ: typeList, children: append(integer, integer...)}}), "2 child fields"},
		"other type":          {encode([]testField{{name: "n", typ: 3}}), "type 3"},
		"integers of 7 bits":  {encode([]testField{{name: "n", typ: typeInt, bits: 7}}), "7 bits"},
		"long name":           {encode([]testField{{name: strings.Repeat("n", 5000), typ: typeUtf8}}), "5000 bytes"},
		"LZ4 says more":       {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, zeros}, codec: 1, lengths: map[int]int64{1: 1 << 19}}), "longer than its"},
		"LZ4 says less":       {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, zeros}, codec: 1, lengths: map[int]int64{1: 1<<20 + 1}}), "LZ4"},
		"LZ4 says nothing":    {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, zeros}, codec: 1, lengths: map[int]int64{1: 2 << 20}}), "can't hold a buffer"},
		"Zstandard says more": {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, zeros}, codec: 2, lengths: map[int]int64{1: 1 << 19}}), "Zstandard"},
		"Zstandard says less": {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, zeros}, codec: 2, lengths: map[int]int64{1: 2 << 20}}), "instead of 2097152"},
		"-2 bytes":            {encode(integer, testBatch{rows: 2, nodes: two, buffers: [][]byte{nil, zeros}, codec: 2, lengths: map[int]int64{1: -2}}), "-2"},
	} {
		if _, err := read(test.stream, 4<<20); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want something with %q", name, err, test.says)
		}
	}
}

// TestLimit: buffers count by what they have when they are decompressed, and each
// time they are read.
func TestLimit(t *testing.T) {
	integer := testField{name: "n", typ: typeInt, bits: 64}
	const n = 1 << 20
	for name, stream := range map[string][]byte{
		"as it is":  encode([]testField{integer}, testBatch{rows: n, nodes: [][2]int64{{n, 0}}, buffers: [][]byte{nil, make([]byte, 8*n)}}),
		"LZ4":       encode([]testField{integer}, testBatch{rows: n, nodes: [][2]int64{{n, 0}}, buffers: [][]byte{nil, make([]byte, 8*n)}, codec: 1}),
		"Zstandard": encode([]testField{integer}, testBatch{rows: n, nodes: [][2]int64{{n, 0}}, buffers: [][]byte{nil, make([]byte, 8*n)}, codec: 2}),
		"twice": encode([]testField{integer, integer}, testBatch{rows: n / 2, nodes: [][2]int64{{n / 2, 0}, {n / 2, 0}}, buffers: [][]byte{make([]byte, 4*n)},
			places: [][2]int64{{0, 0}, {0, 4 * n}, {0, 0}, {0, 4 * n}}}),
	} {
		if _, err := read(stream, 8*n); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var limit *LimitError
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(stream, 8*n-1)
		runtime.ReadMemStats(&after)
		if !errors.As(err, &limit) {
			t.Errorf("%s with one byte less: %v", name, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
			t.Errorf("%s with one byte less: %d bytes are allocated", name, got)
		}
	}
}

// recorded returns streams of a real agent.
func recorded(t testing.TB) map[string][]byte {
	files, err := filepath.Glob("../testdata/*.arrow")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = data
	}
	return all
}

// walk asks for every value.
func walk(c *Column) {
	plain := c.Plain()
	for i := range min(c.Len, 1<<16) {
		c.Value(i)
		switch plain.Kind {
		case Int, Time:
			c.Int(i)
			c.Bits(i)
		case Text, View, Fixed:
			c.Bytes(i)
		case List, Ranges:
			c.Range(i)
		}
	}
	for _, child := range c.children {
		walk(child)
	}
	if c.values != nil {
		walk(c.values)
	}
}

// TestDamaged: streams of which some bits are others, or of which there is only
// the beginning, are errors or values, in no more memory than the limit says.
func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, data := range recorded(t) {
		if all, err := read(data, 1<<20); err != nil || len(all) != 1 || all[0].Rows == 0 {
			t.Fatalf("%s: %d records, %v", name, len(all), err)
		}
		for n := range 2000 {
			d := bytes.Clone(data)
			if n%2 == 0 {
				d[rng.IntN(len(d))] ^= 1 << rng.IntN(8)
			} else {
				d = d[:rng.IntN(len(d))]
			}
			var before, after runtime.MemStats
			if n%20 == 0 {
				runtime.ReadMemStats(&before)
			}
			all, _ := read(d, 1<<20)
			for _, rec := range all {
				for _, c := range rec.Columns {
					walk(c)
				}
			}
			if n%20 == 0 {
				runtime.ReadMemStats(&after)
				if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
					t.Errorf("%s: %d bytes are allocated", name, got)
				}
			}
		}
	}
}

func TestAppendTexts(t *testing.T) {
	for _, want := range [][]string{nil, {""}, {"a"}, {"0123456789abcdef", "", "xyz"}} {
		var in [][]byte
		for _, s := range want {
			in = append(in, []byte(s))
		}
		stream := AppendTexts([]byte("before"), "id", in)[len("before"):]
		all, err := read(stream, 0)
		if err != nil || len(all) != 1 || len(all[0].Columns) != 1 {
			t.Fatalf("%q: %d records, %v", want, len(all), err)
		}
		if got := texts(all[0].Column("id")); !reflect.DeepEqual(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range recorded(f) {
		f.Add(data)
	}
	f.Add(AppendTexts(nil, "id", [][]byte{[]byte("a"), []byte("bc")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, _ := read(data, 1<<20)
		for _, rec := range all {
			for _, c := range rec.Columns {
				walk(c)
			}
		}
	})
}
