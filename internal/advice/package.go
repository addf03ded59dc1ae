package advice

import (
	"context"
	"errors"
	"go/ast"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/infile"
)

// A Package is a hot package, with results of the compiler and of analyzers.
type Package struct {
	*code.Package
	Toolchain string // "go1.26.1"; "" if unknown
	GOROOT    string // the toolchain's folder; "" if unknown

	said      Diagnostics
	decided   Decisions
	consulted bool // a rule asked what the compiler says
	listed    *packages.Package
	analyzed  map[*analysis.Analyzer]*analyzed
	written   map[string]time.Time // when files were, if that is known
	bare      []*ast.File          // Files, where functions have no bodies
}

// Say sets what the compiler says.
func (p *Package) Say(said Diagnostics, decided Decisions) { p.said, p.decided = said, decided }

// Diagnostics has the compiler's messages; nil if it was not asked.
func (p *Package) Diagnostics() Diagnostics {
	p.consulted = true
	return p.said
}

// Decisions has the compiler's decisions; nil if it was not asked.
func (p *Package) Decisions() Decisions {
	p.consulted = true
	return p.decided
}

// analyzed is the result of an analyzer in a package.
type analyzed struct {
	diagnostics []analysis.Diagnostic
	result      any
	err         error
}

var errNotBuilt = errors.New("isn't part of the package in this build")

// readFiles returns the texts of files, by name.
func readFiles(files []string) (map[string][]byte, error) {
	texts := make(map[string][]byte)
	for _, name := range files {
		text, err := infile.ReadFile(context.Background(), name, infile.MaxSource)
		if err != nil {
			return nil, err
		}
		texts[name] = text
	}
	return texts, nil
}
