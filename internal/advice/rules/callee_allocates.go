package rules

import (
	"fmt"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var calleeAllocates = &advice.Rule{
	ID:    "callee-allocates",
	Title: "a called function allocates a lot",
	Doc: `A line pays for what the library functions it calls allocate, although nothing on the line shows it. Many functions have
a variant that reuses memory: one that appends, reads into a buffer, or starts over with Reset. Others are called
repeatedly with the same arguments, or compute something that is rarely needed.

The rule reports a function that causes a fifth of all allocated bytes or objects, unless another rule knows more about
the line. Only the surrounding code shows which change helps, so this rule only gives advice.`,
	Class:     advice.AdviceOnly,
	Allocates: true,
	Generic:   true,
	Gain:      1.1, // no other rule knows less about what to do
	Match:     matchCalleeAllocates,
}

const calleeMuch = 0.2 // of all bytes or objects

func matchCalleeAllocates(s *advice.Site) []advice.Match {
	callee, share := s.AllocatesMost()
	if share < calleeMuch || s.Allocates() >= share || others.MatchString(callee) {
		return nil
	}
	for _, c := range s.Calls() {
		frames := framesOf(c.Name)
		if _, known := facts.Costly(c.Name); known || c.Name == "" || !frames.MatchString(callee) || facts.RunsOnce(s.Place, c.Cursor) || facts.RarelyRuns(s.Place, c.Cursor) {
			continue
		}
		how := ""
		if size := s.BlockSize(frames); size > 0 {
			how = " (" + advice.BytesText(size) + " per allocation on average)"
		}
		return []advice.Match{{Node: c.CallExpr, Frames: frames,
			Why: fmt.Sprintf("%s allocates on every call%s. Use a variant that appends, takes a buffer or can be reset, if there is one; keep the result if the next call would return the same; and skip the call when its result isn't needed.", edit.Called(s, c.CallExpr), how)}}
	}
	return nil
}

// others are functions that other rules know about: pools, and buffers that grow.
var others = lazyregexp.New(`^(sync|testing)\.|^(strings\.\(\*Builder\)|bytes\.\(\*Buffer\))\.`)
