package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"

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

func (m *Run) readBench(ctx context.Context, p part) error {
	name := m.file(p)
	file := filepath.Join(m.Dir, name)
	text, err := infile.ReadFile(ctx, file, maxBenchFile)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return unread(file, err)
		}
		if _, listed := m.Files[name]; listed {
			return &CorruptError{file, 0, -1, fs.ErrNotExist}
		}
		if p.Phase == Measure && m.State == Partial {
			m.problem("%s is missing", name)
		}
		return nil
	}
	if torn := len(text) - 1 - bytes.LastIndexByte(text, '\n'); torn > 0 && m.State == Partial {
		m.problem("%s: the last line was not written to its end and is left out", name)
		text = text[:len(text)-torn]
	}
	slots, err := readSlots(file, text)
	if err != nil {
		return err
	}
	in, tooLong := newReader(text, file)
	if len(tooLong) > 0 {
		return &CorruptError{file, tooLong[0].Line, -1, errors.New(tooLong[0].Msg)}
	}
	var slot slotLine
	for in.Scan() {
		switch record := in.Result().(type) {
		case *benchfmt.SyntaxError:
			_, line := record.Pos()
			return &CorruptError{file, line, -1, errors.New(record.Msg)}
		case *benchfmt.Result:
			_, line := record.Pos()
			if len(m.results[p]) == maxResults {
				return &CorruptError{file, line, -1, fmt.Errorf("has more than %d results", maxResults)}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			for len(slots) > 0 && slots[0].line < line {
				slot, slots = slots[0], slots[1:]
			}
			slot.Side = p.Side
			m.results[p] = append(m.results[p], Result{record.Clone(), slot.Slot, slot.line > 0})
		}
	}
	if err := in.Err(); err != nil {
		return &CorruptError{file, 0, -1, err}
	}
	maps.Copy(m.units, in.Units())
	return nil
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
