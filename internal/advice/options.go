package advice

import "fmt"

// Options of Advise.
type Options struct {
	Dir   string // a folder of the module whose source the profiles are of
	Rules []*Rule
	// MinShare is the smallest share of a subject's time or memory for which a line counts as hot; 0
	// is DefaultMinShare.
	MinShare float64
	// MaxPackages limits how many hot packages are read, the hottest first; 0 is DefaultMaxPackages.
	MaxPackages int
	// BuildFlags are the build flags that go list accepts, such as "-tags=x".
	BuildFlags []string
	// Compiler compiles the hot packages once more to get the compiler's diagnostics.
	Compiler bool
	// Foreign means that the profiles may come from anyone: binaries that they name are not opened.
	Foreign bool
	// Stage, if not nil, is called with a short description of each step.
	Stage func(string)
}

func (o *Options) stage(format string, args ...any) {
	if o.Stage != nil {
		o.Stage(fmt.Sprintf(format, args...))
	}
}
