package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/infile"
)

// A Run is an opened run directory, read and checked.
type Run struct {
	Info
	Dir string
	// Problems are what a partial run lacks: a torn last line, for example. A
	// complete run has none, it would not open.
	Problems []string
	// Skipped has a sentence for each newer run that Find passed over.
	Skipped []string

	results map[part][]Result
	units   benchfmt.UnitMetadataMap
	files   []ProfileFile
}

// A Result is one line of a benchmark file and when it was measured.
type Result struct {
	*benchfmt.Result
	Slot
	HasSlot bool
}

// A ProfileFile is one profile of a run, or, of the kind "trace", an execution
// trace.
type ProfileFile struct {
	Package, Benchmark string
	Side               Side
	Kind               string
	Path               string // of the file
}

// Open reads a run directory. Every file of a complete run has to be as it was
// written; a *CorruptError tells which one is not. Of a partial run, whatever
// is there is read.
func Open(ctx context.Context, dir string) (*Run, error) {
	r, err := read(ctx, dir)
	if err == nil {
		err = r.checkSums(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// read is Open without the check of sums.
func read(ctx context.Context, dir string) (*Run, error) {
	info, _, err := readInfo(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &Run{Info: *info, Dir: dir, results: make(map[part][]Result), units: make(benchfmt.UnitMetadataMap)}
	for _, p := range info.parts() {
		if err := r.readBench(ctx, p); err != nil {
			return nil, err
		}
	}
	return r, r.findProfiles()
}

// Bounds of what is read of a run. A run of 1000 benchmarks with three profiles each has a
// run.json of 0.8 MB with 10,000 values, and 20 samples of each are 4 MB of text.
const (
	maxInfoFile   = 4 << 20
	maxInfoValues = 200_000
	sumText       = 100 // of a file in run.json, beside its name
	maxBenchFile  = 64 << 20
	maxResults    = 1_000_000 // of a side and phase; each takes some 400 bytes
)

// readInfo reads run.json. kept is about how much of its text, in bytes, a list keeps, which
// leaves out the sums of files.
func readInfo(ctx context.Context, dir string) (info *Info, kept int, err error) {
	file := filepath.Join(dir, infoFile)
	text, err := infile.ReadFile(ctx, file, maxInfoFile)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, &CorruptError{file, 0, -1, fmt.Errorf("not a run: %w", fs.ErrNotExist)}
		}
		return nil, 0, unread(file, err)
	}
	if n := bytes.Count(text, []byte(",")); n > maxInfoValues {
		return nil, 0, &CorruptError{file, 0, -1, fmt.Errorf("has more than %d values: damaged, or not written by hone", maxInfoValues)}
	}
	at := func(err error) error { return corruptAt(file, text, 0, err) }
	info = new(Info)
	if err := unmarshal(file, text, info); err != nil {
		return nil, 0, err
	}
	switch {
	case info.Schema == 0:
		return nil, 0, at(errors.New("has no schema version: not a run, or damaged"))
	case info.Schema > SchemaVersion:
		return nil, 0, at(fmt.Errorf("schema version %d is newer than %d, which this hone knows: update hone", info.Schema, SchemaVersion))
	case info.State != Partial && info.State != Complete:
		return nil, 0, at(fmt.Errorf("unknown state %q", info.State))
	case info.ID == "":
		return nil, 0, at(errors.New("the run has no id"))
	}
	kept = len(text)
	for name := range info.Files {
		kept -= len(name) + sumText
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, 0, at(fmt.Errorf("file %q lies outside of the run", name))
		}
	}
	return info, max(0, kept), nil
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

func (r *Run) readBench(ctx context.Context, p part) error {
	name := r.file(p)
	file := filepath.Join(r.Dir, name)
	text, err := infile.ReadFile(ctx, file, maxBenchFile)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return unread(file, err)
		}
		if _, listed := r.Files[name]; listed {
			return &CorruptError{file, 0, -1, fs.ErrNotExist}
		}
		if p.Phase == Measure && r.State == Partial {
			r.problem("%s is missing", name)
		}
		return nil
	}
	if torn := len(text) - 1 - bytes.LastIndexByte(text, '\n'); torn > 0 && r.State == Partial {
		r.problem("%s: the last line was not written to its end and is left out", name)
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
			if len(r.results[p]) == maxResults {
				return &CorruptError{file, line, -1, fmt.Errorf("has more than %d results", maxResults)}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			for len(slots) > 0 && slots[0].line < line {
				slot, slots = slots[0], slots[1:]
			}
			slot.Side = p.Side
			r.results[p] = append(r.results[p], Result{record.Clone(), slot.Slot, slot.line > 0})
		}
	}
	if err := in.Err(); err != nil {
		return &CorruptError{file, 0, -1, err}
	}
	maps.Copy(r.units, in.Units())
	return nil
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

func (r *Run) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// checkSums compares a complete run with what was noted when it was closed.
func (r *Run) checkSums(ctx context.Context) error {
	if r.State != Complete {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		want, file := r.Files[name], filepath.Join(r.Dir, filepath.FromSlash(name))
		got, err := sumFile(ctx, file, want.Bytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return &CorruptError{file, 0, -1, fs.ErrNotExist}
		case err != nil:
			return unread(file, err)
		case got.Bytes < want.Bytes:
			return &CorruptError{file, 0, got.Bytes, fmt.Errorf("ends here, of %d bytes", want.Bytes)}
		case got.Bytes > want.Bytes:
			return &CorruptError{file, 0, want.Bytes, fmt.Errorf("should end here, but has %d bytes more", got.Bytes-want.Bytes)}
		case got.SHA256 != want.SHA256:
			return &CorruptError{file, 0, -1, fmt.Errorf("content changed after the run was closed: SHA-256 is %.12s…, was %.12s…", got.SHA256, want.SHA256)}
		}
	}
	return nil
}

// Results returns the results of a side in the order of the file. A run that
// compares nothing has the phase Measure and the side Head. The caller does not
// change them.
func (r *Run) Results(phase Phase, side Side) []Result { return r.results[part{phase, side}] }

// Units is what the run's files say of their units.
func (r *Run) Units() benchfmt.UnitMetadataMap { return r.units }

// Profiles returns the run's profiles, by folder and kind.
func (r *Run) Profiles() []ProfileFile { return slices.Clone(r.files) }

// withoutProcs cuts the "-4" that go test puts behind a benchmark's name.
func withoutProcs(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i > 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == "" {
		return name[:i]
	}
	return name
}

// Series returns the samples of a phase by package, benchmark and unit, in the
// order of the files.
func (r *Run) Series(phase Phase) []Series {
	var series []Series
	index := make(map[Key]int)
	for _, side := range []Side{Base, Head} {
		for n, result := range r.Results(phase, side) {
			slot := result.Slot
			if !result.HasSlot { // written by hand: the n-th of each side are a pair
				slot = Slot{Block: n, Order: n, Side: side}
			}
			for _, v := range result.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				k := Key{result.GetConfig("pkg"), result.Name.String(), unit}
				i, ok := index[k]
				if !ok {
					i = len(series)
					index[k] = i
					series = append(series, Series{Key: k})
				}
				series[i].Samples = append(series[i].Samples, Sample{slot, value})
			}
		}
	}
	return series
}

// Compare compares the sides of a run measured with -against, as it was when
// measured: with the noise floors of its pre-check and confirmed by its second
// run, if it has them. Floors and Units of opts are set from the run.
func (r *Run) Compare(opts Options) (*Family, error) {
	first, second, err := r.compareTwice(opts)
	if err != nil || second == nil {
		return first, err
	}
	return first.Confirm(second), nil
}

// compareTwice compares the samples and those of the second run, nil if there is none.
func (r *Run) compareTwice(opts Options) (first, second *Family, err error) {
	if r.Base == nil {
		return nil, nil, fmt.Errorf("run %s has one side only: it was not measured with -against", r.ID)
	}
	opts.Units, opts.sameCode, opts.tests, opts.missing = r.units, r.SameCode, r.Tests, r.Missing
	preCheck, measured := r.Series(PreCheck), r.Series(Measure)
	opts.Floors = MeasureFloor(preCheck)
	if first, err = Compare(measured, opts); err != nil {
		return nil, nil, err
	}
	first.Layout = measureLayout(preCheck, measured)
	again := r.Series(Repeat)
	if len(again) == 0 {
		return first, nil, nil
	}
	opts.repeated = first
	second, err = Compare(again, opts)
	return first, second, err
}
