package rules

import (
	"fmt"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var jsonReflection = &advice.Rule{
	ID:    "json-reflection",
	Title: "JSON is encoded or decoded by reflection",
	Doc: `encoding/json uses reflection to find and set the fields of each value. If the type is known, generated code is two to
four times as fast, with a fraction of the allocations. You can also encode a few fields by hand, or use a library that
looks up single values in a large document by path.

Since Go 1.27 encoding/json is based on encoding/json/v2, which decodes faster; upgrade first.

A generated codec changes how a program is built, so this rule only gives advice. Types with their own MarshalJSON or
UnmarshalJSON, and single numbers and strings, are not reported.`,
	Class:  advice.AdviceOnly,
	Frames: jsonFrames,
	Gain:   2.5,
	Match:  matchJSONReflection,
}

func matchJSONReflection(s *advice.Site) []advice.Match { return matchJSON(s, reflectsJSON) }

// reflectsJSON says why a call matches the rule, or "".
func reflectsJSON(s *advice.Site, c code.Call, t types.Type, decodes bool) string {
	if facts.DynamicJSON(t) || facts.OwnJSON(t, decodes) {
		return ""
	}
	name := types.TypeString(t, types.RelativeTo(s.Types))
	if len(name) > 60 {
		name = "this type"
	}
	if _, ok := t.Underlying().(*types.Interface); ok {
		return fmt.Sprintf("%s inspects each value by reflection. Call generated code for the most common types instead.", edit.Short(c.Name))
	}
	switch t.Underlying().(type) {
	case *types.Struct, *types.Slice, *types.Map, *types.Array:
	default:
		return ""
	}
	does := "encodes"
	if decodes {
		does = "decodes"
	}
	return fmt.Sprintf("%s %s %s by reflection, field by field. A generated codec for the type is two to four times as fast%s.", edit.Short(c.Name), does, name, edit.UpgradeJSON(s))
}
