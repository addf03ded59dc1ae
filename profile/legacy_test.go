package profile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"

	gp "github.com/google/pprof/profile"
)

// legacyBytes is decodeLegacy of data.
func legacyBytes(data []byte, lim Limits) (*Profile, error) {
	m := newMeter(lim.withDefaults(), int64(len(data)))
	return decodeLegacy(func() (io.Reader, error) { return bytes.NewReader(data), nil }, lim, &m)
}

func TestLegacyCorpus(t *testing.T) {
	files := parityFiles(t, "legacy/*.string")
	if len(files) == 0 {
		t.Skip("no legacy profiles")
	}
	for _, golden := range files {
		file := strings.TrimSuffix(golden, ".string")
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := readFile(t, file)
			p, err := legacyBytes(data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			diffLines(t, rawText(t, p), string(readFile(t, golden)))
			g, err := gp.ParseData(data)
			if err != nil {
				t.Fatal(err)
			}
			sameAsOracle(t, p, g)
		})
	}
}

// TestLegacyOwnTexts compares what today's runtime writes.
func TestLegacyOwnTexts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range files {
		data := readFile(t, file)
		g, err := gp.ParseData(data)
		if err != nil {
			continue // a goroutine dump
		}
		p, err := legacyBytes(data, Limits{})
		if err != nil {
			t.Fatal(file, err)
		}
		sameAsOracle(t, p, g)
		compared++
	}
	if compared < 5 {
		t.Errorf("compared %d texts only", compared)
	}
}

// TestLegacyRuntime compares what the runtime tells of this program.
func TestLegacyRuntime(t *testing.T) {
	texts := map[string][]byte{"allocations of many stacks": allocationsText(1000)}
	for _, p := range pprof.Profiles() {
		var text bytes.Buffer
		if err := p.WriteTo(&text, 1); err != nil {
			t.Fatal(err)
		}
		texts[p.Name()] = text.Bytes()
	}
	for name, data := range texts {
		g, err := gp.ParseData(data)
		if err != nil {
			t.Fatal(name, err)
		}
		p, err := legacyBytes(data, Limits{})
		if err != nil {
			t.Fatal(name, err)
		}
		sameAsOracle(t, p, g)
	}
}

const (
	heapTop   = "heap profile: 3: 240 [5: 400] @ heap/1048576\n"
	threadTop = "--- threadz 1 ---\n\n--- Thread 7f (name: main/1) stack: ---\n"
	mapTop    = "MAPPED_LIBRARIES:\n"
	javaTop   = "--- heapz 1 ---\nformat = java\nresolution = bytes\n"
)

