package advice

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A State says how much of a finding is proven.
type State string

const (
	// Hinted: the source has the pattern, but no profile says what it costs.
	Hinted State = "hinted"
	// Bounded: profiles limit what a rewrite can gain.
	Bounded State = "bounded"
	// Patched: the rewrite builds and passes the tests.
	Patched State = "patched"
	// Confirmed: two measurements show that it is better.
	Confirmed State = "confirmed"
	// Refuted: measurements show that it isn't better, or that something else got worse.
	Refuted State = "refuted"
	// Inconclusive: the measurements can't tell.
	Inconclusive State = "inconclusive"
)

// A Finding is one piece of advice at one place.
type Finding struct {
	// ID is the rule's ID and a number computed from the package, function and text of the place. It
	// stays the same when lines above move.
	ID    string `json:"id"`
	Rule  string `json:"rule"`
	Class Class  `json:"class"`
	State State  `json:"state"`
	Title string `json:"title"`
	Why   string `json:"why"`

	Package  string `json:"package,omitempty"`
	Function string `json:"function,omitempty"` // "Type.Method" or "function"
	Symbol   string `json:"symbol,omitempty"`   // the function as profiles name it
	File     string `json:"file,omitempty"`     // absolute
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Text     string `json:"text,omitempty"` // the source's line

	Evidence Evidence `json:"evidence"`
	Bound    Bound    `json:"bound"`
	// Facts are sentences: what else is known of the line.
	Facts []string `json:"facts,omitempty"`
	// Caveats are reasons to doubt the finding, or why its rewrite isn't offered.
	Caveats []string `json:"caveats,omitempty"`
	Fix     *Fix     `json:"fix,omitempty"`
	// Try is how hone fix proves a finding that has no rewrite.
	Try Trial `json:"try,omitempty"`
	// Also are less valuable findings of the same rule in the same function, and those of other rules on
	// the same line.
	Also []Also `json:"also,omitempty"`
	// Likely is the probability that a finding of the rule is confirmed: see Options.Likely.
	Likely float64 `json:"likely,omitempty"`
	// Folded is the ID of the finding that has this one in Also. Little means that it gains less than
	// 1 %. Both are only shown if everything is asked for.
	Folded string `json:"folded,omitempty"`
	Little bool   `json:"little,omitempty"`
}

// Shown reports whether a finding is shown if not everything is asked for.
func (f *Finding) Shown() bool { return f.Folded == "" && !f.Little }

// Also is a finding that another one represents.
type Also struct {
	ID   string `json:"id"`
	Line int    `json:"line"`
	// Title and Most are what it says and the most it gains, if it is of another rule.
	Title string `json:"title,omitempty"`
	Most  string `json:"most,omitempty"`
	// Cost is what its line costs, for a finding of the same rule. The evidence of the finding that
	// represents it covers only that finding's own line.
	Cost string `json:"cost,omitempty"`
}

// Advice is what to do, and why hone offers no rewrite, if it says so.
func (f *Finding) Advice() string { return strings.Join(append([]string{f.Why}, f.Caveats...), "; ") }

// A Trial is a way to prove a finding other than by its rewrite.
type Trial string

const (
	// BySetting: benchmarks run with other environment variables.
	BySetting Trial = "setting"
	// ByProfile: benchmarks are built with the finding's profile.
	ByProfile Trial = "profile"
)

// Evidence is what profiles show for a place, in the subject where it costs most.
type Evidence struct {
	Subject  string   `json:"subject,omitempty"`  // the benchmark or service
	Subjects []string `json:"subjects,omitempty"` // all where it costs something, most first

	CPU     *Share `json:"cpu,omitempty"`     // time below the line, in what the rule is about
	Bytes   *Share `json:"bytes,omitempty"`   // allocated
	Objects *Share `json:"objects,omitempty"` // allocated
	Mutex   *Share `json:"mutex,omitempty"`   // time others waited for locks held here
	Block   *Share `json:"block,omitempty"`   // time waited here
	// Live and LiveObjects are in use, of a heap profile.
	Live        *Share `json:"live,omitempty"`
	LiveObjects *Share `json:"liveObjects,omitempty"`

	GC      float64  `json:"gc,omitempty"`      // share of the CPU time in garbage collection
	Callees []Callee `json:"callees,omitempty"` // called by the line, most first
	// Callers are the user's lines that called the line's function, most expensive first. A helper may
	// be slow because of how it is used.
	Callers []Caller `json:"callers,omitempty"`
	// Ladder has the sizes of blocks allocated on the line, in bytes, ascending, if the finding is about
	// these. Many increasing sizes mean that something grows.
	Ladder []Block `json:"ladder,omitempty"`
	// Compiler has the compiler's messages about the line: what escapes, and what is copied.
	Compiler []string `json:"compiler,omitempty"`
}

// A Share is a part of a profile's total.
type Share struct {
	Value   int64   `json:"value"` // in Unit
	Unit    string  `json:"unit"`
	Share   float64 `json:"share"`   // of the total, 0 to 1
	Samples int64   `json:"samples"` // that Value was counted in
}

// A Callee is a function called by a line.
type Callee struct {
	Function string  `json:"function"`
	Share    float64 `json:"share"` // of the total, with all it calls
}

