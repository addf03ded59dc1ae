package profile

import "io"

// decodeFirefox decodes a file of the Firefox Profiler: a "processed profile",
// which profiler.firefox.com saves, or the older "Gecko profile", which Firefox
// itself writes (docs-developer of firefox-devtools/profiler).
//
//	{"meta": {"interval": ms, …}, "threads": [thread…], "shared"?: tables, "processes"?: [file…]}
//	thread = {"name", "processName", tables, "samples": {"stack", "weight"?, "weightType"?}}
//	tables = {"stackTable": {"frame", "prefix" | "prefixOffset"}, "frameTable": {"func", "line"}, "funcTable": {"name", "fileName" | "source"},
//	          "sources": {"filename"}, "stringArray" | "stringTable"}
//
// The table of stacks has a prefix, or since version 66 a prefixOffset: how far before a
// stack its prefix is, 0 for none. A table is columns of equal length; in a Gecko profile it is {"schema": {column: number}, "data": [row…]}, and a frame's
// location is a string "name (file:line)". Which tables threads share has changed
// over time, so each is looked for in the thread first.
//
// Threads become labels. Those of a file that hone exported become sample types again.
func decodeFirefox(open func() (io.Reader, error), lim Limits, m *meter) (*Profile, error) {
	f := firefox{lim: lim, mem: m}
	read := func(thread func(*jsonReader) error) (*jsonReader, error) {
		in, err := open()
		if err != nil {
			return nil, err
		}
		j := newJSONReader(in, "Firefox profile", lim)
		return j, f.file(j, 0, thread)
	}
	// The first pass reads the shared tables, and what the threads measure.
	j, err := read(f.thread)
	if err != nil {
		return nil, err
	}
	if len(f.threads) == 0 {
		return nil, j.errorf("it has no threads")
	}
	if err := f.prefixes(j, &f.shared); err != nil {
		return nil, err
	}
	var types typeSet
	for i := range f.threads {
		t := &f.threads[i]
		st := foreignType(t.weightType)
		if f.hone {
			st = honeType(t.name, st.Unit)
		}
		t.column = types.of(st)
	}
	f.m = newImported(types, lim, m)
	if _, err := read(f.samples); err != nil {
		return nil, err
	}
	m.give(f.held + f.sumsTaken)
	p, err := f.m.profile()
	if err != nil {
		return nil, err
	}
	p.TimeNanos, p.DurationNanos = f.time, f.duration
	if f.interval > 0 && !f.hone {
		p.PeriodType, p.Period = ValueType{"time", "nanoseconds"}, f.interval
	}
	return p, nil
}

type firefox struct {
	lim  Limits
	mem  *meter
	held int64 // memory of tables, taken from mem
	m    *imported

	hone                     bool // hone exported the file
	interval, time, duration int64
	shared                   firefoxTables
	threads                  []firefoxThread
	number                   int // number of the current thread

	sums      []float64 // of stacks, in a thread; 0 between threads
	sumsTaken int64     // of mem
}

type firefoxThread struct {
	name, process, weightType string
	column                    int
}
