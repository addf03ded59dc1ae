package experiment

import (
	"time"
)

// SchemaVersion is written into run.json. It grows when an older hone could
// misread a run; fields that may be ignored don't count.
const SchemaVersion = 1

// A State says how far a run came.
type State string

const (
	Partial  State = "partial"  // being measured, or interrupted
	Complete State = "complete" // closed
	Corrupt  State = "corrupt"  // in lists only: the directory does not open
)

// Info is the content of run.json; doc/runs.md describes it.
type Info struct {
	Schema      int         `json:"schema"`
	ID          string      `json:"id"`
	Created     time.Time   `json:"created"`
	State       State       `json:"state"`
	Command     []string    `json:"command"`
	Environment Environment `json:"environment"`
	Head        Revision    `json:"head"`           // the code measured
	Base        *Revision   `json:"base,omitempty"` // what it is compared with: -against
	// Tests are packages whose test files or testdata differ between the sides.
	Tests []TestOrigin `json:"tests,omitempty"`
	// SameCode are benchmarks that can run no code that differs between the sides;
	// NotBenchmarked functions of the head whose code differs, and that no benchmark of
	// those that were asked for can run. OtherChanges says that there are others, too.
	SameCode []BenchmarkName `json:"sameCode,omitempty"`
	// MeasuredOnly are benchmarks whose own code is the same on both sides, but that were
	// measured for another reason.
	MeasuredOnly []Doubt `json:"measuredOnly,omitempty"`
	// Uncompared is why all benchmarks were measured, "" if code was compared.
	Uncompared     string   `json:"uncompared,omitempty"`
	NotBenchmarked []string `json:"notBenchmarked,omitempty"`
	OtherChanges   bool     `json:"otherChanges,omitempty"`
	// Failures are what could not be measured, Missing benchmarks of the base that the
	// head does not have, or skips.
	Failures []Failure `json:"failures,omitempty"`
	Missing  []Gap     `json:"missing,omitempty"`
	Looks    []Look    `json:"looks,omitempty"` // when a comparison's samples were looked at
	// Comparisons is how many comparisons, each a run, share the chance of a false alarm;
	// 0 is one.
	Comparisons int     `json:"comparisons,omitempty"`
	Timing      *Timing `json:"timing,omitempty"`
	// Took is how many seconds passed until the run was complete.
	Took     float64  `json:"took,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Files is every file but run.json itself, by slash-separated path. Empty
	// while the run is partial.
	Files map[string]FileSum `json:"files,omitempty"`
}

// A Timing is how long a measurement was said to take, as soon as its costs were known,
// and how long it took from there on, in seconds.
type Timing struct {
	Expected float64 `json:"expected"`
	// IfChanged is Expected with every benchmark confirmed and profiled, since it changed.
	IfChanged float64 `json:"ifChanged,omitempty"`
	Took      float64 `json:"took"`
	Waited    float64 `json:"waited,omitempty"` // of that, for others to leave a core
}

// A Doubt is why it isn't known, without measuring, that a benchmark has not changed.
type Doubt struct {
	BenchmarkName
	Why string `json:"why"`
}

// A FileSum is what a file of a complete run has to be.
type FileSum struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const (
	infoFile    = "run.json"
	profilesDir = "profiles"
	profileExt  = ".pb.gz"
	traceKind   = "trace"
	traceExt    = ".out" // of trace.out, as Go's own documents call it
)

// A part is the samples of a run that one file holds.
type part struct {
	Phase
	Side
}

// file returns the name of a part's file. A run that compares nothing has one
// part, of the side Head.
func (i *Info) file(p part) string {
	if i.Base == nil {
		return "bench.txt"
	}
	return [...]string{"", "precheck-", "confirm-"}[p.Phase] + p.Side.String() + ".txt"
}

// parts returns what a run may have; Measure comes first.
func (i *Info) parts() []part {
	if i.Base == nil {
		return []part{{Measure, Head}}
	}
	return []part{{Measure, Base}, {Measure, Head}, {PreCheck, Base}, {PreCheck, Head}, {Repeat, Base}, {Repeat, Head}}
}
