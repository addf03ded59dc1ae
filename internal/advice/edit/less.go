package edit

import (
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
)

// A Less is a less function, read as a comparison function: its edits, and what is known about its
// comparisons.
type Less struct {
	site    *advice.Site
	slice   ast.Expr
	body    *ast.BlockStmt
	i, j    types.Object // parameters
	a, b    string       // names of the two elements in the rewrite
	locals  [2]types.Object
	Slices  string // the package's name
	Edits   []advice.Edit
	Imports []string

	keys      int  // comparisons
	Float     bool // some of floats
	Calls     bool // some have calls
	Exact     bool // the elements themselves are compared: equal ones can't be told apart
	Ascending bool // … by < only
}
