package rules

import (
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

// matchJSON returns the calls of encoding/json at a site for which why has a reason. Calls that run
// once are left out. why is given the type that the call encodes or decodes.
func matchJSON(s *advice.Site, why func(s *advice.Site, c code.Call, t types.Type, decodes bool) string) []advice.Match {
	if s.Share(jsonFrames) < 0.02 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls(facts.JSONFunctions...) {
		t, decodes := facts.JSONCoded(s.Place, c)
		if t == nil || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		if text := why(s, c, t, decodes); text != "" {
			matches = append(matches, advice.Match{Node: c.CallExpr, Why: text})
		}
	}
	return matches
}
