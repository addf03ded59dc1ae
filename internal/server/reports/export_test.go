package reports

import (
	"context"

	"github.com/hone-go/hone/internal/server"
)

// What tests look at that are outside of this package, since servers with services
// import it.

const (
	StateReady   = stateReady
	StateWaiting = stateWaiting
	StateFailed  = stateFailed
	MaxNamed     = maxNamed
)

// AddKind adds a report with an answer of its own until remove is called.
func AddKind(name string, answer func(context.Context) (*server.Answer, error)) (remove func()) {
	kinds = append(kinds, &kind{name: name, formats: []format{asJSON}, answer: func(ctx context.Context, _ *maker, _ *query) (*server.Answer, error) { return answer(ctx) }})
	return func() { kinds = kinds[:len(kinds)-1] }
}

// A Kind is a report, for tests of all of them.
type Kind struct {
	Name                  string
	Formats, ContentTypes []string
	NeedsMatch, NeedsBase bool
}

// Kinds returns the reports.
func Kinds() (all []Kind) {
	for _, k := range kinds {
		one := Kind{Name: k.name, NeedsMatch: k.needsMatch, NeedsBase: k.needsBase}
		for _, f := range k.formats {
			one.Formats, one.ContentTypes = append(one.Formats, f.name), append(one.ContentTypes, f.contentType)
		}
		all = append(all, one)
	}
	return all
}

// Listed returns what is open.
func (s *Service) Listed() int { return len(s.opener.open.list()) }
