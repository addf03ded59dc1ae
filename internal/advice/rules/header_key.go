package rules

import (
	"fmt"
	"go/ast"
	"net/textproto"
	"strconv"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var headerKey = &advice.Rule{
	ID:    "header-key",
	Title: "a header name is canonicalized on each call",
	Doc: `The methods of http.Header look up a name in canonical form: Content-Type for content-type. A canonical name is used as
it is. Any other name is looked up among common headers and, if it isn't one of them, copied to the heap.

A name in a variable, or in a constant with another name, is reported without a rewrite, because other code may need it
unchanged.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^net/textproto\.[cC]anonicalMIMEHeaderKey$`),
	Gain:   2,
	Match:  matchHeaderKey,
	Conditions: advice.Conditions{
		Offered: "the name is a literal that isn't canonical",
	},
}

func matchHeaderKey(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls(
		"(net/http.Header).Get", "(net/http.Header).Values", "(net/http.Header).Set", "(net/http.Header).Add", "(net/http.Header).Del",
		"(net/textproto.MIMEHeader).Get", "(net/textproto.MIMEHeader).Values", "(net/textproto.MIMEHeader).Set", "(net/textproto.MIMEHeader).Add", "(net/textproto.MIMEHeader).Del",
	) {
		if len(c.Args) == 0 {
			continue // the results of a call
		}
		name, constant := facts.ConstantText(s.Place, c.Args[0])
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if !constant || name == canonical {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		m.Why = fmt.Sprintf("%s converts the name to %q on each call; write it in that form.", edit.Short(c.Name), canonical)
		if literal, ok := ast.Unparen(c.Args[0]).(*ast.BasicLit); ok {
			m.Class = advice.Safe
			m.Edits = []advice.Edit{edit.Replace(literal, strconv.Quote(canonical))}
		}
		matches = append(matches, m)
	}
	return matches
}