// legacyTexts are profiles that both decoders have to take, to the same effect.
var legacyTexts = map[string]string{
	"heap": "heap profile:    3:   240 [    5:   400] @ heap/1048576\n" +
		"   1:    80 [    1:    80] @ 0x400100 0x400200\n   2:   160 [    4:   320] @ 0x400300\n" +
		"\nMAPPED_LIBRARIES:\nbuild=/bin/prog\n00400000-00500000 r-xp 00000000 00:00 0 $build\n",
	"heap, in use only":      "heap profile: 3: 240 [3: 240] @ heap/1048576\n1: 80 [1: 80] @ 0x1 0x2\n",
	"heap, in use, zeros":    "heap profile: 3: 240 [0: 0] @ heap_v2/524288\n1: 80 [0: 0] @ 0x1 0x2\n",
	"heap, no rate":          "heap profile: 3: 240 [5: 400] @ heap\n1: 80 [1: 80] @ 0x1\n",
	"heap, not sampled":      "heap profile: 3: 240 [5: 400] @ heapprofile\n1: 80 [1: 80] @ 0x1\n",
	"heap, every byte":       "heap profile: 3: 240 [5: 400] @ heapz_v2/1\n1: 80 [1: 80] @ 0x1\n",
	"heap, leading zeros":    "heap profile: 03: 240 [3: 240] @ heap/08\n1: 80 [01: 080] @ 0x0001\n",
	"heap, within a line":    "I0102 heap profile: x heap profile:3:240[5:400]@heap/2/3\n1:80[1:80] @ 0x1\n",
	"heap, nothing in use":   heapTop + "0: 0 [7: 77] @ 0x1\n0: 0 [0: 0] @ 0x2\n",
	"heap, negative":         heapTop + "-1: -80 [1: 80] @ 0x1\n",
	"heap, sample in a line": heapTop + "a 5 1 --1: -8 [x 2: 80 [1: 80] @ 0x1 trailing 0x2\n",
	"heap, no stack":         heapTop + "1: 80 [1: 80] @\n1: 80 [1: 80] @ \n",
	"heap, odd addresses":    heapTop + "1: 80 [1: 80] @ 0x0x12x 0x 5 x0x1f0x2 00x3 0xffffffffffffffff 0x00000000000000000000001 0x0\n",
	"heap, repeated":         heapTop + "1: 80 [1: 80] @ 0x1 0x2\n1: 80 [1: 80] @ 0x1 0x2\n",
	"heap, comments":         heapTop + "#\t0x1\tmain.f+0x1\t/f.go:1\n\n   \n  # MAPPED_LIBRARIES:\n\u00a0\n1: 80 [1: 80] @ 0x1\n",
	"heap, CRLF":             strings.ReplaceAll(heapTop+"1: 80 [1: 80] @ 0x1\n"+mapTop+"0-9 /x\n", "\n", "\r\n"),
	"heap, cut":              heapTop + "1: 80 [1: 80] @ 0x1 0x2",
	"heap, empty":            heapTop,
	"heap, map in a sample":  heapTop + "1: 80 [1: 80] @ 0x1 --- Memory map: ---\n0-9 /x\n",
	"growth":                 "heap profile: 85: 178 [ 85: 178] @ growthz\n1: 20 [1: 20] @ 0xb83003 0xb87d50\n",
	"growth, odd":            "heap profile: 85: 178 [ 85: 178] @ growthx\n1: 20 [2: 40] @ 0xb83003\n",
	"fragmentation":          "heap profile: 85: 178 [ 85: 178] @ fragmentationz\n1: 20 [1: 20] @ 0xb83003 0xb87d50\n",

	"count":                "threadcreate profile: total 2\n1 @ 0x44cb3 0x45045\n1 @ 0x44cb3\n",
	"count, octal":         "x profile: total 99999999999999999999999\n010 @ 0x1\n00 @ 0x2\n",
	"count, comments":      "# c\n\n \t\nthreadcreate profile: total 2\n# labels: {\"a\":\"b\"}\n1 @ 0x1\n---\nMAPPED_LIBRARIES:\n0-9 /x\n",
	"count, map":           "threadcreate profile: total 2\n1 @ 0x1\n--- MAPPED_LIBRARIES:\n0-9 /x\n",
	"count, sections":      "threadcreate profile: total 2\n1 @ 0x1\n--- a ---\nx\n# --- Memory map: ---\n0-9 /x\n",
	"count of objects":     "objects profile: total 2\n1 @ 0x1\n",
	"count, empty":         "threadcreate profile: total 0\n",
	"count, space in name": "a\vb profile: total 0\n1 @ 0x0\n",

	"threads": "--- threadz 1 ---\n\n--- Thread 7f (name: main/1) stack: ---\n  PC: 0x400100 f\n  0x400200 g\n" +
		"--- Thread 80 (name: worker/2) stack: ---\n    [same as previous thread]\n" +
		"--- Memory map: ---\n  00400000-00500000: /bin/prog\n",
	"threads, no header":    "#\n--- Thread 7F (name: /a/b/1) stack: ---\n0x1 0x2 0x3\n--- Memory map: ---\n",
	"threads, doubled leaf": threadTop + "0x10 0x10 0x20\n--- Memory map: ---\n",
	"threads, no stack":     threadTop + "---- no stack trace for 5\n--- Memory map: ---\n0-9 /x\n",
	"threads, same first":   threadTop + "same as previous thread\n--- Memory map: ---\n",
	"threads, same and not": threadTop + "0x5\n--- Thread 80 (name: x/2) stack: ---\n0x9 0x1 0x3 same as previous thread\n" +
		"0x1 0x2\nsame as previous thread\n--- Thread 81 (name: y/3) stack: ---\n0x1\n0x9\n--- Memory map: ---\n",
	"threads, empty stack":       threadTop + "0x1\n--- Thread 80 (name: worker/2) stack: ---\nnothing\n--- Memory map: ---\n",
	"threads, ends with the map": threadTop + "0x1\n\n  MAPPED_LIBRARIES:\n",
	"threads, odd names":         "x--- Thread  --- Thread 1 (name: --- Thread 2 (name: a/b/3) stack: ---\n0x1\n--- Memory map: ---\n",

	"contention": "--- contentionz 1 ---\ncycles/second = 3201000000\nsampling period = 100\nms since reset = 5000\n" +
		"discarded samples = 0\n    19490304     27 @ 0x400100 0x400200\n--- Memory map: ---\n  00400000-00500000: /bin/prog\n",
	"contention, mutex":       "--- mutex:\ncycles/second=2099998770\nsampling period=1\n1350126 2 @ 0x46d3a5 0x4a41f6\n#\t0x46d3a4\tf+0x1\t/f.go:1\n",
	"contention, one number":  "--- contention:\nsampling period=0\n12 @ 0x1\n3@ 4 56 @\n",
	"contention, in a line":   "--- contention:\ncycles/second=-1\n x @ 1 @ y12 34 @ 0x1z 0x2\n",
	"contention, hexadecimal": "--- contention:\ncycles/second = 0x7_f\nsampling period = 1_0\n ms since reset = 0b11\n5 6 @ 0x1\n",
	"contention, large":       "--- contention:\nsampling period = 9223372036854775807\ncycles/second = 3\n9223372036854775807 3 @ 0x1\n",
	"contention, no header":   "--- mutex: x\n5 6 @ 0x1\n--- Memory map: ---\n0-9 /x\n",
	"contention, header only": "--- mutex:\nsampling period=9\n---\n",

	"java": javaTop + "   7   7168 @ 0x1 0x2\n0x1 java.lang.Object.wait (Object.java:42)\n0x2 GC\n",
	"java, frames": javaTop + "   7168 7 @ 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9 0xa\nx 5 1 @  0x1 0xb\n\n" +
		"0x1 a.b  (c (x:1):-5)\n0x2 a (b) (c:99999999999999999999)\n0x3 lib (/usr/lib/lib.so)\n0x4 generated stub/JIT x\n0x5\n" +
		"0xA  a.b (other:7)\n0x7 a:1)\n0x8 (b:2)\n0x9 a ()\n0x99 unused (x:1)\n0x6 y (:1)\n0x1 again (z:3)\nrest\n",
	"java, no newline":     javaTop + "7168 7 @ 0x1\n0x1 f (f:1)",
	"java, cut":            javaTop + "7168 7 @ 0x1\n1 1 @ 0x2",
	"java, cut header":     "--- heapz 1 ---\nresolution = bytes",
	"java, contention":     "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 0x10\nms since reset = 7\n1 14 @ 0x3\n",
	"java, no period":      "--- contentionz 1 ---\nformat = java\nresolution = microseconds\n1 14 @ 0x3\n",
	"java, odd attributes": "--- heapz 1 ---\n==x=; format=java=b;resolution=y\nresolution = by tes!\n5 1 @ 0x1\n",
	"java, unused first":   javaTop + "7168 7 @ 0x1 0x2 \n0x2 f (f:1)\n0x1 f (g:2)\n0x2 g (h:3)\n",

	"maps": heapTop + "1: 80 [1: 80] @ 0x1001 0x2001 0x3001 0x6001 0x7fff0001 0xffffffffffffffff 0x0 0x1\n" + mapTop +
		"00001000-00002000 rw-p 00000000 00:00 0 /data\n" +
		"00002000-00003000 r-xp 00000000 00:00 0 /lib/libc.so.6\n" +
		"00003000-00004000 r-xp 00001000 00:00 0 /lib/libc.so.6\n" +
		"00006800-00007000 r-xp 00001000 00:00 0 [vdso]\n" +
		"0x7fff0000-0x7fff1000: /bin/prog (@FF00) abc123\n",
	"maps, no fix behind the last": heapTop + "1: 8 [1: 8] @ 0x2 0x6001\n" + mapTop + "00006800-00007000 r-xp 00001000 00:00 0 /x\n",
	"maps, fixes":                  heapTop + "1: 8 [1: 8] @ 0x6001 0x6801 0x6101 0x5801 0x2\n" + mapTop + "00006800-00007000 r-xp 00001000 00:00 0 /x\n00006900-00007000 r-xp 00002000 00:00 0 /y\n0-5 [z]\n",
	"maps, overlapping":            heapTop + "1: 8 [1: 8] @ 0x11 0x21 0x31 0x41\n" + mapTop + "20-30 /a\n10-40 /b\n10-50 /c\n50-10 /d\n",
	"maps, huge pages":             heapTop + "1: 8 [1: 8] @ 0x11 0x21\n" + mapTop + "10-20 /anon_hugepage (deleted)\n20-30 /a\n",
	"maps, linked":                 heapTop + "1: 8 [1: 8] @ 0x400011 0x401011\n" + mapTop + "401000-402000 r-xp 00001000 00:00 0 /a\n",
	"maps, main":                   heapTop + mapTop + "1-2 [a]\n3-4 (deleted)\n5-6 /b.so\n7-8 /b.so_1\n9-a /b.soa.so.x\nb-c /d\n",
	"maps, attributes":             heapTop + mapTop + "a=b\n$a=c$a\nbuild=/x\n$a=$build/y\n=z\n1-2 $build/$a/$b$\n3-4 $\n",
	"maps, logged": heapTop + mapTop + "I0102 a:12] 1-2 /a\n:1] 3-4 /b\n[x:1] 5-6 /c\nx:1]7-8 /d\nx:] 9-a /e\nx:1]\tb-c /f\n" +
		"x]y:1] d-e /g\n",
	"maps, odd": heapTop + mapTop + "abc\n00x1 2\n0x1\n12345678901234567-2 r-xp\n1-12345678901234567=7\n1-2 rw-p x=y\n  1 - 2 : x\n1 2: r-xp\n" +
		"1-2 x 12345678901234567 00:00 0 y\n1-2 x (@12345678901234567)\ndeadbeef=1\n1-2 r-xp fff 1:2 3\n1-2 fff 1:2 3 x y\n",
}

