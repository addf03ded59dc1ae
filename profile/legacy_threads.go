package profile

import (
	"bytes"
	"io"
)

// legacyThreads decodes the stacks of a program's threads, as C++ programs print them.
// An address may be alone or before its function:
//
//	--- threadz 1 ---
//
//	--- Thread 7f794ab90940 (name: main/14748) stack: ---
//	  PC:  0x00bc8f1c: helper(arg *)
//	  0x0040be31: main
//	--- Thread 7f794964e700 (name: thread1/14751) stack: ---
//	    [same as previous thread]
//	--- Memory map: ---
func legacyThreads(l *legacy) error {
	line, err := l.firstStatement()
	if err != nil {
		return err
	}
	switch {
	case hasThreadsHeader(line):
		if line, err = firstThread(l, line); err != nil {
			return err
		}
	case !isThreadHeader(line):
		return errNotLegacy
	}
	t := ValueType{"thread", "count"}
	l.types(t)
	l.p.PeriodType, l.p.Period = t, 1
	for !beginsMemoryMap(line) && !hasAnyPrefix(line, "---- no stack trace for") {
		if !isThreadHeader(line) {
			return l.misfitf("%.100q is not the header of a thread", line)
		}
		if line, err = readThread(l); err != nil {
			return err
		}
	}
	if err := l.compactLocations(); err != nil {
		return err
	}
	if err := l.memoryMap(line); err != nil {
		return err
	}
	l.dropDoubledLeaves()
	return nil
}

// firstThread returns the line after header with which the threads begin or end.
func firstThread(l *legacy, header []byte) ([]byte, error) {
	mapped := beginsMemoryMap(header)
	for {
		line, err := l.next()
		switch {
		case err == io.EOF && mapped:
			return []byte(memoryMapMarks[0]), nil
		case err == io.EOF:
			return nil, l.misfitf("no threads")
		case err != nil || beginsMemoryMap(line) || hasAnyPrefix(line, "-"):
			return line, err
		}
		mapped = false
	}
}

// readThread adds the sample of one thread, and returns the line after it.
func readThread(l *legacy) (line []byte, err error) {
	same, mapped := false, false
	for {
		line, err = l.next()
		if err == io.EOF {
			if !mapped {
				return nil, l.misfitf("the list of threads has no end")
			}
			line = []byte(memoryMapMarks[0])
			break
		}
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("---")) {
			break
		}
		mapped = beginsMemoryMap(line)
		if bytes.Contains(line, []byte("same as previous thread")) {
			same = true
			continue
		}
		c := lineScan{line}
		for {
			address, found, ok := c.nextHex()
			if !ok {
				return nil, l.errorf("an address is out of range in %.100q", line)
			}
			if !found {
				break
			}
			if len(l.p.Frames) > l.stackStart {
				address-- // from the return address to the call; the leaf isn't a return address
			}
			if err := l.frame(address); err != nil {
				return nil, err
			}
		}
		if err := l.check(); err != nil {
			return nil, err
		}
	}
	if same {
		l.p.Frames = l.p.Frames[:l.stackStart]
	}
	if len(l.p.Frames) > l.stackStart {
		return line, l.sample(1)
	}
	if n := len(l.p.Stacks); n > 0 {
		l.p.Values[0][n-1]++
	}
	return line, nil
}

// hasThreadsHeader looks for "--- threadz 1 ---" in line.
func hasThreadsHeader(line []byte) bool {
	for rest := line; ; {
		_, after, found := bytes.Cut(rest, []byte("--- threadz "))
		if !found {
			return false
		}
		c := lineScan{after}
		if len(c.digits()) > 0 && c.literal(" ---") {
			return true
		}
		rest = after
	}
}

// isThreadHeader looks for "--- Thread 7f794ab90940 (name: main/14748) stack: ---"
// in line.
func isThreadHeader(line []byte) bool {
	for rest := line; ; {
		_, after, found := bytes.Cut(rest, []byte("--- Thread "))
		if !found {
			return false
		}
		rest = after
		c := lineScan{after}
		id := c.while(func(b byte) bool { return isHexDigit(b) || b >= 'A' && b <= 'F' })
		if len(id) == 0 || !c.literal(" (name: ") {
			continue
		}
		// The name may be any text, so a later header has the same end.
		for name := c.b; ; {
			_, number, found := bytes.Cut(name, []byte("/"))
			if !found {
				return false
			}
			name = number
			c := lineScan{number}
			if len(c.digits()) > 0 && c.literal(") stack: ---") {
				return true
			}
		}
	}
}
