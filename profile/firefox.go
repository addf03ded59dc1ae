package profile

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

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

// firefoxTables are the tables of a thread, or those that threads share. A missing
// column is nil. The index -1 means none.
type firefoxTables struct {
	strings             []string
	stackFrame, prefix  []int32
	prefixOffset        []int32 // in place of prefix
	function, frameLine []int32
	location            []int32 // of frames in Gecko profiles: indexes of strings
	name, file, source  []int32 // of functions
	sourceFile          []int32
}

const maxProcesses = 5 // nesting depth

// file reads a file, or a process in it, with its threads.
func (f *firefox) file(j *jsonReader, depth int, thread func(*jsonReader) error) error {
	first := f.m == nil
	return j.object(func(key []byte) error {
		switch string(key) {
		case "meta":
			if !first || depth > 0 {
				return j.skip()
			}
			return f.meta(j)
		case "shared":
			if !first {
				return j.skip()
			}
			return j.object(func(key []byte) error {
				known, err := f.table(j, &f.shared, string(key))
				if err == nil && !known {
					err = j.skip()
				}
				return err
			})
		case "threads":
			return j.array(func(int) error {
				if c, err := j.peek(); err == nil && c == '"' {
					return j.errorf("a process is in it as text, as early versions of Firefox wrote it: open the file in profiler.firefox.com, and save it from there")
				}
				return thread(j)
			})
		case "processes":
			if depth == maxProcesses {
				return j.errorf("processes are nested more than %d deep", maxProcesses)
			}
			return j.array(func(int) error { return f.file(j, depth+1, thread) })
		}
		return j.skip()
	})
}

func (f *firefox) meta(j *jsonReader) error {
	var start, from, to float64
	err := j.object(func(key []byte) (err error) {
		field := (*float64)(nil)
		var interval float64
		switch string(key) {
		case "importedFrom":
			text, err := j.stringOrSkip()
			f.hone = string(text) == "hone"
			return err
		case "interval":
			field = &interval
		case "startTime":
			field = &start
		case "profilingStartTime":
			field = &from
		case "profilingEndTime":
			field = &to
		default:
			return j.skip()
		}
		if null, err := j.null(); null || err != nil {
			return err
		}
		if *field, err = j.number(); err == nil && interval > 0 {
			f.interval, err = j.rounded(interval * 1e6)
		}
		return err
	})
	if err == nil {
		f.time, err = j.rounded(start * 1e6)
	}
	if err == nil && to > from {
		f.duration, err = j.rounded((to - from) * 1e6)
	}
	return err
}

// thread reads what a thread measures.
func (f *firefox) thread(j *jsonReader) error {
	if len(f.threads) == 100_000 {
		return &LimitError{"threads", 100_000}
	}
	var t firefoxThread
	err := j.object(func(key []byte) error {
		field := (*string)(nil)
		switch string(key) {
		case "name":
			field = &t.name
		case "processName":
			field = &t.process
		case "samples":
			return j.object(func(key []byte) error {
				if string(key) != "weightType" {
					return j.skip()
				}
				text, err := j.stringOrSkip()
				t.weightType = string(text)
				return err
			})
		default:
			return j.skip()
		}
		text, err := j.stringOrSkip()
		*field = string(text)
		return err
	})
	f.threads = append(f.threads, t)
	return err
}

// take takes n bytes for tables.
func (f *firefox) take(n int64) error {
	err := f.mem.take(n)
	if err == nil {
		f.held += n
	}
	return err
}

// table reads a table of t; known is false for one that isn't needed, which is
// still to be read.
func (f *firefox) table(j *jsonReader, t *firefoxTables, name string) (known bool, err error) {
	columns := map[string]*[]int32{}
	switch name {
	case "stringArray", "stringTable":
		if c, err := j.peek(); err != nil || c != '[' {
			return false, err
		}
		return true, j.array(func(int) error {
			text, err := j.stringOrSkip()
			if err == nil {
				err = f.take(32 + int64(len(text)))
			}
			if len(t.strings) >= f.lim.Strings {
				return &LimitError{"strings", int64(f.lim.Strings)}
			}
			t.strings = append(t.strings, string(text))
			return err
		})
	case "stackTable":
		columns["frame"], columns["prefix"], columns["prefixOffset"] = &t.stackFrame, &t.prefix, &t.prefixOffset
	case "frameTable":
		columns["func"], columns["line"], columns["location"] = &t.function, &t.frameLine, &t.location
	case "funcTable":
		columns["name"], columns["fileName"], columns["source"] = &t.name, &t.file, &t.source
	case "sources":
		columns["filename"] = &t.sourceFile
	default:
		return false, nil
	}
	return true, f.columns(j, columns, j.skip)
}

// geckoRows are the rows of a table that came before its schema.
type geckoRows struct {
	cells []int32 // -1 where there is no index
	ends  []int   // of each row in cells
}

