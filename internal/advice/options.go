package advice

import (
	"cmp"
	"context"
	"fmt"
)

// Options of Advise.
type Options struct {
	Dir   string // a folder of the module whose source the profiles are of
	Env   *GoEnv // of Dir; nil: Advise asks for it
	Rules []*Rule
	// MinShare is the smallest share of a subject's time or memory for which a line counts as hot; 0
	// is DefaultMinShare.
	MinShare float64
	// MinHotLine is the smallest share of a subject's time or memory for which a line is reported
	// though no rule knows a pattern there; 0 is DefaultMinHotLine.
	MinHotLine float64
	// MaxHotLines limits the functions with such lines, the hottest first; 0 is DefaultMaxHotLines.
	// One line of each is reported; it names the others. With a negative number, all lines of all
	// functions are reported, and no finding is folded or little.
	MaxHotLines int
	// MaxPackages limits how many hot packages are read, the hottest first; 0 is DefaultMaxPackages.
	MaxPackages int
	// Only is the folder of the one package that is examined; "" for all. It is absolute.
	Only string
	// Likely returns how probable it is that a finding of a rule is confirmed, from measured outcomes. nil
	// means that all are equally probable.
	Likely func(rule string) float64
	// BuildFlags are the build flags that go list accepts, such as "-tags=x".
	BuildFlags []string
	// Count, if not nil, counts how often statements in folders run per operation of subjects. The
	// result is by subject. An error only becomes a caveat.
	Count func(ctx context.Context, folders, subjects []string) (map[string]Runs, error)
	// Compiler compiles the hot packages once more to get the compiler's diagnostics.
	Compiler bool
	// Kept, if not nil, keeps these diagnostics between runs.
	Kept Kept
	// Foreign means that the profiles may come from anyone: binaries that they name are not opened.
	Foreign bool
	// Stage, if not nil, is called with a short description of each step.
	Stage func(string)
}

// setDefaults sets the limits that are not given.
func (o *Options) setDefaults() {
	o.MinShare = cmp.Or(o.MinShare, DefaultMinShare)
	o.MaxPackages = cmp.Or(o.MaxPackages, DefaultMaxPackages)
	o.MinHotLine = cmp.Or(o.MinHotLine, DefaultMinHotLine)
	o.MaxHotLines = cmp.Or(o.MaxHotLines, DefaultMaxHotLines)
}

func (o *Options) stage(format string, args ...any) {
	if o.Stage != nil {
		o.Stage(fmt.Sprintf(format, args...))
	}
}

// DefaultMaxPackages is how many hot packages are read by default.
const DefaultMaxPackages = 50

// DefaultMinHotLine and DefaultMaxHotLines limit the findings about hot lines without a pattern by
// default. A line with less than a thirtieth of a profile can make a program at most 3 % faster, and
// every profile has a long tail of such lines.
const (
	DefaultMinHotLine  = 0.03
	DefaultMaxHotLines = 5
)