// A Caller is a line that calls the function of another one.
type Caller struct {
	Function string  `json:"function"` // "Type.Method" or "function"
	File     string  `json:"file"`     // absolute
	Line     int     `json:"line"`
	Share    float64 `json:"share"` // of what the line costs
	// Callers are lines that called this one's function, if the line only passes the call on. Their
	// shares are relative to this line's cost.
	Callers []Caller `json:"callers,omitempty"`
}

// A Block is a size of allocated blocks.
type Block struct {
	Bytes   int64 `json:"bytes"`
	Objects int64 `json:"objects"`
}

// A Bound is a ceiling on the gain of a rewrite: the time of the matched part, and its allocations'
// share of garbage collection, would be saved. It assumes that the rest takes as long as before.
type Bound struct {
	// Time is the part of the subject's CPU time that could be saved, and Error its standard error,
	// √(s(1−s)/n) for n samples.
	Time  float64 `json:"time"`
	Error float64 `json:"error,omitempty"`
	// GC is the part of Time that is spent elsewhere: on collecting what the matched part allocates, and
	// on scheduling the collector.
	GC float64 `json:"gc,omitempty"`
	// Speedup is 1/(1−t), where t is the upper end of the 95 % confidence interval of Time; 0 if t is 1.
	Speedup float64 `json:"speedup,omitempty"`
	// Bytes is the largest part of the allocated bytes that could be saved.
	Bytes float64 `json:"bytes,omitempty"`
	// Waiting is the largest part of the waiting time that could be saved.
	Waiting float64 `json:"waiting,omitempty"`
	// Live is the largest part of the heap in use that could be saved, and LiveBytes how much that is.
	Live      float64 `json:"live,omitempty"`
	LiveBytes int64   `json:"liveBytes,omitempty"`
	// Expected is the part of Time that the rule's typical gain saves.
	Expected float64 `json:"expected"`
	// Worth ranks findings. It is the root of the sum of squares of the expected gains in all
	// subjects: helping several subjects is worth more than helping one as much, but small gains in
	// many don't outweigh a large one. The probability that the gain is real (Finding.Likely) is a factor.
	// A finding that represents others of its rule has their worth added.
	Worth float64 `json:"worth"`
}

// A Report is the advice for some profiles and their source.
type Report struct {
	// Summary has the findings that are worth doing first.
	Summary []Point `json:"summary"`
	// Findings are in the order of their worth, those that are shown by default before all others.
	Findings []Finding `json:"findings"`
	// Together is the share of a subject's CPU time below all its findings, each sample counted once:
	// findings overlap and don't add up.
	Together map[string]float64 `json:"together,omitempty"`
	// Changed are the files that no longer are what was profiled, absolute: lines of theirs are matched by
	// what they call.
	Changed []string `json:"changed,omitempty"`
	// Unexamined says what could not be examined, and why.
	Unexamined []string `json:"unexamined,omitempty"`
	Packages   []string `json:"packages"` // that were looked at
	// HotLines is how many more lines are hot without a finding: see Options.MaxHotLines.
	HotLines int `json:"hotLines,omitempty"`
	// Folders are those of the hot packages, examined or not: the report is valid as long as nothing
	// in them changes.
	Folders []string `json:"-"`
	// Modules are the folders of the user's modules.
	Modules []string `json:"-"`
	// Failed means that packages couldn't be loaded or compiled. The reason may not be in their source.
	Failed bool `json:"-"`
}

// A Class says how safe a rewrite is.
type Class byte

const (
	// Safe: the program does the same for every input.
	Safe Class = 'A'
	// Review: the program does the same as far as the rule can tell; someone should review it.
	Review Class = 'B'
	// AdviceOnly: hone can't rewrite it, or the change is a design decision.
	AdviceOnly Class = 'C'
	// Look: what is known about a hot line. It promises no gain.
	Look Class = 'L'
)

// look is how Look is written.
const look = "look"

func (c Class) String() string {
	if c == Look {
		return look
	}
	return string(c)
}

// MarshalText writes the letter, or "look".
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the letter, or "look".
func (c *Class) UnmarshalText(text []byte) error {
	if string(text) == look {
		*c = Look
		return nil
	}
	if len(text) != 1 || text[0] < 'A' || text[0] > 'C' {
		return fmt.Errorf("invalid class %q: use A, B, C or look", text)
	}
	*c = Class(text[0])
	return nil
}

// newID makes an unused ID from a finding's rule, function, and what else distinguishes it from others
// there.
func newID(f *Finding, taken func(string) bool, more ...string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", f.Package, f.Function, strings.Join(more, "\x00"), n))
		if id := f.Rule + "-" + hex.EncodeToString(sum[:3]); !taken(id) {
			return id
		}
	}
}

// A Point is what the summary of a report says of a finding.
type Point struct {
	ID   string `json:"id"`
	File string `json:"file,omitempty"` // absolute
	Line int    `json:"line,omitempty"`
	// Package is the place of a finding without a line, if it has one.
	Package string `json:"package,omitempty"`
	What    string `json:"what"`           // the finding's title
	Most    string `json:"most,omitempty"` // "at most 3.3 times as fast"
	// Benchmark is the one that Most is about, if findings are about several.
	Benchmark string `json:"benchmark,omitempty"`
}
