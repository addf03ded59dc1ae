package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var bufferToBuilder = &advice.Rule{
	ID:    "buffer-to-builder",
	Title: "a bytes.Buffer is used to build a string",
	Doc: `(*bytes.Buffer).String copies the buffer, because more may be written to it. A strings.Builder returns its memory as the
string, without a copy.

The rewrite gives the Builder the 64 bytes that a Buffer starts with, before the first write. Review it if a loop or
branch may skip all writes, because a Buffer costs nothing there. If only a loop writes, the memory is allocated when the
loop runs. For texts of 32 bytes or less, each string that you keep holds 64 bytes.

A full Buffer doubles. A Builder above one kilobyte grows by less than half, and a larger one by a quarter, which costs
as much as the copy. For such texts there is a rewrite only if the code shows their length.`,
	Class:  advice.Safe,
	Frames: bufferString,
	Gain:   1.4,
	Match:  matchBufferToBuilder,
	Conditions: advice.Conditions{
		Offered: "a local buffer is written to by its methods, fmt.Fprint… and io.WriteString, and is otherwise only asked for String, Len and Grow",
		Review: "Grow isn't called with a negative or very large number, where the panics differ; short texts are not kept for long in " +
			"large numbers; some code always writes to the buffer",
	},
}

var bufferString = lazyregexp.New(`^bytes\.\(\*Buffer\)\.String$`)

// doubledText is the length of text up to which a Builder, which grows as append does, allocates less
// than a Buffer, which doubles and is copied at the end. For 1,000 bytes written in small pieces both
// allocate 3,000; for 100,000 it is 550,000 against 360,000.
const doubledText = 1000

func matchBufferToBuilder(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("(*bytes.Buffer).String") {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		obj := facts.Object(s.Place, sel.X)
		if obj == nil || !facts.IsLocal(s.Place, obj) || facts.IsParameter(s.Place, obj) {
			continue
		}
		d, ok := bufferDeclared(s, obj)
		if !ok {
			continue
		}
		local, imported := facts.PackageName(s.Place, "strings", d.Node().Pos())
		grows, ok := facts.BufferUses(s.Place, obj)
		if !ok || !imported || slices.ContainsFunc(matches, func(m advice.Match) bool { return m.Node == d.Node() }) {
			continue
		}
		m := advice.Match{Node: d.Node(), Class: advice.Safe, Imports: []string{"strings"}}
		m.Why = fmt.Sprintf("String copies the contents of %s, which is only written to; a strings.Builder returns them without a copy.", obj.Name())
		m.Edits = []advice.Edit{edit.Replace(d.Type, local+".Builder")}
		edit.MustCheck(&m, grownBy(s, obj))
		if !grows {
			at, grow, left := edit.GrowAt(s, obj, d.Cursor)
			size, known := edit.StraightSize(s, obj, d.Cursor, at)
			if !known {
				size = "64"
			}
			if long := s.BlockSize(bufferString); !known && long > doubledText {
				m.Class, m.Edits = advice.AdviceOnly, nil
				m.Why = fmt.Sprintf("String copies the contents of %s, %d bytes on average. A strings.Builder returns them without a copy, but grows in smaller steps. If you can estimate the length, use a Builder and call Grow; otherwise reuse the buffer for the next text.", obj.Name(), long)
				matches = append(matches, m)
				continue
			}
			m.Edits = append(m.Edits, grow(size))
			if left {
				edit.MustCheck(&m, []string{"that something is usually written: the rewrite allocates memory even if nothing is"})
			} else {
				if small := s.BlockSize(bufferString); !known && 0 < small && small <= 32 {
					m.Why += fmt.Sprintf(" The texts have %d bytes on average, and each one that you keep holds 64.", small)
					edit.MustCheck(&m, []string{"that few of them are kept for long"})
				}
			}
		}
		matches = append(matches, m)
	}
	return matches
}

// bufferDeclared returns the statement that declares a local bytes.Buffer, or a pointer to a new one,
// in a block, and mentions its type once.
func bufferDeclared(s *advice.Site, obj types.Object) (facts.Declaration, bool) {
	d, ok := facts.DeclarationOf(s.Place, obj)
	return d, ok && !d.TypedTwice() && facts.TypeName(s.Info.TypeOf(d.Type)) == "bytes.Buffer" && d.IsZero(s.Place) && facts.InBlock(d.Cursor)
}

// grownBy returns what to check if Grow is called with a number: if it is negative or too large, a
// Builder panics with another message than a Buffer.
func grownBy(s *advice.Site, obj types.Object) []string {
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			continue
		}
		sel, ok := c.Parent().Node().(*ast.SelectorExpr)
		if call, called := c.Parent().Parent().Node().(*ast.CallExpr); ok && called && sel.Sel.Name == "Grow" && len(call.Args) == 1 && !facts.IsLength(s.Place, call.Args[0]) {
			return []string{fmt.Sprintf("that %s is never negative or too large: the message of the panic in Grow differs", s.Source(call.Args[0]))}
		}
	}
	return nil
}
