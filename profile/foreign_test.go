package profile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
)

// foldedText writes a profile's samples: for each sample type its lines of stack,
// labels and value, sorted.
func foldedText(p *Profile) string {
	var lines []string
	for s := range p.NumSamples() {
		var frames []string
		for _, l := range slices.Backward(p.Stack(s)) {
			lines := p.LocationLines(l)
			if len(lines) == 0 {
				name := "?"
				if m := p.MappingOf(l); m != nil {
					name = "[" + m.File + "]"
				}
				frames = append(frames, name)
			}
			for _, line := range slices.Backward(lines) {
				f := p.Functions[line.Function]
				text := p.Strings[f.Name]
				if file := p.Strings[f.File]; file != "" {
					text += "@" + file
				}
				if line.Line != 0 {
					text += fmt.Sprint(":", line.Line)
				}
				frames = append(frames, text)
			}
		}
		var labels []string
		for _, l := range p.SampleLabelSet(s) {
			if l.Numeric {
				labels = append(labels, fmt.Sprintf("%s=%d", p.Strings[l.Key], l.Num))
			} else {
				labels = append(labels, p.Strings[l.Key]+"="+p.Strings[l.Str])
			}
		}
		for t, st := range p.SampleTypes {
			if v := p.Values[t][s]; v != 0 {
				lines = append(lines, fmt.Sprintf("%s/%s %s {%s} %d", st.Type, st.Unit, strings.Join(frames, ";"), strings.Join(labels, ","), v))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// foreignFiles are small files of other tools, and what they hold.
var foreignFiles = map[string]struct{ in, want string }{
	"speedscope sampled": {
		`{"profiles":[{"type":"sampled","name":"main","unit":"microseconds","startValue":0,"endValue":9,"samples":[[0,1],[0],[0,1],[]],"weights":[2,1.5,4,0]}],` +
			`"shared":{"frames":[{"name":"a","file":"a.js","line":3,"col":1},{"name":"b\u00e9\ud83d\ude00"}]},"$schema":"https://www.speedscope.app/file-format-schema.json"}`,
		"time/nanoseconds a@a.js:3 {} 1500\ntime/nanoseconds a@a.js:3;bé😀 {} 6000",
	},
	"speedscope evented": {
		`{"$schema":"x","shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[{"type":"evented","name":"T1","unit":"seconds","startValue":0,"endValue":9,"events":[` +
			`{"type":"O","at":1,"frame":0},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":2.5},{"type":"C","frame":0,"at":4}]},` +
			`{"type":"sampled","name":"T2","unit":"none","samples":[[0]],"weights":[7]}]}`,
		"samples/count a {profile=T2} 7\ntime/nanoseconds a {profile=T1} 2500000000\ntime/nanoseconds a;b {profile=T1} 500000000",
	},
	"cpuprofile": {
		`{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,3]},` +
			`{"id":2,"callFrame":{"functionName":"main","scriptId":"1","url":"file:///m.js","lineNumber":9,"columnNumber":0},"hitCount":1,"children":[4]},` +
			`{"id":3,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":1},` +
			`{"id":4,"callFrame":{"functionName":"","scriptId":"1","url":"file:///m.js","lineNumber":19,"columnNumber":0},"hitCount":1}],` +
			`"startTime":1000,"endTime":1100,"samples":[2,4,4,3],"timeDeltas":[10,20,30,15]}`,
		"samples/count (idle) {} 1\nsamples/count main@file:///m.js:10 {} 1\nsamples/count main@file:///m.js:10;(anonymous)@file:///m.js:20 {} 2\n" +
			"time/nanoseconds (idle) {} 25000\ntime/nanoseconds main@file:///m.js:10 {} 20000\ntime/nanoseconds main@file:///m.js:10;(anonymous)@file:///m.js:20 {} 45000",
	},
	"firefox processed": {
		`{"meta":{"interval":1,"startTime":5,"preprocessedProfileVersion":48},"libs":[],"threads":[{"name":"Main","processName":"P","stringArray":["f","g","x.js"],` +
			`"funcTable":{"name":[0,1],"fileName":[2,null],"length":2},"frameTable":{"func":[0,1],"line":[7,null],"length":2},` +
			`"stackTable":{"frame":[0,1],"prefix":[null,0],"length":2},"samples":{"stack":[1,1,null,0],"time":[1,2,3,4],"weight":null,"weightType":"samples","length":4}}]}`,
		"samples/count f@x.js:7 {process=P,thread=Main} 1\nsamples/count f@x.js:7;g {process=P,thread=Main} 2",
	},
	"firefox shared": {
		`{"meta":{"interval":1},"threads":[{"name":"T","samples":{"stack":[1,0],"weight":[2.5,-1],"weightType":"tracing-ms"}}],"shared":{"stringArray":["f","s.c"],` +
			`"funcTable":{"name":[0],"source":[0]},"sources":{"filename":[1]},"frameTable":{"func":[0]},"stackTable":{"frame":[0,0],"prefix":[null,0]}}}`,
		"time/nanoseconds f@s.c {thread=T} -1000000\ntime/nanoseconds f@s.c;f@s.c {thread=T} 2500000",
	},
	"gecko": {
		`{"meta":{"version":24,"interval":2},"libs":[],"threads":[{"name":"GeckoMain","samples":{"schema":{"stack":0,"time":1},"data":[[1,0.5],[0,1],[null,2],[1]]},` +
			`"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},"frameTable":{"schema":{"location":0},"data":[[0],[1]]},"stringTable":["(root)","f (a.js:3:14)"]}],` +
			`"processes":[{"meta":{},"threads":[{"name":"Web","samples":{"schema":{"stack":0},"data":[[0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},` +
			`"frameTable":{"schema":{"location":0},"data":[[0]]},"stringTable":["0x1f"]}]}]}`,
		"samples/count (root) {thread=GeckoMain} 1\nsamples/count (root);f@a.js:3 {thread=GeckoMain} 2\nsamples/count 0x1f {thread=Web} 1",
	},
	"firefox with offsets of prefixes": {
		`{"meta":{"interval":1,"preprocessedProfileVersion":68},"threads":[{"name":"T","samples":{"stack":[3,2,1,0],"weight":null,"timeDeltas":[0,1.5,1,1]}}],` +
			`"shared":{"stringArray":["f","g","h"],"funcTable":{"name":[0,1,2]},"frameTable":{"func":[0,1,2]},"stackTable":{"frame":[0,1,2,0],"prefixOffset":[0,1,2,1],"length":4}}}`,
		"samples/count f {thread=T} 1\nsamples/count f;g {thread=T} 1\nsamples/count f;h {thread=T} 1\nsamples/count f;h;f {thread=T} 1",
	},
	"firefox threads with the same stacks": {
		`{"meta":{},"threads":[{"name":"A","samples":{"stack":[0,1,1],"weight":[5,2,-2]}},{"name":"B","samples":{"stack":[1,0,1],"weight":[1,-1,0.5]}},{"name":"C","samples":{"stack":[1,null]}}],` +
			`"shared":{"stringArray":["f","g"],"funcTable":{"name":[0,1]},"frameTable":{"func":[0,1]},"stackTable":{"frame":[0,1],"prefix":[null,0]}}}`,
		"samples/count f {thread=A} 5\nsamples/count f {thread=B} -1\nsamples/count f;g {thread=B} 2\nsamples/count f;g {thread=C} 1",
	},
	"gecko with sorted keys": { // so that data comes before its schema
		`{"meta":{"interval":2,"version":24},"threads":[{"frameTable":{"data":[[0,"x"],[1,null,[2]]],"schema":{"location":0}},"name":"M",` +
			`"samples":{"data":[[0.5,1],[1.5,0],[2,null],[3e9]],"schema":{"stack":1,"time":0}},"stackTable":{"data":[[0],[1,0]],"schema":{"frame":0,"prefix":1}},"stringTable":["f","g"]}]}`,
		"samples/count f {thread=M} 1\nsamples/count f;g {thread=M} 1",
	},
	"perf script": {
		"# ========\n# captured on: today\n#\n" +
			"java Thread 7 12/34 [001] 100.5: 250000 cycles:u: \n\t    7f0001 Lcom/foo/Bar;::run+0x1f (/tmp/perf-12.map)\n\t    400000 main+0x10 (/bin/java)\n\n" +
			"swapper     0 [000] 100.6: 100 cpu-clock: \n\tffffffff81 native_safe_halt ([kernel.kallsyms])\n\n" +
			"java Thread 7 12/34 [001] 100.7: 250000 cycles:u: \n\t    7f0001 Lcom/foo/Bar;::run (/tmp/perf-12.map)\n\t    400000 [unknown] (/bin/java)\n\n",
		"cpu-clock/nanoseconds native_safe_halt {comm=swapper} 100\ncpu-clock_samples/count native_safe_halt {comm=swapper} 1\n" +
			"cycles:u/count [/bin/java];Lcom/foo/Bar;::run {comm=java Thread 7,pid=12,tid=34} 250000\n" +
			"cycles:u/count main;Lcom/foo/Bar;::run {comm=java Thread 7,pid=12,tid=34} 250000\n" +
			"cycles:u_samples/count [/bin/java];Lcom/foo/Bar;::run {comm=java Thread 7,pid=12,tid=34} 1\n" +
			"cycles:u_samples/count main;Lcom/foo/Bar;::run {comm=java Thread 7,pid=12,tid=34} 1",
	},
	"perf script of Android's simpleperf": {
		"Gecko\t251 [007] 115.5:\t\t1000 task-clock:u:\n        b3cea6c4\tLock::unlock() const (/system/lib/libc.so)\n        b3cea535\tmain (/x)\n\n",
		"samples/count main;Lock::unlock() const {comm=Gecko,tid=251} 1\ntask-clock:u/nanoseconds main;Lock::unlock() const {comm=Gecko,tid=251} 1000",
	},
	"perf script of one line": {
		"perf 5 1.25:  sched:sched_switch:  7f01 foo(int, char const*)+0x2 (/lib/x.so)\nperf 5 1.5: sched:sched_switch: 7f02 operator() (/lib/x.so)\n",
		"samples/count foo(int, char const*) {comm=perf,tid=5} 1\nsamples/count operator() {comm=perf,tid=5} 1",
	},
	"folded with a byte order mark": {"\ufeffmain;f 3\nmain;g 4\n", "samples/count main;f {} 3\nsamples/count main;g {} 4"},
}

func zstandard(b []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	return w.EncodeAll(b, nil)
}

func TestForeignFormats(t *testing.T) {
	for name, tt := range foreignFiles {
		for how, data := range map[string][]byte{"plain": []byte(tt.in), "gzip": gzipped(t, []byte(tt.in)), "zstd": zstandard([]byte(tt.in))} {
			var l ledger
			p, err := DecodeBytes(data, Limits{Budget: &l})
			if err != nil {
				t.Errorf("%s, %s: %v", name, how, err)
				continue
			}
			if got := foldedText(p); got != tt.want {
				t.Errorf("%s, %s:\n%s\nwant\n%s", name, how, got, tt.want)
			}
			if q, err := Decode(bytes.NewBuffer(data), Limits{}); err != nil || foldedText(q) != tt.want {
				t.Errorf("%s, %s, as a stream: %v", name, how, err)
			}
			if _, err := NewTree(p, TreeOptions{Types: []int{0}}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestZstdProfile(t *testing.T) {
	b := NewBuilder(ValueType{"cpu", "nanoseconds"})
	b.Sample([]uint32{b.Location(0, 0, Line{Function: b.Function("f", "f", "f.go", 1)})}, nil, 5)
	var plain bytes.Buffer
	if err := b.Profile().EncodeUncompressed(&plain); err != nil {
		t.Fatal(err)
	}
	data := zstandard(plain.Bytes())
	p, err := DecodeBytes(data, Limits{})
	if err != nil || p.NumSamples() != 1 {
		t.Errorf("got %v, %v", p, err)
	}
	if _, err := DecodeBytes(data[:len(data)-5], Limits{}); err == nil || !strings.Contains(err.Error(), "zstd data") {
		t.Errorf("cut off: %v", err)
	}
}

// TestNamedFormats checks that files hone can't read are told what they are.
func TestNamedFormats(t *testing.T) {
	utf16le := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("main;f 1\r\n")) {
		utf16le = append(utf16le, byte(u), byte(u>>8))
	}
	for name, tt := range map[string]struct{ in, want string }{
		"perf.data":         {"PERFILE2h\x00\x00\x00\x00", "perf script"},
		"JFR":               {"FLR\x00\x00\x02\x00\x01", "jfrconv"},
		"UTF-16":            {string(utf16le), "UTF-16"},
		"xz":                {"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F\x02\x00!\x01\x16\x00\x00\x00t/\xe5\xa3", "xz -dk"},
		"bzip2":             {"BZh91AY&SY", "bzip2 -dk"},
		"lz4":               {"\x04\x22\x4d\x18\x64", "lz4 -dk"},
		"zip":               {"PK\x03\x04\x14\x00", "ZIP"},
		"LFS pointer":       {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "git lfs pull"},
		"callgrind":         {"# callgrind format\nversion: 1\nevents: Ir\nfn=main\n1 2\n", "Callgrind"},
		"hone's callgrind":  {"positions: instr line\nevents: cpu(ms)\n\nob=(1) x\nfl=(1) a.go\nfn=(1) main\n0x1 2 3\n", "Callgrind"},
		"Chrome trace":      {`{"traceEvents":[{"ph":"X"}]}`, "Chrome trace"},
		"array of events":   {`[{"ph":"X","name":"a"}]`, "Chrome trace"},
		"JSON":              {`{"a":{"b":[1,2,{"c":"}"}]}}`, "not a profile that hone reads"},
		"old cpuprofile":    {`{"head":{"functionName":"(root)","children":[]},"samples":[1]}`, "before 2016"},
		"JSON of V8's heap": {`{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"children":[]},"samples":[]}`, "heap profile of V8"},
		"Firefox devtools":  {`{"label":"","duration":1,"profile":{"meta":{},"threads":[]},"fileType":"Recorded Performance Data","version":2}`, "Firefox's older developer tools"},
		"DHAT":              {`{"dhatFileVersion":2,"mode":"heap"}`, "DHAT"},
		"stackprof":         {`{"version":1.2,"mode":"cpu","interval":1000,"samples":3,"gc_samples":0,"missed_samples":0,"frames":{}}`, "stackprof"},
		"simpleperf":        {"SIMPLEPERF\x01\x00X\x00", "simpleperf"},
		"ART":               {"SLOW\xf3\x00 \x00", "method trace of Android"},
		"ART, text":         {"*version\n3\ndata-file-overflow=false\n", "method trace of Android"},
		"V8 log":            {"v8-version,6,0,287,53,0\nshared-library,\"node\",0x1,0x2\n", "node --prof-process"},
		"page":              {"<!DOCTYPE html>\n<html>", "HTML page"},
		"program":           {"\x7fELF\x02\x01\x01", "a program"},
		"trace":             {"go 1.25 trace\x00\x00\x00", "execution trace"},
		"empty":             {"", "empty file"},
		"text":              {"hello world\nthis is it\n", "not in a format of profiles"},
	} {
		for how, in := range map[string][]byte{"plain": []byte(tt.in), "gzip": gzipped(t, []byte(tt.in))} {
			if _, err := DecodeBytes(in, Limits{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: got %v, want %q in it", name, how, err, tt.want)
			}
		}
	}
}

// TestHostileForeignFiles checks that damaged and hostile files are refused with
// the place, and take no more memory than they may.
func TestHostileForeignFiles(t *testing.T) {
	const speedscope = `{"shared":{"frames":[{"name":"a"}]},"profiles":[{"unit":"none",%s}]}`
	const firefox = `{"meta":{},"threads":[{"name":"T","stringArray":["f"],"funcTable":{"name":[%s]},"frameTable":{"func":[%s]},"stackTable":{"frame":[%s],"prefix":[%s]},"samples":{"stack":[%s]}}]}`
	const v8 = `{"nodes":[{"id":1,"callFrame":{"functionName":"a"},"children":[%s]},{"id":2,"callFrame":{"functionName":"b"},"children":[%s]}],"samples":[%s]}`
	for name, tt := range map[string]struct{ in, want string }{
		"frame out of range":   {fmt.Sprintf(speedscope, `"samples":[[1]],"weights":[1]`), "unknown frame 1"},
		"negative frame":       {fmt.Sprintf(speedscope, `"samples":[[-1]],"weights":[1]`), "unknown frame -1"},
		"huge frame":           {fmt.Sprintf(speedscope, `"samples":[[1e300]],"weights":[1]`), "not an index"},
		"missing weight":       {fmt.Sprintf(speedscope, `"samples":[[0],[0]],"weights":[1]`), "2 samples, but 1 weights"},
		"huge weight":          {fmt.Sprintf(speedscope, `"samples":[[0]],"weights":[1e300]`), "too large"},
		"unclosed frame":       {fmt.Sprintf(speedscope, `"events":[{"type":"O","at":0,"frame":0}]`), "1 frames open"},
		"closes what is shut":  {fmt.Sprintf(speedscope, `"events":[{"type":"C","at":0,"frame":0}]`), "not the innermost"},
		"time goes back":       {fmt.Sprintf(speedscope, `"events":[{"type":"O","at":5,"frame":0},{"type":"C","at":1,"frame":0}]`), "time goes back"},
		"cut off":              {`{"shared":{"frames":[{"name":"a`, "cut off"},
		"deep":                 {`{"profiles":` + strings.Repeat("[", 100_000), "nested more than"},
		"deep, passed over":    {`{"x":` + strings.Repeat(`{"x":[`, 100_000), "nested more than"},
		"mismatched":           {`{"x":[}`, "unexpected"},
		"long string":          {`{"shared":{"frames":[{"name":"` + strings.Repeat("x", 2<<20) + `"}]},"profiles":[{}]}`, "bytes in one string"},
		"stack cycle":          {fmt.Sprintf(firefox, "0", "0", "0,0", "1,0", "1"), "doesn't come before"},
		"stack out of range":   {fmt.Sprintf(firefox, "0", "0", "0", "null", "5"), "stack 5"},
		"func out of range":    {fmt.Sprintf(firefox, "0", "7", "0", "null", "0"), "function 7"},
		"frame beyond":         {fmt.Sprintf(firefox, "0", "0", "9", "null", "0"), "frame 9"},
		"string beyond":        {fmt.Sprintf(firefox, "3", "0", "0", "null", "0"), "string 3"},
		"prefix too far":       {`{"meta":{},"threads":[],"shared":{"stackTable":{"prefixOffset":[0,2]}},"threads":[{}]}`, "stack 1 begins 2 stacks before"},
		"process as text":      {`{"meta":{},"threads":[{},"{}"]}`, "a process is in it as text"},
		"columns of two sizes": {fmt.Sprintf(firefox, "0", "0", "0,0", "null", "0"), "2 frames, but 1 prefixes"},
		"node cycle":           {fmt.Sprintf(v8, "2", "1", "2"), "among its own callers"},
		"missing child":        {fmt.Sprintf(v8, "9", "", "2"), "node 9"},
		"missing node":         {fmt.Sprintf(v8, "2", "", "5"), "node 5"},
		"perf in the middle":   {"a 1/2 1.0: 5 cycles:\n\t12 f (x)\n\nwhat is this\n", "line 4 of perf script"},
	} {
		_, err := DecodeBytes([]byte(tt.in), Limits{})
		var syntax *SyntaxError
		var limit *LimitError
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &syntax) && !errors.As(err, &limit) {
			t.Errorf("%s: got %v, want %q in it", name, err, tt.want)
		}
	}
}

// TestRootsInRoots: nodes that claim to be roots are frames like others, so that their
// stacks, which take long to walk for each of them, have the limit of those.
func TestRootsInRoots(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `{"id":%d,"callFrame":{"functionName":"(root)"},"hitCount":1,"children":[%d]},`, i, i+1)
	}
	_, err := DecodeBytes([]byte(`{"nodes":[`+b.String()+`{"id":1000,"callFrame":{"functionName":"f"}}],"samples":[]}`), Limits{Frames: 100_000})
	var limit *LimitError
	if !errors.As(err, &limit) || limit.What != "frames" {
		t.Errorf("got %v", err)
	}
}

// FuzzForeign decodes whatever looks like a file of another tool, with little memory.
func FuzzForeign(f *testing.F) {
	for _, tt := range foreignFiles {
		f.Add([]byte(tt.in))
		f.Add(zstandard([]byte(tt.in)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var l ledger
		p, err := DecodeBytes(data, Limits{Frames: 10_000, TextBytes: 1 << 16, Memory: 8 << 20, Budget: &l})
		if err != nil {
			if l.now != 0 {
				t.Fatalf("%d bytes are not given back after %v", l.now, err)
			}
			return
		}
		if len(p.SampleTypes) == 0 {
			return
		}
		if _, err := NewTree(p, TreeOptions{Types: []int{0}}); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := p.Encode(&b); err != nil {
			t.Fatal(err)
		}
	})
}
