package advice

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A State says how much of a finding has been shown.
type State string

const (
	// Hinted: the source has the pattern, but no profile says what it costs.
	Hinted State = "hinted"
	// Bounded: profiles limit what a rewrite can gain.
	Bounded State = "bounded"
	// Patched: the rewrite builds and passes the tests.
	Patched State = "patched"
	// Confirmed: measured to be better, twice.
	Confirmed State = "confirmed"
	// Refuted: measured, and no better, or something else got worse.
	Refuted State = "refuted"
	// Inconclusive: the measurement could not tell.
	Inconclusive State = "inconclusive"
)

// A Finding is one piece of advice at one place.
type Finding struct {
	// ID is the rule's and a number made of package, function and text of the place:
	// the same tomorrow, also when lines above have moved.
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
	// Caveats are what weakens the finding, or keeps its rewrite from being offered.
	Caveats []string `json:"caveats,omitempty"`
	Fix     *Fix     `json:"fix,omitempty"`
	// Try is how hone fix proves a finding that has no rewrite.
	Try Trial `json:"try,omitempty"`
	// Also are findings of the same rule in the same function that are worth less.
	Also []Also `json:"also,omitempty"`
}

// Also is a finding that another one stands for.
type Also struct {
	ID   string `json:"id"`
	Line int    `json:"line"`
}

// A Trial is a way to prove a finding other than by its rewrite.
type Trial string

const (
	// BySetting: benchmarks are run with other variables in their environment.
	BySetting Trial = "setting"
	// ByProfile: benchmarks are built for the profile that the finding is of.
	ByProfile Trial = "profile"
)

// Evidence is what profiles say of a place, in the subject where it costs most.
type Evidence struct {
	Subject  string   `json:"subject,omitempty"`  // the benchmark or service
	Subjects []string `json:"subjects,omitempty"` // all where it costs something, most first

	CPU     *Share `json:"cpu,omitempty"`     // time below the line, in what the rule is about
	Bytes   *Share `json:"bytes,omitempty"`   // allocated
	Objects *Share `json:"objects,omitempty"` // allocated
	Mutex   *Share `json:"mutex,omitempty"`   // time others waited for locks held here
	Block   *Share `json:"block,omitempty"`   // time waited here

	GC      float64  `json:"gc,omitempty"`      // share of the CPU time in garbage collection
	Callees []Callee `json:"callees,omitempty"` // called by the line, most first
	// Callers are lines of the user's that the line's function was called from, most
	// first. What makes a helper slow may be how it is used.
	Callers []Caller `json:"callers,omitempty"`
	// Ladder is the sizes of blocks allocated on the line, in bytes, ascending; a line
	// that allocates many of growing size lets something grow.
	Ladder []Block `json:"ladder,omitempty"`
	// Compiler is what it says of the line: what escapes, what it copies.
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
	// Callers are lines that this one's function was called from, if the line does little
	// else than to pass the call on. Their shares are of what this line costs.
	Callers []Caller `json:"callers,omitempty"`
}

// A Block is a size of allocated blocks.
type Block struct {
	Bytes   int64 `json:"bytes"`
	Objects int64 `json:"objects"`
}

// A Bound is a ceiling on what a rewrite can gain: the time of the matched part,
// and the share of garbage collection that its allocations are of, would be gone.
type Bound struct {
	// Time is the part of the subject's CPU time that could be saved at most, and
	// Error its standard error, √(s(1−s)/n) for n samples.
	Time  float64 `json:"time"`
	Error float64 `json:"error,omitempty"`
	// Speedup is 1/(1−Time).
	Speedup float64 `json:"speedup,omitempty"`
	// Bytes is the part of the allocated bytes that could be saved at most.
	Bytes float64 `json:"bytes,omitempty"`
	// Waiting is the part of the time spent waiting that could be saved at most.
	Waiting float64 `json:"waiting,omitempty"`
	// Expected is Time with the rule's typical gain.
	Expected float64 `json:"expected"`
	// Worth ranks findings. It is the root of the sum of squares of what is expected of
	// each subject: what helps several is worth more than what helps one as much, but a
	// little in each of many doesn't outweigh a lot in one. Of a rule that is generic it is
	// half of that; where a finding stands for others, theirs is added.
	Worth float64 `json:"worth"`
}

// A Fix is a rewrite of one file.
type Fix struct {
	File string `json:"file"` // absolute
	Diff string `json:"diff"` // unified, with paths relative to the module
	// Before and After are the whole texts.
	Before []byte `json:"-"`
	After  []byte `json:"-"`
}

// A Report is what advice has to say of some profiles and the source they are of.
type Report struct {
	Findings []Finding `json:"findings"` // the most worthwhile first
	// Together is the part of the CPU time below all findings of a subject, each
	// sample counted once: findings overlap and don't add up.
	Together map[string]float64 `json:"together,omitempty"`
	// Unexamined says what could not be looked at, and why.
	Unexamined []string `json:"unexamined,omitempty"`
	Packages   []string `json:"packages"` // that were looked at
	// Folders are those of the hot packages, looked at or not: the report holds as long
	// as nothing in them changes.
	Folders []string `json:"-"`
}

// A Class says what may be done with a rule's rewrite.
type Class byte

const (
	// Safe: the program does the same, whatever it is given.
	Safe Class = 'A'
	// Review: the same as far as the rule can see; somebody should look.
	Review Class = 'B'
	// AdviceOnly: there is no rewrite, or it is a change of design.
	AdviceOnly Class = 'C'
)

func (c Class) String() string { return string(c) }

// MarshalText writes the letter.
func (c Class) MarshalText() ([]byte, error) { return []byte{byte(c)}, nil }

// UnmarshalText reads the letter.
func (c *Class) UnmarshalText(text []byte) error {
	if len(text) != 1 || text[0] < 'A' || text[0] > 'C' {
		return fmt.Errorf("%q is no class: want A, B or C", text)
	}
	*c = Class(text[0])
	return nil
}

// newID makes an ID that is not taken, of a finding's rule, function, and what else tells
// it from others there.
func newID(f *Finding, taken func(string) bool, more ...string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", f.Package, f.Function, strings.Join(more, "\x00"), n))
		if id := f.Rule + "-" + hex.EncodeToString(sum[:3]); !taken(id) {
			return id
		}
	}
}
