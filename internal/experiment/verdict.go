package experiment

// A Verdict is what a comparison says about a series.
type Verdict uint8

const (
	// Inconclusive: the measurement could not tell. See MinDetectable.
	Inconclusive Verdict = iota
	// NoChange: the interval lies within the resolution (or counts are equal).
	NoChange
	// Better and Worse: the gate's interval lies beyond no change, and what the
	// machine was seen to change by itself. See Beyond.
	Better
	Worse
	// Differs is Better or Worse of a unit of unknown direction.
	Differs
	// WithinBudget: the interval rules out a change beyond the budget, but is too
	// wide to rule out any, or shows a small worsening.
	WithinBudget
	// OneSided: the benchmark or unit is missing on a side.
	OneSided
	// SameCode: the benchmark can run nothing that changed, whatever was measured.
	SameCode
	// OtherClock: JudgedBy decides.
	OtherClock
)

var verdictNames = [...]string{"inconclusive", "no change", "better", "worse", "differs", "within budget", "one side only", "same code", "other clock"}

func (v Verdict) String() string { return verdictNames[v] }

// Changed reports whether the verdict states a change, which a second run has
// to confirm.
func (v Verdict) Changed() bool { return v == Better || v == Worse || v == Differs }

// A Confirmation says what a second run made of a change.
type Confirmation uint8

const (
	// Pending: a change that nobody has tried to repeat, or no change.
	Pending Confirmation = iota
	// Agreed: the second run shows the same by itself.
	Agreed
	// Disagreed: it does not; the change does not count.
	Disagreed
	// NotRepeated: the second run has no such series.
	NotRepeated
)

func (c Confirmation) String() string {
	return [...]string{"not confirmed yet", "confirmed", "not confirmed by a second run", "not measured by the second run"}[c]
}

// SameCodeWords is what a comparison with the verdict SameCode tells people.
const SameCodeWords = "runs no changed code"
