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
	Title: "everything is read into memory that grows",
	Doc: `io.ReadAll doesn't know how much there will be: it reads into a buffer, a larger one when that is full, and copies. A
file's size is known to os.ReadFile, a body's often from its ContentLength; a bytes.Buffer that is kept, or comes from a
sync.Pool, has its room from the last time. encoding/xml and csv decode while they read, and need no whole text;
encoding/json keeps the text of a value all the same, but its decoders copy what they return, so that the buffer can be
used again at once.

No rewrite is offered: a decoder stops after the first value, where Unmarshal fails if something follows. Since Go 1.26
io.ReadAll is about twice as fast as before and wastes less.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^io(/ioutil)?\.ReadAll$`),
	Gain:   1.5,
	Match:  matchReadAllDecode,
}

func matchReadAllDecode(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("io.ReadAll", "io/ioutil.ReadAll") {
		if len(c.Args) != 1 || facts.RunsOnce(s, c.Cursor) {
			continue
		}
		m := advice.Match{Node: c.CallExpr}
		from := s.Source(c.Args[0])
		if !edit.OneLine(from) {
			from = "what it reads"
		}
		decoder := decodedBy(s, c.Cursor)
		switch {
		case facts.IsNamed(s.Info.TypeOf(c.Args[0]), "os", "File"):
			m.Why = fmt.Sprintf("ReadAll doesn't know the size of the file %s, and reads into buffers that grow: os.ReadFile asks for it first.", from)
		case decoder == "encoding/xml.Unmarshal":
			m.Why = fmt.Sprintf("All of %s is kept in memory for xml.Unmarshal. A Decoder of xml.NewDecoder(%s) decodes while it reads.", from, from)
		case isBody(s, c.Args[0]):
			m.Why = fmt.Sprintf("ReadAll reads %s into buffers that grow. Where ContentLength says how much there is, make a buffer of that size, within a limit, or read into a bytes.Buffer that is used again.", from)
		case decoder == "encoding/json.Unmarshal":
			m.Why = fmt.Sprintf("ReadAll reads %s into buffers that grow, only for json.Unmarshal, which keeps none of it: read into a bytes.Buffer that is used again, with ReadFrom.", from)
		default:
			m.Why = fmt.Sprintf("ReadAll reads %s into buffers that grow. If the size is known, make a buffer for it and use io.ReadFull; if not, read into a bytes.Buffer that is used again, or work on the text while it is read.", from)
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
	obj := facts.Object(s, assign.Lhs[0])
	if obj == nil || !facts.IsLocal(s, obj) {
		return ""
	}
	uses := facts.UsesIn(s, obj, assign.End(), s.Func.Node().End())
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
