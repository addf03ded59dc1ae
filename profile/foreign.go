package profile

import (
	"bytes"
	"errors"
	"io"
)

// Formats of other tools are recognized by how they begin, and are decoded while they
// are read. A comment at each decoder describes its format. For formats that hone
// doesn't read, an error names the format and a converter.

// ErrPerfData is the error of Decode about a file of perf record.
var ErrPerfData = errors.New("this is a perf.data file of Linux perf: convert it with perf script -i FILE >out.perf")

// ErrTrace is the error of Decode about an execution trace.
var ErrTrace = errors.New("this is an execution trace, not a profile: open it with hone wall or hone flame")

// namedFormats are formats that hone knows but doesn't read.
var namedFormats = []struct {
	magic  string
	advice string
}{
	{"FLR\x00", "this is a JFR recording of a Java VM, not a profile that hone reads: convert it with async-profiler's jfrconv -o collapsed FILE.jfr out.folded"},
	{"\xff\xfe", "this is UTF-16 text, as PowerShell's > writes: convert it with iconv -f UTF-16 -t UTF-8 FILE, or write it with Out-File -Encoding utf8"},
	{"\xfe\xff", "this is UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8 FILE"},
	{"BZh", "this is compressed with bzip2: decompress it with bzip2 -dk FILE"},
	{"\xfd7zXZ\x00", "this is compressed with xz: decompress it with xz -dk FILE"},
	{"\x04\x22\x4d\x18", "this is compressed with lz4: decompress it with lz4 -dk FILE"},
	{"PK\x03\x04", "this is a ZIP archive: unpack it, and open the profile in it"},
	{"version https://git-lfs.github.com/spec/", "this is a Git LFS pointer, not the file itself: fetch the file with git lfs pull"},
	{"# callgrind format", callgrindAdvice},
	{"SIMPLEPERF\x01", "this is a recording of Android's simpleperf, not a profile that hone reads: convert it with simpleperf's pprof_proto_generator.py"},
	{"SLOW\x02\x00", artAdvice},
	{"SLOW\x03\x00", artAdvice},
	{"SLOW\xf2\x00", artAdvice},
	{"SLOW\xf3\x00", artAdvice},
	{"SLOW\xf4\x00", artAdvice},
	{"*version\n", artAdvice},
	{"v8-version,", "this is a log of V8, not a profile that hone reads: run node --cpu-prof in place of --prof, or read it with node --prof-process"},
}

const artAdvice = "this is a method trace of Android, not a profile that hone reads: open it in profiler.firefox.com, and save it from there"

const callgrindAdvice = "this is a Callgrind file, which has calls but no stacks: open it with KCachegrind, or open the profile that it was made from"

// namedFormat returns the error for input that begins like one of namedFormats.
func namedFormat(prefix []byte) error {
	if hasAnyPrefix(prefix, "PERFILE2", "PERFFILE") {
		return ErrPerfData
	}
	for _, f := range namedFormats {
		if bytes.HasPrefix(prefix, []byte(f.magic)) {
			return errors.New(f.advice)
		}
	}
	if bytes.HasPrefix(prefix, []byte("go 1.")) && bytes.Contains(prefix[:min(len(prefix), 16)], []byte(" trace\x00")) {
		return ErrTrace
	}
	if looksCallgrind(prefix) {
		return errors.New(callgrindAdvice)
	}
	return nil
}

// looksCallgrind reports whether text begins with the header of Callgrind's format.
func looksCallgrind(prefix []byte) bool {
	events := false
	for range 30 {
		line, rest, ok := bytes.Cut(prefix, []byte("\n"))
		if !ok {
			break
		}
		prefix = rest
		switch line = bytes.TrimSpace(line); {
		case bytes.HasPrefix(line, []byte("events:")):
			events = true
		case hasAnyPrefix(line, "fn=", "fl=", "ob="):
			return events
		}
	}
	return false
}

const v8HeapAdvice = "this is a heap profile of V8 (.heapprofile), not a profile that hone reads: open it in speedscope, and export it from there"

// namedJSON maps JSON keys to the formats that have them and that hone doesn't read.
var namedJSON = map[string]string{
	"fileType":        "this is a recording of Firefox's older developer tools, not a profile that hone reads: open it in speedscope, and export it from there",
	"dhatFileVersion": "this is a DHAT file of Valgrind, not a profile that hone reads: open it in profiler.firefox.com, and save it from there",
	"missed_samples":  "this is a stackprof profile of Ruby, not a profile that hone reads: open it in speedscope, and export it from there",
}

// decodeJSON decodes the JSON formats. For other JSON, it returns an error that names
// the format.
func decodeJSON(open func() (io.Reader, error), lim Limits, m *meter) (*Profile, error) {
	in, err := open()
	if err != nil {
		return nil, err
	}
	j := newJSONReader(in, "JSON", lim)
	if c, err := j.peek(); err != nil {
		return nil, err
	} else if c == '[' {
		return nil, errors.New("this is JSON, but not a profile that hone reads; if it is a Chrome trace, open it in ui.perfetto.dev or save a .cpuprofile in its place")
	}
	const none = ""
	kind, keys, done := none, map[string]bool{}, errors.New("known")
	named := error(nil)
	err = j.object(func(key []byte) error {
		if advice, ok := namedJSON[string(key)]; ok {
			named = errors.New(advice)
			return done
		}
		switch string(key) {
		case "$schema", "exporter", "shared", "profiles", "meta", "threads", "libs", "nodes", "samples", "timeDeltas", "traceEvents", "head":
			keys[string(key)] = true
		}
		switch {
		case keys["traceEvents"]:
			kind = "chrome"
		case keys["meta"] && (keys["threads"] || keys["libs"]):
			kind = "firefox"
		case keys["profiles"] && keys["shared"]:
			kind = "speedscope"
		case keys["nodes"] && (keys["samples"] || keys["timeDeltas"]):
			kind = "cpuprofile"
		case keys["head"] && keys["samples"]:
			kind = "old cpuprofile"
		}
		if kind != none {
			return done
		}
		if c, err := j.peek(); err == nil && c == '{' && string(key) == "head" {
			return j.object(func(key []byte) error {
				if string(key) == "callFrame" {
					named = errors.New(v8HeapAdvice)
					return done
				}
				return j.skip()
			})
		}
		return j.skip()
	})
	if named != nil {
		return nil, named
	}
	if err != nil && !errors.Is(err, done) {
		return nil, err
	}
	if kind == none && keys["nodes"] {
		kind = "cpuprofile"
	}
	switch kind {
	case "speedscope":
		return decodeSpeedscope(open, lim, m)
	case "firefox":
		return decodeFirefox(open, lim, m)
	case "cpuprofile":
		return decodeCPUProfile(open, lim, m)
	case "chrome":
		return nil, errors.New("this is a Chrome trace, not a profile that hone reads: open it in ui.perfetto.dev, or save a .cpuprofile in its place")
	case "old cpuprofile":
		return nil, errors.New("this is a .cpuprofile of a V8 from before 2016: open it in speedscope, and export it from there")
	}
	return nil, errors.New("this is JSON, but not a profile that hone reads: speedscope, Firefox Profiler and .cpuprofile files are")
}
