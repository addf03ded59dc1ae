package facts

import (
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice/code"
)

// JSONFunctions read and write JSON.
var JSONFunctions = []string{"encoding/json.Marshal", "encoding/json.MarshalIndent", "encoding/json.Unmarshal", "(*encoding/json.Encoder).Encode", "(*encoding/json.Decoder).Decode"}

// JSONCoded returns the type that a call reads or writes.
func JSONCoded(s *code.Place, c code.Call) (t types.Type, decodes bool) {
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

// DynamicJSON reports whether the types of JSON values are only known at run time.
func DynamicJSON(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		_, param := types.Unalias(t).(*types.TypeParam)
		return u.Empty() && !param
	case *types.Map:
		return DynamicJSON(u.Elem())
	case *types.Slice:
		return DynamicJSON(u.Elem())
	}
	return false
}

// OwnJSON reports whether a type has its own methods for encoding or decoding JSON.
func OwnJSON(t types.Type, decodes bool) bool {
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
