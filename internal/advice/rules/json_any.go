package rules

import (
	"fmt"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var jsonAny = &advice.Rule{
	ID:    "json-any",
	Title: "JSON is decoded into or encoded from any",
	Doc: `Decoding JSON into any, or into a map of any, builds a map per object and a slice per array, and boxes each number,
string and boolean in an interface. That is an allocation or two per value, even for values that no code reads. Encoding
a map sorts its keys and inspects the type of each value.

Declare a struct with the fields that are used: others are skipped without being kept. What is only handed on can stay
as it is in a json.RawMessage. Where one or two values are wanted of a large text, a library that looks up a path
doesn't read the rest.

What the program needs of the data only its author knows, so that it is advice only.`,
	Class:  advice.AdviceOnly,
	Frames: jsonFrames,
	Gain:   2,
	Match: func(s *advice.Site) []advice.Match {
		return matchJSONAny(s, func(c advice.Call, t types.Type, decodes bool) string {
			_, anything := t.Underlying().(*types.Interface)
			if !dynamic(t) || anything && !decodes || ownJSON(t, decodes) {
				return ""
			}
			name := types.TypeString(t, types.RelativeTo(s.Types))
			if decodes {
				return fmt.Sprintf("%s makes maps, slices and interfaces of all that is in the text, as %s says nothing of it. Declare a struct with the fields that are used, and json.RawMessage for what is only handed on%s.", edit.Short(c.Name), name, upgrade(s))
			}
			return fmt.Sprintf("%s sorts the keys of %s and asks for the type of each value. A struct has its fields in order and their types known.", edit.Short(c.Name), name)
		})
	},
}

// matchJSONAny has why say something of calls that take the time.
func matchJSONAny(s *advice.Site, why func(c advice.Call, t types.Type, decodes bool) string) []advice.Match {
	if s.Share(jsonFrames) < 0.02 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls("encoding/json.Marshal", "encoding/json.MarshalIndent", "encoding/json.Unmarshal", "(*encoding/json.Encoder).Encode", "(*encoding/json.Decoder).Decode") {
		if facts.RunsOnce(s, c.Cursor) {
			continue
		}
		t, decodes := coded(s, c)
		if t == nil {
			continue
		}
		if why := why(c, t, decodes); why != "" {
			matches = append(matches, advice.Match{Node: c.CallExpr, Why: why})
		}
	}
	return matches
}
