package rules

import (
	"fmt"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var oncePerObject = &advice.Rule{
	ID:    "once-per-object",
	Title: "a function that runs once is made for each object",
	Doc: `sync.OnceFunc, OnceValue and OnceValues return a closure over several variables on the heap: three to five allocations.
That is nothing for a variable of a package, but much for each of many objects. A field of type sync.Once in the object,
and a method that calls its Do, allocate nothing.

No rewrite is offered. What is made once a process is not reported.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^sync\.Once(Func|Values?)\b`),
	Allocates: true,
	Gain:      3,
	Match:     matchOncePerObject,
}

func matchOncePerObject(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("sync.OnceFunc", "sync.OnceValue", "sync.OnceValues") {
		if facts.RunsOnce(s, c.Cursor) {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Why: fmt.Sprintf(
			"%s allocates a closure and what it remembers for each object. Keep a sync.Once in the object itself, with a method that calls its Do.", c.Name)})
	}
	return matches
}
