package rules

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var readAllDecode = &advice.Rule{
	ID:    "read-all-decode",
	Title: "io.ReadAll reads everything into growing buffers",
	Doc: `io.ReadAll doesn't know the size in advance: it reads into a buffer, and copies to a larger one when it is full.
os.ReadFile knows the size of a file, and ContentLength often gives the size of a body. A bytes.Buffer that is kept, or
taken from a sync.Pool, reuses its memory. encoding/xml and csv decode while reading and don't need the whole text.
encoding/json keeps the text of a value, but copies what it returns, so the buffer can be reused immediately.

No rewrite is offered: a decoder stops after the first value, and Unmarshal fails if more data follows. Since Go 1.26
io.ReadAll is about twice as fast and wastes less memory.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^io(/ioutil)?\.ReadAll$`),
	Gain:   1.5,
	Match:  matchReadAllDecode,
}

func matchReadAllDecode(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("io.ReadAll", "io/ioutil.ReadAll") {
		if len(c.Args) != 1 || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		m := advice.Match{Node: c.CallExpr}
		from := s.Source(c.Args[0])
		if !edit.OneLine(from) {
			from = "its input"
		}
		decoder := decodedBy(s, c.Cursor)
		switch {
		case facts.IsNamed(s.Info.TypeOf(c.Args[0]), "os", "File"):
			m.Why = fmt.Sprintf("ReadAll doesn't know the size of the file %s and reads into growing buffers; os.ReadFile asks for the size first.", from)
		case decoder == "encoding/xml.Unmarshal":
			m.Why = fmt.Sprintf("All of %s is kept in memory for xml.Unmarshal; xml.NewDecoder(%s) decodes while reading.", from, from)
		case isBody(s, c.Args[0]):
			m.Why = fmt.Sprintf("ReadAll reads %s into growing buffers. If ContentLength is set, allocate a buffer of that size, up to a limit, or read into a reused bytes.Buffer.", from)
		case decoder == "encoding/json.Unmarshal":
			m.Why = fmt.Sprintf("ReadAll reads %s into growing buffers for json.Unmarshal, which doesn't keep them; read into a reused bytes.Buffer with ReadFrom.", from)
		default:
			m.Why = fmt.Sprintf("ReadAll reads %s into growing buffers. If the size is known, allocate a buffer and use io.ReadFull; otherwise read into a reused bytes.Buffer, or process the text while reading.", from)
		}
		matches = append(matches, m)
	}
	return matches
}

// isBody reports whether an expression is the body of an HTTP request or response.
func isBody(s *advice.Site, e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Body" && (facts.IsNamed(s.Info.TypeOf(sel.X), "net/http", "Request") || facts.IsNamed(s.Info.TypeOf(sel.X), "net/http", "Response"))
}

// decodedBy returns the only function that uses the result of a call; "" if there are others.
func decodedBy(s *advice.Site, c inspector.Cursor) string {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok {
		return ""
	}
	obj := facts.Object(s.Place, assign.Lhs[0])
	if obj == nil || !facts.IsLocal(s.Place, obj) {
		return ""
	}
	uses := facts.UsesIn(s.Place, obj, assign.End(), s.Func.Node().End())
	if len(uses) != 1 {
		return ""
	}
	use, ok := s.Func.FindNode(uses[0])
	if !ok {
		return ""
	}
	call, ok := use.Parent().Node().(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || call.Args[0] != uses[0] {
		return ""
	}
	return s.Callee(call)
}
