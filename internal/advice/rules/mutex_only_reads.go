package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

var mutexOnlyReads = &advice.Rule{
	ID:    "mutex-only-reads",
	Title: "readers wait for each other",
	Doc: `A sync.Mutex lets one goroutine in, even if all only read. A sync.RWMutex lets readers in at the same time: they call
RLock and RUnlock. Readers of an RWMutex update a shared counter, so it gains nothing if they hold the lock for less
than about a microsecond. Measure it with a parallel benchmark.

The rule reports a line that unlocks a sync.Mutex with at least a tenth of all lock waiting, and at least 10 ms, if the
code under the lock only reads, and takes time: it has a loop, or copies or searches. All sections of the mutex must be
in the package. Memory that is written through what a section returns isn't seen, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: locksUnlocks,
	Waits:  true,
	Match: func(s *advice.Site) []advice.Match {
		return matchShared(s, onlyReads)
	},
}

// matchShared reports the contention of a line, if why has something to say about the section there.
func matchShared(s *advice.Site, why func(*advice.Site, *facts.Section) string) []advice.Match {
	c, ok := contended(s)
	if !ok || len(c.sections) == 0 || c.sections[0].Place.Func != s.Func {
		return nil
	}
	text := why(s, &c.sections[0])
	if text == "" {
		return nil
	}
	return []advice.Match{{Node: c.call, Frames: c.frames, Why: c.waits(s) + " " + text}}
}

// takesLong reports whether a section does something that rules about what is guarded leave to
// mutex-contention.
func takesLong(held *facts.Section) bool {
	steps := facts.SlowSteps(held)
	return len(steps) > 0 && steps[0].Kind <= facts.SlowIO
}

// onlyReads says that a section of a sync.Mutex could share the lock with others that only read; "" if not.
func onlyReads(s *advice.Site, held *facts.Section) string {
	if held.Mutex == nil || !isMutexType(held.Mutex.Type(), "sync.Mutex") || takesLong(held) || !readsAWhile(held) {
		return ""
	}
	sections, all := facts.SectionsOf(s.Place, held.Mutex)
	access := facts.AccessOf(held)
	if !all || !reads(access) {
		return ""
	}
	var writers []string
	for i := range sections {
		if !reads(facts.AccessOf(&sections[i])) {
			writers = append(writers, lineIn(s, sections[i].Begin.Pos()))
		}
	}
	text := fmt.Sprintf("The code from line %d to the unlock only reads %s. With a sync.RWMutex, readers that call RLock don't wait for each other.", s.Package.Line(held.Begin.Pos()), names(access.Read))
	switch n := len(writers); {
	case n == 0:
		return text + " No code writes under this lock."
	case n <= 3:
		return text + " What may write keeps Lock: " + strings.Join(writers, ", ") + "."
	default:
		return text + fmt.Sprintf(" %d of the %d places that lock may write, and keep Lock.", n, len(sections))
	}
}

func reads(a facts.Access) bool { return a.Known && len(a.Written) == 0 && len(a.Read) > 0 }

func isMutexType(t types.Type, name string) bool {
	return strings.TrimPrefix(facts.TypeName(t), "*") == name
}

// readsAWhile reports whether a section has work for more than an instant: a loop, here or in a function of the
// package, a copy or a search.
func readsAWhile(held *facts.Section) bool {
	long := false
	held.Inspect(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			long = true
		case *ast.CallExpr:
			name := held.Callee(n)
			long = long || name == "copy" || name == "append" && n.Ellipsis.IsValid() || searches(name)
			if decl := facts.CalleeDecl(held.Place, n); decl != nil && decl.Body != nil {
				ast.Inspect(decl.Body, func(n ast.Node) bool {
					long = long || facts.LoopBody(n) != nil
					return !long
				})
			}
		}
		return true
	})
	return long
}

func searches(name string) bool {
	return slices.ContainsFunc([]string{"slices.", "maps.", "strings.", "bytes.", "sort.Search"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// names lists variables: "a, b and 2 more".
func names(vars []*types.Var) string {
	var all []string
	for _, v := range vars {
		if !slices.Contains(all, v.Name()) {
			all = append(all, v.Name())
		}
	}
	if len(all) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:3], ", "), len(all)-3)
	}
	return inSeries(all)
}
