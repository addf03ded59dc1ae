package report

import (
	"context"
	"errors"
	"io"
	"regexp"

	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// Options select and shape a report. The zero value is not useful: start from
// [DefaultOptions]. Names, meanings and defaults are those of `go tool pprof`.
type Options struct {
	// What is measured.
	SampleIndex string  // sample type by index or name; see profile.Profile.SampleIndex
	Mean        bool    // divide by the first sample type
	DivideBy    float64 // divide all values by this
	Unit        string  // unit of printed values; "minimum" picks one for the report, "auto" one per value
	PerSecond   bool    // values are rates, and are printed as such

	// Which samples and frames count. All are regexps (RE2) unless said otherwise; "" means off.
	Focus, Ignore       string // keep or drop samples with a matching frame
	Hide, Show          string // drop matching frames, or all others
	ShowFrom, PruneFrom string // drop frames above the highest match, or below the lowest
	TagFocus, TagIgnore string // keep or drop samples by label: "key=regexp", "regexp,regexp", "key=1kb:2mb"
	TagShow, TagHide    string // keep or drop labels by key
	TagRoot, TagLeaf    string // comma-separated label keys that become frames
	Mine                string // fold other frames into the nearest caller of yours: [MineModule], or a regexp of functions that are yours
	DropNegative        bool   // leave out nodes with negative values

	// How frames are told apart.
	Granularity string // "functions", "filefunctions", "files", "lines", "addresses", or "" for the report's own
	NoInlines   bool   // attribute inlined functions to their caller
	ShowColumns bool   // tell columns of a line apart
	CallTree    bool   // tell nodes apart by their path (graph and callgrind)

	// How much is shown.
	Sort         string  // "flat" or "cum"
	NodeCount    int     // most nodes shown; -1 is the report's own default, 0 all
	NodeFraction float64 // nodes below this share of the total are dropped
	EdgeFraction float64 // edges below this share of the total are dropped
	Trim         bool    // false: show everything, whatever the three above say

	// How it looks.
	RelativePercentages bool // percentages of what is left after filtering
	CompactLabels       bool // no header about the profile
	IntelSyntax         bool // assembly as Intel writes it
	SourcePath          string
	TrimPath            string
}

// MineModule is the value of [Options.Mine] that selects the module of package main.
const MineModule = "true"

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{
		Unit:         "minimum",
		NodeCount:    -1,
		NodeFraction: 0.005,
		EdgeFraction: 0.001,
		Trim:         true,
		DivideBy:     1,
		Sort:         "flat",
	}
}

// Env gives reports access to the outside world. Its functions are called only from
// the goroutine that makes the report; each may be nil.
type Env struct {
	// Context, unless nil, ends the work on a report early; see [Report.Err].
	Context context.Context
	// Budget, unless nil, provides the memory of graphs as they grow. Its error
	// ends the work, and [Report.Err] returns it.
	Budget profile.Budget
	// Warn gets caveats, such as a filter that matched nothing. If it is nil, they
	// are dropped.
	Warn func(Warning)
	// Text finds a source file by its name in the profile. The report doesn't
	// change the text. If Text is nil or fails, list and weblist say so in place of
	// the text. An error of type [srcfind.NotFoundError] tells where it looked.
	Text func(file string) (*srcfind.Text, error)
	// Binary opens the program or library of a mapping; the report closes it. If
	// it is nil, disasm fails, and weblist shows only source.
	Binary func(m *profile.Mapping) (Binary, error)
	// Compat does as go tool pprof does. The cumulative value of a function in list
	// and disasm is the sum of its lines or instructions, so that a sample of a
	// recursive function counts for each of its lines; otherwise it counts once.
	// Frames made of labels are named after the value alone, even if there are
	// several keys.
	Compat bool
}

// A Warning is a caveat of a report.
type Warning struct {
	Text string // one line, without a line break
	// Unlike says that go tool pprof makes the same report without this warning.
	Unlike bool
}

// errNoBinary is returned where a report needs a program's file.
var errNoBinary = errors.New("no access to binaries")

// Binary is an executable file mapped into the profiled process. Addresses are
// those of the process unless said otherwise.
type Binary interface {
	// ObjAddr converts an address of the process to one of the file.
	ObjAddr(addr uint64) uint64
	// Symbols returns the symbols whose name matches re (nil: all) and, unless
	// addr is 0, that contain the file address addr.
	Symbols(re *regexp.Regexp, addr uint64) ([]Symbol, error)
	// Disasm decodes the instructions at file addresses [start, end).
	Disasm(start, end uint64, intel bool) ([]Inst, error)
	// Frames returns the functions an address of the process lies in, innermost first.
	Frames(addr uint64) ([]Frame, error)
	io.Closer
}

// Symbol is a named range of file addresses: End is its last byte.
type Symbol struct {
	Name       string
	Start, End uint64
}

// Inst is one machine instruction at a file address.
type Inst struct {
	Addr     uint64
	Text     string
	Function string
	File     string
	Line     int
}

// Frame is a source position an instruction belongs to.
type Frame struct {
	Function, File string
	Line           int
}
