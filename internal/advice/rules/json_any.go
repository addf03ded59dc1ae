package rules

import (
	"fmt"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var jsonAny = &advice.Rule{
	ID:    "json-any",
	Title: "JSON is decoded into or encoded from any",
	Doc: `Decoding JSON into any, or into a map of any, builds a map per object and a slice per array, and boxes each number,
string and boolean in an interface. That is an allocation or two per value, even for values that no code reads. Encoding
a map sorts its keys and inspects the type of each value.

Declare a struct with the fields you use; other fields are skipped and not kept. Keep data that is only passed on in a
json.RawMessage. If you need one or two values from a large document, a library that looks up a path doesn't parse the
rest.

Only the author knows which data the program needs, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: jsonFrames,
	Gain:   1.2,
	Match:  matchJSONAny,
}

func matchJSONAny(s *advice.Site) []advice.Match { return matchJSON(s, makesAny) }

// makesAny says why a call matches the rule, or "".
func makesAny(s *advice.Site, c code.Call, t types.Type, decodes bool) string {
	_, anything := t.Underlying().(*types.Interface)
	if !facts.DynamicJSON(t) || anything && !decodes || facts.OwnJSON(t, decodes) {
		return ""
	}
	name := types.TypeString(t, types.RelativeTo(s.Types))
	if decodes {
		return fmt.Sprintf("%s builds maps, slices and interfaces for the whole document, because %s doesn't describe it. Declare a struct with the fields you use, and json.RawMessage for data that is only passed on%s.", edit.Short(c.Name), name, edit.UpgradeJSON(s))
	}
	return fmt.Sprintf("%s sorts the keys of %s and inspects the type of each value; a struct has a fixed order and known types.", edit.Short(c.Name), name)
}
