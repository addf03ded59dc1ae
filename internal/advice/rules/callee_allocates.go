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
	Title: "a function that is called allocates much",
	Doc: `What a function of the standard library or another module allocates, the line pays for that calls it, and nothing at that line
shows it. Many have a form that is given the memory: one that appends, reads into a buffer, or begins again by Reset. Others are
asked for the same again and again, or for what is only needed in a case that could be told before.

A fifth of the bytes or objects of a benchmark or program has to be the function's before this is reported, and another rule that
knows more of the line goes first. Which of these helps only the code around knows, so that it is advice only.`,
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
		if _, known := costlyByName()[c.Name]; known || c.Name == "" || !frames.MatchString(callee) || facts.RunsOnce(s, c.Cursor) || facts.Excused(s, c.Cursor) {
			continue
		}
		how := ""
		if size := s.BlockSize(frames); size > 0 {
			how = ", blocks of " + edit.BytesText(size) + " on average"
		}
		return []advice.Match{{Node: c.CallExpr, Frames: frames,
			Why: fmt.Sprintf("%s allocates each time%s. If there is a form of it that appends, takes a buffer or can be reset, use that; keep what it returns where it would be the same again; and if it isn't always needed, ask first what can be told without.", edit.Called(s, c.CallExpr), how)}}
	}
	return nil
}

// others are functions that other rules know about: pools, and buffers that grow.
var others = lazyregexp.New(`^(sync|testing)\.|^(strings\.\(\*Builder\)|bytes\.\(\*Buffer\))\.`)
