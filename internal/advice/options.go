package advice

import "fmt"

// Options of Advise.
type Options struct {
	Dir   string // a folder of the module whose source the profiles are of
	Rules []*Rule
	// MinShare is the part of a subject's time or memory from which on a line counts
	// as hot; 0 is DefaultMinShare.
	MinShare float64
	// MaxPackages bounds how many hot packages are read, the hottest first; 0 is
	// DefaultMaxPackages.
	MaxPackages int
	// BuildFlags are those of the build, "-tags=x", as far as go list takes them.
	BuildFlags []string
	// Compiler has the hot packages compiled once more, for what the compiler says.
	Compiler bool
	// Foreign is set where anybody may have made the profiles: binaries that they name are
	// not opened.
	Foreign bool
	// Stage is told what is being done, in a few words. May be nil.
	Stage func(string)
}

func (o *Options) stage(format string, args ...any) {
	if o.Stage != nil {
		o.Stage(fmt.Sprintf(format, args...))
	}
}