// columns reads columns of a table, in either of its forms. weights reads a column that
// is not of indexes, if it comes.
func (f *firefox) columns(j *jsonReader, columns map[string]*[]int32, weights func() error) error {
	var byNumber map[int]*[]int32 // nil before the schema
	var early geckoRows
	add := func(column *[]int32, i int32) error {
		*column = append(*column, i)
		return f.take(8) // including old arrays after growing
	}
	cell := func(column *[]int32) error {
		i, err := j.index()
		if err != nil {
			return err
		}
		return add(column, i)
	}
	err := j.object(func(key []byte) error {
		switch string(key) {
		case "schema":
			byNumber = map[int]*[]int32{}
			return j.object(func(key []byte) error {
				column := columns[string(key)]
				i, err := j.index()
				if column != nil {
					byNumber[int(i)] = column
				}
				return err
			})
		case "data":
			if byNumber == nil {
				return f.early(j, &early)
			}
			return j.array(func(row int) error {
				err := j.array(func(i int) error {
					if column := byNumber[i]; column != nil {
						return cell(column)
					}
					return j.skip()
				})
				for _, column := range byNumber { // a row may be short
					for err == nil && len(*column) <= row {
						err = add(column, -1)
					}
				}
				return err
			})
		case "weight":
			return weights()
		}
		if column := columns[string(key)]; column != nil {
			if c, err := j.peek(); err != nil || c != '[' {
				return j.skip()
			}
			return j.array(func(int) error { return cell(column) })
		}
		return j.skip()
	})
	from := 0
	for _, end := range early.ends {
		row := early.cells[from:end]
		for i, column := range byNumber {
			value := int32(-1)
			if i < len(row) {
				value = row[i]
			}
			if err == nil {
				err = add(column, value)
			}
		}
		from = end
	}
	return err
}

// early reads rows whose columns are not known yet.
func (f *firefox) early(j *jsonReader, rows *geckoRows) error {
	return j.array(func(int) error {
		err := j.array(func(int) error {
			value := int32(-1)
			c, err := j.peek()
			switch {
			case err != nil:
			case '0' <= c && c <= '9':
				var v float64
				if v, err = j.number(); v <= math.MaxInt32 {
					value = int32(v)
				}
			default:
				err = j.skip()
			}
			if err == nil {
				err = f.take(8)
			}
			rows.cells = append(rows.cells, value)
			return err
		})
		if err == nil {
			err = f.take(16)
		}
		rows.ends = append(rows.ends, len(rows.cells))
		return err
	})
}

// samples reads a thread's tables and samples.
func (f *firefox) samples(j *jsonReader) error {
	if f.number >= len(f.threads) {
		return j.errorf("the file has changed while it was read")
	}
	t := &f.threads[f.number]
	f.number++
	before := f.held
	var own firefoxTables
	var stacks []int32
	var weights []float64
	err := j.object(func(key []byte) error {
		if string(key) != "samples" {
			known, err := f.table(j, &own, string(key))
			if err == nil && !known {
				err = j.skip()
			}
			return err
		}
		return f.columns(j, map[string]*[]int32{"stack": &stacks}, func() error {
			if c, err := j.peek(); err != nil || c != '[' {
				return j.skip()
			}
			return j.array(func(int) error {
				w := 0.0
				null, err := j.null()
				if err == nil && !null {
					w, err = j.number()
				}
				if err == nil {
					err = f.take(16)
				}
				weights = append(weights, w)
				return err
			})
		})
	})
	if err != nil {
		return err
	}
	if len(weights) > 0 && len(weights) != len(stacks) {
		return j.errorf("thread %q has %d samples, but %d weights", t.name, len(stacks), len(weights))
	}
	if err := f.prefixes(j, &own); err != nil {
		return err
	}
	if err := f.addThread(j, t, own.or(&f.shared), stacks, weights); err != nil {
		return err
	}
	f.mem.give(f.held - before)
	f.held = before
	return nil
}

// or returns t with missing columns taken from the shared tables.
func (t *firefoxTables) or(shared *firefoxTables) *firefoxTables {
	out := *t
	if out.strings == nil {
		out.strings = shared.strings
	}
	if out.stackFrame == nil {
		out.stackFrame, out.prefix = shared.stackFrame, shared.prefix
	}
	if out.function == nil && out.location == nil {
		out.function, out.frameLine, out.location = shared.function, shared.frameLine, shared.location
	}
	if out.name == nil {
		out.name, out.file, out.source = shared.name, shared.file, shared.source
	}
	if out.sourceFile == nil {
		out.sourceFile = shared.sourceFile
	}
	return &out
}

// prefixes converts prefix offsets to prefixes, if the stacks have offsets, and checks
// them.
func (f *firefox) prefixes(j *jsonReader, t *firefoxTables) error {
	if len(t.prefixOffset) > 0 {
		if err := f.take(4 * int64(len(t.prefixOffset))); err != nil {
			return err
		}
		t.prefix = make([]int32, len(t.prefixOffset))
	}
	for i, offset := range t.prefixOffset {
		t.prefix[i] = -1
		if offset > 0 {
			if t.prefix[i] = int32(i) - offset; t.prefix[i] < 0 {
				return j.errorf("stack %d begins %d stacks before it", i, offset)
			}
		}
	}
	if len(t.stackFrame) != len(t.prefix) {
		return j.errorf("stackTable has %d frames, but %d prefixes", len(t.stackFrame), len(t.prefix))
	}
	for i, prefix := range t.prefix {
		if int(prefix) >= i {
			return j.errorf("stack %d begins with stack %d, which doesn't come before it", i, prefix)
		}
	}
	return nil
}

