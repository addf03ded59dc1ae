package profile

const maxProcesses = 5 // nesting depth

// firefoxParts are the parts of a file that a pass reads. It skips those that are nil.
type firefoxParts struct {
	meta   func(*jsonReader) error // of the file, not of the processes in it
	shared func(*jsonReader) error // tables that threads share
	thread func(*jsonReader) error // one thread; never nil
}

// read reads a file, or a process in it.
func (f *firefoxParts) read(j *jsonReader, depth int) error {
	return j.object(func(key []byte) error {
		switch string(key) {
		case "meta":
			if f.meta == nil || depth > 0 {
				return j.skip()
			}
			return f.meta(j)
		case "shared":
			if f.shared == nil {
				return j.skip()
			}
			return f.shared(j)
		case "threads":
			return j.array(func(int) error {
				if c, err := j.peek(); err == nil && c == '"' {
					return j.errorf("a process is in it as text, as early versions of Firefox wrote it: open the file in profiler.firefox.com, and save it from there")
				}
				return f.thread(j)
			})
		case "processes":
			if depth == maxProcesses {
				return j.errorf("processes are nested more than %d deep", maxProcesses)
			}
			return j.array(func(int) error { return f.read(j, depth+1) })
		}
		return j.skip()
	})
}

// firefoxFile is what the first pass reads.
type firefoxFile struct {
	hone                     bool // hone exported the file
	interval, time, duration int64
	tables                   firefoxTableReader
	shared                   firefoxTables
	threads                  []firefoxThread
}

type firefoxThread struct{ name, process, weightType string }

func (f *firefoxFile) meta(j *jsonReader) error {
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

func (f *firefoxFile) sharedTables(j *jsonReader) error {
	return j.object(func(key []byte) error {
		known, err := f.tables.table(j, &f.shared, string(key))
		if err == nil && !known {
			err = j.skip()
		}
		return err
	})
}

// thread reads what a thread measures.
func (f *firefoxFile) thread(j *jsonReader) error {
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

// types returns the sample types of all threads, and the column of each thread in them.
func (f *firefoxFile) types() (types typeSet, columns []int) {
	for _, t := range f.threads {
		st := foreignType(t.weightType)
		if f.hone {
			st = honeType(t.name, st.Unit)
		}
		columns = append(columns, types.of(st))
	}
	return types, columns
}