// legacyWords are CPU profiles that both decoders have to take, with the bytes to
// cut off their end.
var legacyWords = map[string]struct {
	words []uint64
	tail  string
	cut   int
}{
	"cpu":                 {[]uint64{0, 3, 0, 1000, 0, 5, 2, 0x400100, 0x400200, 1, 1, 0x400300, 0, 1, 0}, mapTop + "00400000-00500000 r-xp 00000000 00:00 0 /bin/prog\n", 0},
	"cpu, no mark":        {[]uint64{0, 3, 0, 1000, 0, 5, 2, 0x400100, 0x400200}, "", 0},
	"cpu, empty":          {[]uint64{0, 3, 0, 1000, 0}, "", 0},
	"cpu, no stack":       {[]uint64{0, 3, 0, 1000, 0, 5, 0, 0, 0, 0, 1, 0}, "", 0},
	"cpu, signal frames":  {[]uint64{0, 3, 0, 1000, 0, 1, 3, 1, 9, 3, 1, 4, 2, 9, 8, 4, 1, 1, 5, 1, 3, 3, 9, 8, 0, 1, 0}, "", 0},
	"cpu, handler":        {[]uint64{0, 3, 0, 1000, 0, 1, 3, 1, 9, 3, 1, 4, 2, 9, 8, 4, 1, 3, 3, 9, 8, 0, 1, 0}, "", 0},
	"cpu, doubled leaves": {[]uint64{0, 3, 0, 1000, 0, 1, 3, 1, 1, 3, 1, 2, 2, 7, 0, 1, 0}, "", 0},
	"cpu, java":           {[]uint64{0, 3, 1, 1000, 0, 5, 2, 7, 8, 1, 2, 8, 0, 0, 1, 0}, "\n0x7 f (f.java:1)\n0x8 GC\n", 0},
}

