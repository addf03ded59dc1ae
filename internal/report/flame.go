package report

import (
	"time"

	"github.com/hone-go/hone/profile"
)

// FlameOptions shape a flame graph.
type FlameOptions struct {
	Title    string        // such as the name of the profile's file
	Duration time.Duration // of the collection, 0 if unknown
	Time     time.Time     // of its start, zero if unknown
	Warnings []string      // caveats, shown with the graph

	PerSecond bool // see [Options]

	// Chance, unless it is nil, replaces what the profiles of a comparison tell about
	// how much values vary.
	Chance *Chance

	// Mine says that the tree shows only your code: see [Options.Mine].
	Mine bool

	// Turns are other trees of the same profile that the HTML page can switch to:
	// inverted, and with only your code or all code. They can't be derived from the
	// shown tree, because its folded nodes are lost.
	Turns []FlameTurn

	// MaxNodes is the most nodes that each tree has in the output. The widest ones
	// are kept; others are folded into their parents. 0 is the renderer's default.
	MaxNodes int

	// Of pictures (SVG) only:
	Column  int  // the sample type, as an index in the tree's Types
	Width   int  // in pixels; 0 is 1200
	FlameUp bool // root at the bottom
	Widths  FlameWidths
	Color   string // "package", "origin" or "change"; "" is change for comparisons and package otherwise
}

// FlameTurn is another tree of a flame graph's profile.
type FlameTurn struct {
	*profile.Tree
	Mine bool // see [FlameOptions]
}

// facts returns the facts in a flame graph's header, as pairs of a name and a value.
func (o *FlameOptions) facts() [][2]string {
	facts := [][2]string{}
	if !o.Time.IsZero() && o.Time.Unix() != 0 {
		facts = append(facts, [2]string{"taken", o.Time.Format("2006-01-02 15:04 MST")})
	}
	if o.Duration > 0 {
		facts = append(facts, [2]string{"duration", o.Duration.Round(10 * time.Millisecond).String()})
	}
	return facts
}
