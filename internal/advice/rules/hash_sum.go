package rules

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var hashSum = &advice.Rule{
	ID:    "hash-sum",
	Title: "a hash sum is allocated only to be copied",
	Doc: `h.Sum(nil) allocates a slice for the sum. Sum appends to its argument, so it doesn't allocate if that has capacity.
append(b, h.Sum(nil)...) is h.Sum(b).

If the compiler knows the concrete hash, as after h := sha256.New(), a local array is enough: var sum [32]byte and
h.Sum(sum[:0]). For a parameter or field of type hash.Hash it doesn't, and the array would move to the heap: keep the
array next to the hash, or write the function for one hash. For data in one piece, functions such as sha256.Sum256
return an array.

The rule reports sums that are copied, compared, printed or converted to a string right away, and not sums that are
returned or kept.`,
	Class:  advice.Review,
	Frames: sumFrames,
	Gain:   1.1, // Sum also hashes the rest, and a last block
	Match:  matchHashSum,
	Conditions: advice.Conditions{
		Offered: "the sum is copied, compared, printed or converted to a string right away",
		Review:  "the Sum method only appends the sum to its argument",
	},
}

var sumFrames = lazyregexp.New(`^(golang\.org/x/)?(crypto|hash)/.*\.Sum$`)

func matchHashSum(s *advice.Site) []advice.Match {
	if s.Share(sumFrames) == 0 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || !sumsToNil(s, call) {
			continue
		}
		hash := ast.Unparen(call.Fun).(*ast.SelectorExpr).X
		h := s.Source(hash)
		if !edit.OneLine(h) {
			continue
		}
		m := advice.Match{Node: call, Class: advice.AdviceOnly}
		if parent, ok := c.Parent().Node().(*ast.CallExpr); ok && appendsAll(s, parent, call) {
			to := parent.Args[0]
			if !edit.OneLine(s.Source(to)) || facts.Calls(s.Place, to) || facts.Commented(s.Place, parent.Pos(), parent.End()) {
				continue
			}
			m.Class = advice.Review // other types' Sum need not append
			m.Why = fmt.Sprintf("Sum appends to its argument, so %s.Sum(%s) needs no temporary slice and no copy. Check that this Sum appends, as package hash requires.", h, s.Source(to))
			m.Edits = []advice.Edit{edit.Replace(parent, fmt.Sprintf("%s.Sum(%s)", h, s.Source(to)))}
		} else if passing(s, c) {
			m.Why = fmt.Sprintf("%s.Sum(nil) allocates a temporary slice. Sum appends, so %s.Sum(buf[:0]) with a local array avoids it.", h, h)
			if types.IsInterface(s.Info.TypeOf(hash)) {
				m.Why = fmt.Sprintf("%s.Sum(nil) allocates a temporary slice. Sum appends, so pass memory: %s.Sum(buf[:0]) with a reused buffer, or with a local array if the compiler knows the concrete hash type.", h, h)
			}
		} else {
			continue
		}
		matches = append(matches, m)
	}
	return matches
}

// appendsAll reports whether a call is append(b, more...), of []byte.
func appendsAll(s *advice.Site, call *ast.CallExpr, more ast.Expr) bool {
	return s.Callee(call) == "append" && call.Ellipsis.IsValid() && call.Args[1] == more &&
		types.Identical(s.Info.TypeOf(call), types.NewSlice(types.Typ[types.Byte]))
}

// sumsToNil reports whether a call is h.Sum(nil) on something with the methods of a hash.
func sumsToNil(s *advice.Site, call *ast.CallExpr) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Sum" || len(call.Args) != 1 || !s.Info.Types[call.Args[0]].IsNil() {
		return false
	}
	method := s.Info.Selections[sel]
	if method == nil || method.Kind() != types.MethodVal {
		return false
	}
	methods := types.NewMethodSet(method.Recv())
	return methods.Lookup(nil, "BlockSize") != nil && methods.Lookup(nil, "Size") != nil && facts.IsBytes(s.Place, call)
}

// passing reports whether a slice of bytes isn't used after its statement.
func passing(s *advice.Site, c inspector.Cursor) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.ParenExpr:
		return passing(s, c.Parent())
	case *ast.IndexExpr:
		return p.X == c.Node()
	case *ast.SliceExpr:
		return p.X == c.Node() && passing(s, c.Parent())
	case *ast.CallExpr:
		if s.Info.Types[p.Fun].IsType() {
			return facts.IsString(s.Place, p)
		}
		return keepsNothing[s.Callee(p)]
	}
	return false
}

// keepsNothing has functions that don't keep the bytes they are given.
var keepsNothing = map[string]bool{
	"copy": true, "bytes.Equal": true, "bytes.Compare": true, "crypto/hmac.Equal": true, "crypto/subtle.ConstantTimeCompare": true,
	"encoding/hex.EncodeToString": true, "encoding/hex.Encode": true, "encoding/hex.AppendEncode": true,
	"(*encoding/base64.Encoding).EncodeToString": true, "(*encoding/base64.Encoding).Encode": true,
	"(*encoding/base32.Encoding).EncodeToString": true, "(*encoding/base32.Encoding).Encode": true,
	"(encoding/binary.littleEndian).Uint64": true, "(encoding/binary.littleEndian).Uint32": true,
	"(encoding/binary.bigEndian).Uint64": true, "(encoding/binary.bigEndian).Uint32": true,
}
