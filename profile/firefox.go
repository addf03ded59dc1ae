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
// Reading has two passes: the first one reads what the threads measure (firefox_threads.go),
// and the tables that they share (firefox_tables.go). The second one reads each thread's own
// tables and its samples (firefox_samples.go).
//
// Threads become labels. Those of a file that hone exported become sample types again.
func decodeFirefox(open func() (io.Reader, error), lim Limits, m *meter) (*Profile, error) {
	pass := func(parts firefoxParts) (*jsonReader, error) {
		in, err := open()
		if err != nil {
			return nil, err
		}
		j := newJSONReader(in, "Firefox profile", lim)
		return j, parts.read(j, 0)
	}
	f := firefoxFile{tables: firefoxTableReader{lim: lim, mem: m}}
	j, err := pass(firefoxParts{meta: f.meta, shared: f.sharedTables, thread: f.thread})
	if err != nil {
		return nil, err
	}
	if len(f.threads) == 0 {
		return nil, j.errorf("it has no threads")
	}
	if err := f.tables.prefixes(j, &f.shared); err != nil {
		return nil, err
	}
	types, columns := f.types()
	s := firefoxSamples{file: &f, tables: &f.tables, columns: columns, m: newImported(types, lim, m)}
	if _, err := pass(firefoxParts{thread: s.thread}); err != nil {
		return nil, err
	}
	m.give(f.tables.held + s.sumsTaken)
	p, err := s.m.profile()
	if err != nil {
		return nil, err
	}
	p.TimeNanos, p.DurationNanos = f.time, f.duration
	if f.interval > 0 && !f.hone {
		p.PeriodType, p.Period = ValueType{"time", "nanoseconds"}, f.interval
	}
	return p, nil
}
