package profile

import (
	"slices"
	"strconv"
	"strings"
)

// firefoxSamples is the second pass: it adds the samples of one thread after another to
// the profile.
type firefoxSamples struct {
	file    *firefoxFile
	tables  *firefoxTableReader
	columns []int // of the threads
	m       *imported

	number    int       // of the next thread
	sums      []float64 // of stacks, in a thread; 0 between threads
	sumsTaken int64     // memory
}

// thread reads a thread's tables and samples.
func (f *firefoxSamples) thread(j *jsonReader) error {
	if f.number >= len(f.file.threads) {
		return j.errorf("the file has changed while it was read")
	}
	number := f.number
	f.number++
	before := f.tables.held
	var own firefoxTables
	var stacks []int32
	var weights []float64
	err := j.object(func(key []byte) error {
		if string(key) != "samples" {
			known, err := f.tables.table(j, &own, string(key))
			if err == nil && !known {
				err = j.skip()
			}
			return err
		}
		return f.tables.columns(j, map[string]*[]int32{"stack": &stacks}, func() error {
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
					err = f.tables.take(16)
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
		return j.errorf("thread %q has %d samples, but %d weights", f.file.threads[number].name, len(stacks), len(weights))
	}
	if err := f.tables.prefixes(j, &own); err != nil {
		return err
	}
	if err := f.add(j, number, own.or(&f.file.shared), stacks, weights); err != nil {
		return err
	}
	f.tables.mem.give(f.tables.held - before)
	f.tables.held = before
	return nil
}

// add adds the samples of a thread, summed by stack. Its time depends only on the
// size of the thread, because many threads may share large tables.
func (f *firefoxSamples) add(j *jsonReader, number int, tables *firefoxTables, stacks []int32, weights []float64) error {
	if n := len(tables.stackFrame) + 1 - len(f.sums); n > 0 { // plus one for samples without a stack
		if err := f.tables.mem.take(8 * int64(n)); err != nil {
			return err
		}
		f.sumsTaken += 8 * int64(n)
		f.sums = append(f.sums, make([]float64, n)...)
	}
	none := int32(len(tables.stackFrame))
	var used []int32
	if err := f.tables.take(4 * int64(len(stacks))); err != nil {
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
	t := &f.file.threads[number]
	var labels []Label
	if !f.file.hone {
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
		if i == none && !f.file.hone {
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
					err = f.tables.take(32)
				}
				if err != nil {
					return err
				}
				at[frame] = l
			}
			stack = append(stack, l)
		}
		values[f.columns[number]] = v
		if err := f.m.add(stack, labels, values); err != nil {
			return err
		}
	}
	return nil
}

// frame returns the location of a frame.
func (f *firefoxSamples) frame(j *jsonReader, t *firefoxTables, frame int32) (uint32, error) {
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
