package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"go/version"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
)

var jsonReflection = &advice.Rule{
	ID:    "json-reflection",
	Title: "JSON is encoded or decoded by reflection",
	Doc: `encoding/json uses reflection to find and set the fields of each value. If the type is known, generated code is two to
four times as fast, with a fraction of the allocations. You can also encode a few fields by hand, or use a library that
looks up single values in a large document by path.

Since Go 1.27 encoding/json stands on encoding/json/v2, which reads faster: there, upgrading comes first.

This changes how a program is built, so that it is advice only. Types with a MarshalJSON or UnmarshalJSON of their own
are not reported, nor single numbers and strings.`,
	Class:  advice.AdviceOnly,
	Frames: jsonFrames,
	Gain:   2.5,
	Match: func(s *advice.Site) []advice.Match {
		return matchJSONAny(s, func(c advice.Call, t types.Type, decodes bool) string {
			if dynamic(t) || ownJSON(t, decodes) {
				return ""
			}
			name := types.TypeString(t, types.RelativeTo(s.Types))
			if len(name) > 60 {
				name = "this type"
			}
			if _, ok := t.Underlying().(*types.Interface); ok {
				return fmt.Sprintf("%s finds out what a value is by reflection, each time. For the types that come here most often, code that is generated for them does without, called in its place.", edit.Short(c.Name))
			}
			switch t.Underlying().(type) {
			case *types.Struct, *types.Slice, *types.Map, *types.Array:
			default:
				return ""
			}
			does := "writes"
			if decodes {
				does = "reads"
			}
			return fmt.Sprintf("%s %s %s by reflection, field by field. A codec that is generated for the type does the same two to four times as fast%s.", edit.Short(c.Name), does, name, upgrade(s))
		})
	},
}

// coded returns the type that a call reads or writes.
func coded(s *advice.Site, c advice.Call) (t types.Type, decodes bool) {
	var arg ast.Expr
	switch {
	case c.Name == "encoding/json.Unmarshal" && len(c.Args) == 2:
		arg, decodes = c.Args[1], true
	case c.Name == "(*encoding/json.Decoder).Decode" && len(c.Args) == 1:
		arg, decodes = c.Args[0], true
	case len(c.Args) > 0:
		arg = c.Args[0]
	}
	if arg == nil {
		return nil, false
	}
	t = s.Info.TypeOf(arg)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
	}
	return t, decodes
}

// dynamic reports whether a type leaves to run time what JSON values are.
func dynamic(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		_, param := types.Unalias(t).(*types.TypeParam)
		return u.Empty() && !param
	case *types.Map:
		return dynamic(u.Elem())
	case *types.Slice:
		return dynamic(u.Elem())
	}
	return false
}

// ownJSON reports whether a type reads or writes its JSON itself.
func ownJSON(t types.Type, decodes bool) bool {
	names := []string{"MarshalJSON", "MarshalText", "MarshalJSONTo"}
	if decodes {
		names = []string{"UnmarshalJSON", "UnmarshalText", "UnmarshalJSONFrom"}
	}
	set := types.NewMethodSet(types.NewPointer(t))
	for _, name := range names {
		if set.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// upgrade says what a newer Go gives, where this one is older.
func upgrade(s *advice.Site) string {
	if s.Toolchain != "" && version.Compare(s.Toolchain, "go1.27") >= 0 {
		return ""
	}
	return "; Go 1.27, whose encoding/json stands on v2, gains part of that by itself"
}
