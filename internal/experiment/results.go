package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment/benchtext"
	"github.com/hone-go/hone/internal/infile"
)

// Bounds of a file of results. 20 samples of 1000 benchmarks are 4 MB of text.
const (
	maxBenchFile = 64 << 20
	maxResults   = 1_000_000 // of a side and phase; each takes some 400 bytes
)

// partResults is what one file of results has.
type partResults struct {
	results  []Result
	units    benchfmt.UnitMetadataMap
	problems []string // of a partial run
}

// readResults reads the file of a part. A run doesn't have all parts that it may have.
func readResults(ctx context.Context, dir string, info *Info, p part) (m partResults, err error) {
	name := info.file(p)
	file := filepath.Join(dir, name)
	text, err := infile.ReadFile(ctx, file, maxBenchFile)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return m, unread(file, err)
		}
		if _, listed := info.Files[name]; listed {
			return m, &CorruptError{file, 0, -1, fs.ErrNotExist}
		}
		if p.Phase == Measure && info.State == Partial {
			m.problems = append(m.problems, name+" is missing")
		}
		return m, nil
	}
	if torn := len(text) - 1 - bytes.LastIndexByte(text, '\n'); torn > 0 && info.State == Partial {
		m.problems = append(m.problems, name+": the last line was not written to its end and is left out")
		text = text[:len(text)-torn]
	}
	slots, err := readSlots(file, text)
	if err != nil {
		return m, err
	}
	in, tooLong := benchtext.NewReader(text, file)
	if len(tooLong) > 0 {
		return m, &CorruptError{file, tooLong[0].Line, -1, errors.New(tooLong[0].Msg)}
	}
	var slot slotLine
	for in.Scan() {
		switch record := in.Result().(type) {
		case *benchfmt.SyntaxError:
			_, line := record.Pos()
			return m, &CorruptError{file, line, -1, errors.New(record.Msg)}
		case *benchfmt.Result:
			_, line := record.Pos()
			if len(m.results) == maxResults {
				return m, &CorruptError{file, line, -1, fmt.Errorf("has more than %d results", maxResults)}
			}
			if err := ctx.Err(); err != nil {
				return m, err
			}
			for len(slots) > 0 && slots[0].line < line {
				slot, slots = slots[0], slots[1:]
			}
			slot.Side = p.Side
			m.results = append(m.results, Result{record.Clone(), slot.Slot, slot.line > 0})
		}
	}
	if err := in.Err(); err != nil {
		return m, &CorruptError{file, 0, -1, err}
	}
	m.units = in.Units()
	return m, nil
}

// slotFormat precedes the results of one process; besideFormat may follow on its line.
// Readers of the benchmark format skip lines they do not know; a configuration line
// instead would make benchstat print one table per slot.
const (
	slotFormat   = "# slot block=%d order=%d"
	besideFormat = " layout=%d others=%g idle=%g"
)

// slotText is the line of a slot.
func slotText(s *Slot) string {
	text := fmt.Sprintf(slotFormat, s.Block, s.Order)
	if s.Layout != 0 || s.Beside != (Beside{}) {
		text += fmt.Sprintf(besideFormat, s.Layout, s.Beside.Others, s.Beside.Idle)
	}
	return text + "\n"
}

// parseSlot reads it.
func parseSlot(line string) (s Slot, ok bool) {
	_, err := fmt.Sscanf(line, slotFormat+besideFormat, &s.Block, &s.Order, &s.Layout, &s.Beside.Others, &s.Beside.Idle)
	if err != nil {
		s.Layout, s.Beside = 0, Beside{}
		_, err = fmt.Sscanf(line, slotFormat+"\n", &s.Block, &s.Order)
	}
	return s, err == nil
}

type slotLine struct {
	Slot
	line int
}

func readSlots(file string, text []byte) ([]slotLine, error) {
	var slots []slotLine
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if !bytes.HasPrefix(line, []byte("# slot ")) {
			continue
		}
		slot, ok := parseSlot(strings.TrimRight(string(line), "\r\n") + "\n")
		if !ok {
			return nil, &CorruptError{file, n, -1, fmt.Errorf("%q is not of the form %q", bytes.TrimSpace(line), slotFormat)}
		}
		slots = append(slots, slotLine{slot, n})
	}
	return slots, nil
}
