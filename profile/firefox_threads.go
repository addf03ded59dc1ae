package profile

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
