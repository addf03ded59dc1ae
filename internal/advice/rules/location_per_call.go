package rules

import (
	"fmt"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var locationPerCall = &advice.Rule{
	ID:    "location-per-call",
	Title: "a time zone is loaded per call",
	Doc: `time.LoadLocation opens and parses a file of the time zone database each time. This takes tens of microseconds, system
calls and a dozen allocations. A *time.Location never changes and can be shared by all goroutines.

A constant name is loaded once: the rewrite adds a function with sync.OnceValues and calls it instead. Review it,
because an error is kept, too. Resolve a name from the configuration where the configuration is read, so that a wrong
name fails at startup. Keep locations for names from data in a sync.Map.`,
	Class:  advice.Review,
	Frames: lazyregexp.New(`^time\.(LoadLocation|loadLocation|LoadLocationFromTZData|loadTzinfo)`),
	Since:  "1.21",
	Gain:   50,
	Match:  matchLocationPerCall,
	Conditions: advice.Conditions{
		Offered: "the name is constant",
		Review:  "an error may be kept along with the location; " + edit.InitOrder,
	},
}

func matchLocationPerCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("time.LoadLocation") {
		if facts.RunsOnce(s.Place, c.Cursor) || len(c.Args) != 1 {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		name, constant := facts.ConstantText(s.Place, c.Args[0])
		switch {
		case !constant:
			m.Why = "time.LoadLocation reads the time zone database on each call. Resolve the name once, where the configuration is read, and keep the *time.Location; keep locations for names from data in a map."
		case name == "" || name == "UTC" || name == "Local":
			continue // these are known without reading a file
		default:
			m.Why = fmt.Sprintf("time.LoadLocation reads %q from the time zone database on each call; load it once. Check that an error, which is now kept, doesn't need a retry.", name)
			if s.Decl == nil || !facts.AtPackageLevel(s.Place, c.CallExpr) {
				break
			}
			once, ok := facts.PackageName(s.Place, "sync", s.Decl.Pos())
			pkg, ok2 := facts.PackageName(s.Place, "time", s.Decl.Pos())
			if !ok || !ok2 || s.Source(c.Fun) != pkg+".LoadLocation" || facts.Commented(s.Place, c.Pos(), c.End()) {
				break
			}
			load := s.Decl.Name.Name
			load = s.Unused(edit.LowerFirst(load)+"Location", c.Pos())
			m.Class = advice.Review
			m.Imports = []string{"sync"}
			m.Edits = []advice.Edit{
				edit.BeforeDecl(s, fmt.Sprintf("var %s = %s.OnceValues(func() (*%s.Location, error) { return %s })", load, once, pkg, s.Source(c.CallExpr))),
				edit.Replace(c.CallExpr, load+"()"),
			}
		}
		matches = append(matches, m)
	}
	return matches
}