// addThread adds the samples of a thread, summed by stack. Its time depends only on the
// size of the thread, because many threads may share large tables.
func (f *firefox) addThread(j *jsonReader, t *firefoxThread, tables *firefoxTables, stacks []int32, weights []float64) error {
	if n := len(tables.stackFrame) + 1 - len(f.sums); n > 0 { // plus one for samples without a stack
		if err := f.mem.take(8 * int64(n)); err != nil {
			return err
		}
		f.sumsTaken += 8 * int64(n)
		f.sums = append(f.sums, make([]float64, n)...)
	}
	none := int32(len(tables.stackFrame))
	var used []int32
	if err := f.take(4 * int64(len(stacks))); err != nil {
		return err
	}
	for i, stack := range stacks {
		if int(stack) >= len(tables.stackFrame) {
			return j.errorf("sample %d refers to stack %d of %d", i, stack, len(tables.stackFrame))
		}
		if stack < 0 {
			stack = none
		}
		weight := 1.0
		if len(weights) > 0 {
			weight = weights[i]
		}
		if f.sums[stack] == 0 {
			used = append(used, stack)
		}
		f.sums[stack] += weight
	}
	slices.Sort(used) // a stack is in it twice if its weights add up to 0 in between
	var labels []Label
	if !f.hone {
		for _, l := range [][2]string{{"thread", t.name}, {"process", t.process}} {
			if l[1] != "" {
				labels = append(labels, f.m.text(l[0], l[1]))
			}
		}
	}
	at := map[int32]uint32{} // locations of frames
	_, factor := foreignUnit(t.weightType)
	values := make([]int64, len(f.m.b.in.p.SampleTypes))
	var stack []uint32
	for _, i := range slices.Compact(used) {
		v, err := j.rounded(f.sums[i] * factor)
		f.sums[i] = 0
		if err != nil {
			return err
		}
		if v == 0 {
			continue
		}
		if i == none && !f.hone {
			continue // the thread was idle
		}
		stack = stack[:0]
		for s := i; i != none && s >= 0; s = tables.prefix[s] {
			frame := tables.stackFrame[s]
			if frame < 0 || int(frame) >= max(len(tables.function), len(tables.location)) {
				return j.errorf("stack %d refers to frame %d of %d", s, frame, max(len(tables.function), len(tables.location)))
			}
			l, ok := at[frame]
			if !ok {
				if l, err = f.frame(j, tables, frame); err == nil {
					err = f.take(32)
				}
				if err != nil {
					return err
				}
				at[frame] = l
			}
			stack = append(stack, l)
		}
		values[t.column] = v
		if err := f.m.add(stack, labels, values); err != nil {
			return err
		}
	}
	return nil
}

// frame returns the location of a frame.
func (f *firefox) frame(j *jsonReader, t *firefoxTables, frame int32) (uint32, error) {
	bad := error(nil)
	// text returns the string that a cell of a column is, "" for none.
	text := func(column []int32, i int32, what string) string {
		if i < 0 || int(i) >= len(column) || column[i] < 0 {
			return ""
		}
		if int(column[i]) >= len(t.strings) {
			bad = j.errorf("%s %d refers to string %d of %d", what, i, column[i], len(t.strings))
			return ""
		}
		return t.strings[column[i]]
	}
	if t.function == nil {
		name, file, line := geckoLocation(text(t.location, frame, "frame"))
		return f.m.location(name, file, line), bad
	}
	fn := t.function[frame]
	if fn < 0 || int(fn) >= len(t.name) {
		return 0, j.errorf("frame %d refers to function %d of %d", frame, fn, len(t.name))
	}
	name := text(t.name, fn, "function")
	file := text(t.file, fn, "function")
	if int(fn) < len(t.source) && t.source[fn] >= 0 {
		file = text(t.sourceFile, t.source[fn], "source")
	}
	line := int64(0)
	if int(frame) < len(t.frameLine) {
		line = max(0, int64(t.frameLine[frame]))
	}
	return f.m.location(name, file, line), bad
}

// geckoLocation splits a frame of a Gecko profile: "name (file:line:column)",
// "name (file:line)", or a name alone.
func geckoLocation(s string) (name, file string, line int64) {
	at := strings.LastIndex(s, " (")
	if at < 0 || !strings.HasSuffix(s, ")") {
		return s, "", 0
	}
	name, file = s[:at], s[at+2:len(s)-1]
	var numbers []int64
	for len(numbers) < 2 {
		colon := strings.LastIndexByte(file, ':')
		if colon < 0 {
			break
		}
		n, err := strconv.ParseInt(file[colon+1:], 10, 64)
		if err != nil || n < 0 {
			break
		}
		numbers = append(numbers, n)
		file = file[:colon]
	}
	if len(numbers) == 0 {
		return s, "", 0 // not a file and line
	}
	return name, file, numbers[len(numbers)-1]
}
