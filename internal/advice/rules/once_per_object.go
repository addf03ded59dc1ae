package rules

import (
	"fmt"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var oncePerObject = &advice.Rule{
	ID:    "once-per-object",
	Title: "sync.OnceFunc or OnceValue is called per object",
	Doc: `sync.OnceFunc, OnceValue and OnceValues return a closure over several heap variables: three to five allocations. That is
fine for a package variable, but expensive for each of many objects. Use a field of type sync.Once in the object and a
method that calls its Do; neither allocates.

No rewrite is offered. Calls that run once per process are not reported.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^sync\.Once(Func|Values?)\b`),
	Allocates: true,
	Gain:      2,
	Match:     matchOncePerObject,
}

func matchOncePerObject(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("sync.OnceFunc", "sync.OnceValue", "sync.OnceValues") {
		if facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Why: fmt.Sprintf(
			"%s allocates a closure and its state for each object. Use a sync.Once field in the object, and a method that calls its Do.", c.Name)})
	}
	return matches
}
