// Package target is what the harness needs of a profile store. A store is
// added by one file that implements Target and registers itself in init.
package target

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/hone-go/hone/bench/peers/internal/corpus"
)

// Env is where one server runs.
type Env struct {
	Bin  string // path of the server's program
	Data string // empty or existing directory that is the server's alone
}

// Answer is what a query returned.
type Answer struct {
	Total int64 // sum of the selected value; -1 where the answer has none
	Bytes int   // size of the answer on the wire
	Info  string
}

// Point is one step of a time series, summed over everything selected.
type Point struct {
	Nanos int64
	Value float64
}

// Full as the maximum of nodes asks for an untrimmed flame graph.
const Full = -1

// Target is one store under test. Calls come from many goroutines.
type Target interface {
	// Command is the server's command line, listening on loopback only; nil
	// where there is no server (the target then works in this process).
	Command(e Env) (argv, environ []string)
	// Ready returns nil once the server takes pushes and queries.
	Ready(ctx context.Context) error
	// Push stores one profile and returns once the server has acknowledged it.
	Push(ctx context.Context, p *corpus.Profile) error
	// Busy says whether background work that changes what is on disk is still
	// under way, as far as the target can tell.
	Busy(ctx context.Context) (bool, error)
	// LiveBytes is the size of what the store itself still refers to, or -1
	// where only the directory's size is known.
	LiveBytes(ctx context.Context, from, to int64) (int64, error)

	// Flame is a merged flame graph. nodes 0 trims as the store's own web
	// interface does by default; Full does not trim.
	Flame(ctx context.Context, s corpus.Select, nodes int) (Answer, error)
	// Diff compares two selections.
	Diff(ctx context.Context, a, b corpus.Select) (Answer, error)
	// Pprof downloads the merged profile; data is gzipped or plain pprof.
	Pprof(ctx context.Context, s corpus.Select) (data []byte, err error)
	// Series is the total per step.
	Series(ctx context.Context, s corpus.Select, step time.Duration) ([]Point, Answer, error)

	Close() error
}

// ErrUnsupported is returned for a query that the store does not have.
var ErrUnsupported = errors.New("unsupported")

type maker struct {
	about  string
	binEnv string
	mk     func() Target
}

var makers = map[string]maker{}

// Register makes a target known. binEnv names the environment variable that
// holds the path of its program.
func Register(name, about, binEnv string, mk func() Target) {
	makers[name] = maker{about, binEnv, mk}
}

// New makes the named target; bin is the path of its program.
func New(name string) (t Target, bin string, err error) {
	m, ok := makers[name]
	if !ok {
		return nil, "", fmt.Errorf("unknown target %q; have %v", name, Names())
	}
	if m.binEnv != "" {
		if bin = os.Getenv(m.binEnv); bin == "" {
			return nil, "", fmt.Errorf("target %s: set %s to the path of its program", name, m.binEnv)
		}
	}
	return m.mk(), bin, nil
}

// Names lists the registered targets.
func Names() (ns []string) {
	for n := range makers {
		ns = append(ns, n)
	}
	sort.Strings(ns)
	return ns
}