func (w words) append(values []uint64) (b []byte) {
	for _, v := range values {
		if w.size == 4 {
			b = w.order.(binary.AppendByteOrder).AppendUint32(b, uint32(v))
		} else {
			b = w.order.(binary.AppendByteOrder).AppendUint64(b, v)
		}
	}
	return b
}

func eachLegacy(f func(name string, data []byte)) {
	for name, text := range legacyTexts {
		f(name, []byte(text))
	}
	for name, c := range legacyWords {
		for _, size := range []int{4, 8} {
			for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
				data := append(words{size: size, order: order}.append(c.words), c.tail...)
				f(fmt.Sprintf("%s, %d bytes, %s", name, size, order), data)
			}
		}
	}
	// A stack of which less than half is missing counts, with 8 bytes.
	w := words{size: 8, order: binary.LittleEndian}.append([]uint64{0, 3, 0, 1000, 0, 5, 4, 1, 2, 3})
	f("cpu, cut off in the middle of a stack", w[:len(w)-8])
	f("cpu, cut off in an address", w[:len(w)-3])
}

func TestLegacySameAsOracle(t *testing.T) {
	eachLegacy(func(name string, data []byte) {
		t.Run(name, func(t *testing.T) {
			g, err := gp.ParseData(bytes.Clone(data))
			if err != nil {
				t.Fatalf("the oracle refuses it: %v", err)
			}
			p, err := legacyBytes(data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			sameAsOracle(t, p, g)
		})
	})
}

func TestLegacyErrors(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", "not a profile in a known format"},
		{"text", "hello\n", "not a profile in a known format"},
		{"zeros", strings.Repeat("\x00", 100), "not a profile in a known format"},
		{"gzip", "\x1f\x8b\x08", "not a profile in a known format"},
		{"one long line", strings.Repeat("x", maxTextLine+1), "not a profile in a known format"},
		{"kind of heap", "heap profile: 1: 2 [3: 4] @ heapy/7\n", "not a profile in a known format"},
		{"heap", heapTop + "1: 80 [1: 80] @ 0x1\n1: 80 (1: 80) @ 0x1\n",
			`at byte 65: line 3 of a heap profile: "1: 80 (1: 80) @ 0x1" is not COUNT: BYTES [COUNT: BYTES] @ ADDRESSES`},
		{"heap value", heapTop + "1: 80 [1: 99999999999999999999] @ 0x1\n", "line 2 of a heap profile: 99999999999999999999 is out of range"},
		{"heap address", heapTop + "1: 80 [1: 80] @ 0x12345678901234567\n", "line 2 of a heap profile: an address is out of range"},
		{"heap size", heapTop + "0: 80 [1: 80] @ 0x1\n", "line 2 of a heap profile: no objects, but 80 bytes of them"},
		{"count", "a profile: total 1\n1 @ 0x1 0x\n", `at byte 19: line 2 of a count profile: bad address in "1 @ 0x1 0x"`},
		{"count blank", "a profile: total 1\n1 @ 0x1 \n", "line 2 of a count profile: bad address"},
		{"count value", "a profile: total 1\n08 @ 0x1\n", "line 2 of a count profile: 08 is out of range"},
		{"count line", "a profile: total 1\n @ 0x1\n", `line 2 of a count profile: " @ 0x1" is not COUNT @ ADDRESSES`},
		{"threads", threadTop + "0x1\n", "line 5 of a thread profile: the list of threads has no end"},
		{"no threads", "--- threadz 1 ---\n\n", "line 3 of a thread profile: no threads"},
		{"thread", threadTop + "0x1\n--- x\n", `line 5 of a thread profile: "--- x" is not the header of a thread`},
		{"contention", "--- mutex:\nsampling period=x\n", `line 2 of a contention profile: "x" is not a number`},
		{"contention attribute", "--- mutex:\nx=1\n", `line 2 of a contention profile: unknown attribute "x"`},
		{"contention line", "--- mutex:\n7 @ 0x1\n", `line 2 of a contention profile: "7 @ 0x1" is not CYCLES COUNT @ ADDRESSES`},
		{"java attribute", javaTop + "x = y\n", `line 4 of a Java profile: unknown attribute "x"`},
		{"java contention", "--- contentionz 1 ---\nformat = java\nresolution = s\nx = y\n", `line 4 of a Java profile: unknown attribute "x"`},
		{"java format", "--- heapz 1 ---\nformat = c\n", `line 2 of a Java profile: unknown attribute "format"`},
		{"java order", "--- heapz 1 ---\n1 1 @ 0x1\n", `line 2 of a Java profile: a sample before its resolution`},
		{"java count", javaTop + "5 0 @ 0x1\n", "line 4 of a Java profile: no objects, but 5 bytes of them"},
		{"java location", javaTop + "0x12345678901234567 f\n", "line 4 of a Java profile: 0x12345678901234567 is out of range"},
		{"cpu", string(words{size: 4, order: binary.BigEndian}.append([]uint64{0, 3, 0, 1, 0, 1, 1, 1, 2, 5, 1})),
			"at byte 32: the CPU profile is cut off in a stack of 5"},
		{"cpu, within a word", string(words{size: 4, order: binary.BigEndian}.append([]uint64{0, 3, 0, 1, 0})) + "x", "at byte 20: the CPU profile is cut off"},
	} {
		if g, err := gp.ParseData([]byte(c.data)); err == nil {
			t.Errorf("%s: the oracle takes it:\n%s", c.name, g)
		}
		if _, err := legacyBytes([]byte(c.data), Limits{}); err == nil || !strings.HasSuffix(err.Error(), c.want) && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// TestLegacyBounds has input that would cost far more than its size.
func TestLegacyBounds(t *testing.T) {
	attributes := heapTop + mapTop + "a=0123456789\n"
	for i := range 60 {
		attributes += fmt.Sprintf("%c=$%c$%c\n", 'b'+i, 'a'+i, 'a'+i)
	}
	manyAttributes := heapTop + mapTop
	for i := range maxMapAttributes + 1 {
		manyAttributes += fmt.Sprintf("x%d=\n", i)
	}
	deep := words{size: 4, order: binary.LittleEndian}.append([]uint64{0, 3, 0, 1, 0, 1, 100, 1, 2, 3, 4})
	for _, c := range []struct {
		name, data string
		lim        Limits
		want       string
	}{
		{"attributes that double", attributes, Limits{}, "bytes in the memory map"},
		{"attributes", manyAttributes, Limits{}, "attributes in the memory map"},
		{"name of an attribute", heapTop + mapTop + strings.Repeat("x", maxMapName+1) + "=\n", Limits{}, "bytes in the name of an attribute"},
		{"mappings", heapTop + mapTop + strings.Repeat("1-2 f\n", maxMapMappings+1), Limits{}, "mappings"},
		{"memory map", heapTop + mapTop + strings.Repeat("\n", maxMapBytes+1), Limits{}, "bytes in the memory map"},
		{"line", "goroutine profile: total 1\n1 @" + strings.Repeat(" 0x1", maxTextLine/4+1<<20), Limits{}, "bytes in one line"},
		{"text", heapTop + strings.Repeat("#\n", 100), Limits{TextBytes: 100}, "bytes of text"},
		{"samples", heapTop + strings.Repeat("1: 80 [1: 80] @ 0x1\n", 4), Limits{Samples: 3}, "samples"},
		{"frames", heapTop + strings.Repeat("1: 80 [1: 80] @ 0x1\n", 4), Limits{Frames: 3}, "frames"},
		{"frames of a thread", threadTop + strings.Repeat("0x1\n", 4), Limits{Frames: 3}, "frames"},
		{"locations", heapTop + "1: 80 [1: 80] @ 0x1 0x2\n", Limits{Locations: 1}, "locations"},
		{"memory", heapTop + strings.Repeat("1: 80 [1: 80] @ 0x1\n", 1000), Limits{Memory: 10000}, memoryBytes},
		{"memory of words", string(words{size: 4, order: binary.LittleEndian}.append([]uint64{0, 3, 0, 1, 0, 1, 10000})) + strings.Repeat("x", 40000),
			Limits{Memory: 10000}, memoryBytes},
		{"memory of functions", javaTop + "1 1 @ 0x1\n" + strings.Repeat("0x1 f\n0x1 "+strings.Repeat("g", 9000)+"\n", 100), Limits{Memory: 10000}, memoryBytes},
		{"labels", heapTop + "1: 80 [1: 80] @ 0x1\n1: 81 [1: 80] @ 0x1\n", Limits{Labels: 1}, "labels"},
		{"words", string(deep), Limits{Frames: 3}, "frames"},
		{"functions", javaTop + "1 1 @ 0x1 0x2\n0x1 f\n0x2 g\n", Limits{Strings: 3}, "strings"},
	} {
		_, err := legacyBytes([]byte(c.data), c.lim)
		var limit *LimitError
		if !errors.As(err, &limit) || limit.What != c.want {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

// TestLegacyManyMappings has what takes quadratic time if every location is
// looked for in every mapping.
func TestLegacyManyMappings(t *testing.T) {
	var text strings.Builder
	text.WriteString(heapTop)
	const samples, mappings = 200_000, 60_000
	for i := range samples {
		fmt.Fprintf(&text, "1: 80 [1: 80] @ %#x\n", 0x10_0000_0001+i*0x1000)
	}
	text.WriteString(mapTop)
	for i := range mappings {
		fmt.Fprintf(&text, "%x-%x r-xp %x 0:0 0 f%d\n", 0x800+i*0x2000, 0x1000+i*0x2000, 0x400, i)
	}
	p, err := legacyBytes([]byte(text.String()), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Mappings) != mappings+1 || p.NumSamples() != samples {
		t.Errorf("%d mappings, %d samples", len(p.Mappings), p.NumSamples())
	}
}

func TestLegacyLeavesDataAlone(t *testing.T) {
	data := []byte(legacyTexts["heap"])
	p, err := legacyBytes(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != legacyTexts["heap"] {
		t.Error("the data was changed")
	}
	before := rawText(t, p)
	clear(data)
	diffLines(t, rawText(t, p), before)
}

func FuzzLegacy(f *testing.F) {
	eachLegacy(func(_ string, data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 60<<10 { // the oracle refuses lines of 64 KB
			return
		}
		p, err := legacyBytes(data, Limits{})
		g, gerr := gp.ParseData(bytes.Clone(data))
		if _, notProto := gp.ParseUncompressed(data); notProto == nil || len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b {
			return // the oracle took it for something else
		}
		if err != nil {
			var limit *LimitError
			if gerr == nil && !errors.As(err, &limit) && len(g.SampleType) > 0 {
				t.Fatalf("refused what the oracle takes: %v", err)
			}
			return
		}
		if gerr != nil {
			t.Fatalf("taken, but the oracle says %v", gerr)
		}
		sameAsOracle(t, p, g)
		if err := ToGoogle(p).CheckValid(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLegacySignatures checks that every legacy file of the corpus is recognized,
// and no file in another format is.
func TestLegacySignatures(t *testing.T) {
	for _, file := range corpus(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := !bytes.HasPrefix(data, []byte{0x1f, 0x8b})
		_, err = legacyBytes(data, Limits{})
		if got := !errors.Is(err, errNotLegacy); got != want {
			t.Errorf("%s: legacy %v, want %v", file, got, want)
		}
	}
}
