package rules

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var (
	unlocks      = lazyregexp.New(`^sync\.\(\*(RW)?Mutex\)\.R?Unlock$`)
	locksUnlocks = lazyregexp.New(`^sync\.\(\*(RW)?Mutex\)\.R?(Unl|L)ock$`)
)

var mutexContention = &advice.Rule{
	ID:    "mutex-contention",
	Title: "goroutines wait for a lock that is held here",
	Doc: `A mutex profile attributes waiting to the line that unlocks, because the holder is what others waited for. A block
profile and an execution trace attribute it to the line that locks. Hold the lock for less time: do I/O, formatting and
other calls before or after. For a counter, use sync/atomic instead of a lock. Replace data that is mostly read as a
whole, in an atomic.Pointer. Split a map by key into several, each with its own lock.

The finding names what runs between locking and unlocking and takes long: input and output, channels, encoding,
formatting, sorting. It follows functions of the package. With a CPU profile, it also names the line that takes the most
CPU time while the lock is held. If a method only locks or unlocks, its callers hold the lock.

The rule reports lines with at least a tenth of all lock waiting, and at least 10 ms. Lines that lock are only reported
without a mutex profile. The code doesn't show what a lock protects, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: locksUnlocks,
	Waits:  true,
	Match:  matchMutexContention,
}

func matchMutexContention(s *advice.Site) []advice.Match {
	c, ok := contended(s)
	if !ok {
		return nil
	}
	var held *facts.Section
	if len(c.sections) > 0 {
		held = &c.sections[0]
	}
	if held != nil && held.Place.Func == s.Func && (onlyReads(s, held) != "" || guardsSeveral(s, held) != "") {
		return nil // another rule has it
	}
	m := advice.Match{Node: c.call, Title: c.title(s), Frames: c.frames}
	m.Why = strings.Join(slices.DeleteFunc([]string{c.waits(s), c.whatIsHeld(s), hottestHeld(s, held)}, func(t string) bool { return t == "" }), " ")
	return []advice.Match{m}
}

// A contention is a lock that goroutines waited for.
type contention struct {
	facts.LockCall
	call   *ast.CallExpr // on the line, or the deferred one
	frames *lazyregexp.Regexp
	wait   advice.Wait
	// sections are those where the lock was held while others waited, the most likely first: the one that the
	// line ends or begins, or those of callers if the function only locks or unlocks.
	sections []facts.Section
}

// contended returns the contention that a line shows.
func contended(s *advice.Site) (contention, bool) {
	c := contention{frames: unlocks, wait: s.LockWait(unlocks)}
	calls := unlocking(s)
	if c.wait.Time == 0 && !s.HasMutexProfile() {
		c.frames, c.wait = locksUnlocks, s.LockedOut()
		calls = lockCalls(s, "Lock", "RLock")
	}
	if c.wait.Share < muchWaiting || c.wait.Time < longWaiting || len(calls) == 0 {
		return c, false
	}
	c.call = calls[0]
	lock, ok := facts.LockCallOf(s.Place, c.call)
	if !ok {
		return c, false
	}
	c.LockCall = lock
	switch {
	case facts.OnlyLocks(s.Place) && c.frames == unlocks:
		c.sections = heldByCallers(s, lock)
	case c.frames == unlocks:
		c.sections = endedBy(s, lock, c.call)
	default:
		c.sections = othersHold(s, lock, c.call)
	}
	return c, true
}

// endedBy returns the sections that a call ends: in its function or, if that is deferred, around it.
func endedBy(s *advice.Site, lock facts.LockCall, call *ast.CallExpr) []facts.Section {
	all, _ := facts.SectionsOf(s.Place, lock.Mutex)
	if lock.Mutex == nil {
		all = facts.Sections(s.Place)
	}
	return slices.DeleteFunc(slices.Clone(all), func(held facts.Section) bool { return !slices.Contains(held.Ends, ast.Node(call)) })
}

// othersHold returns the sections that a goroutine waits for when it locks: all of the mutex, those that take long
// first, and then the one that begins with the call. Code that no profile has seen is left out: it hardly runs.
func othersHold(s *advice.Site, lock facts.LockCall, call *ast.CallExpr) []facts.Section {
	all, _ := facts.SectionsOf(s.Place, lock.Mutex)
	if lock.Mutex == nil {
		all = facts.Sections(s.Place)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(held facts.Section) bool {
		shared := lock.Op == "RLock" && held.Op == "RLock" // readers don't wait for each other
		return shared || facts.OnlyLocks(held.Place) || lock.Mutex == nil && !held.BeginsWith(call)
	})
	seen := slices.DeleteFunc(slices.Clone(all), func(held facts.Section) bool {
		at := s.Fset.Position(held.Begin.Pos())
		return !held.BeginsWith(call) && !s.Profiled(at.Filename, at.Line, held.Last())
	})
	if len(seen) > 0 {
		all = seen
	}
	order := func(held *facts.Section) int {
		steps := facts.SlowSteps(held)
		switch {
		case len(steps) > 0 && steps[0].Kind <= facts.SlowLoop:
			return int(steps[0].Kind)
		case held.BeginsWith(call):
			return int(facts.SlowLoop) + 1
		}
		return int(facts.SlowLoop) + 2
	}
	slices.SortStableFunc(all, func(a, b facts.Section) int { return cmp.Compare(order(&a), order(&b)) })
	return all
}

// lockCalls returns the calls on a line that lock or unlock, by methods of package sync.
func lockCalls(s *advice.Site, ops ...string) (calls []*ast.CallExpr) {
	for _, c := range s.Calls() {
		if lock, ok := facts.LockCallOf(s.Place, c.CallExpr); ok && slices.Contains(ops, lock.Op) && strings.HasPrefix(s.Callee(c.CallExpr), "(*sync.") {
			calls = append(calls, c.CallExpr)
		}
	}
	return calls
}

// unlocking returns the calls on a line that unlock, or, where the function returns, the deferred one.
func unlocking(s *advice.Site) []*ast.CallExpr {
	calls := lockCalls(s, "Unlock", "RUnlock")
	if len(calls) > 0 {
		return calls
	}
	ast.Inspect(s.Body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			if lock, ok := facts.LockCallOf(s.Place, n.Call); ok && (lock.Op == "Unlock" || lock.Op == "RUnlock") && strings.HasPrefix(s.Callee(n.Call), "(*sync.") {
				calls = append(calls, n.Call)
			}
		}
		return true
	})
	if len(calls) > 1 {
		return nil // it isn't known which one
	}
	return calls
}

// heldByCallers returns the sections whose lines called a line that only locks or unlocks, the ones with the most
// waiting first.
func heldByCallers(s *advice.Site, lock facts.LockCall) []facts.Section {
	all, _ := facts.SectionsOf(s.Place, lock.Mutex)
	shares := make(map[token.Pos]float64)
	called := slices.DeleteFunc(slices.Clone(all), func(c facts.Section) bool {
		name := s.Fset.Position(c.Begin.Pos()).Filename
		share := s.WaitingFrom(func(file string, line int) bool { return file == name && c.EndsOn(line) })
		shares[c.Begin.Pos()] = share
		return share < muchWaiting
	})
	if len(called) == 0 {
		return othersHold(s, lock, nil)
	}
	slices.SortStableFunc(called, func(a, b facts.Section) int { return cmp.Compare(shares[b.Begin.Pos()], shares[a.Begin.Pos()]) })
	return called
}

func (c *contention) title(s *advice.Site) string {
	if c.frames != unlocks {
		return "goroutines wait here for a lock"
	}
	return ""
}

// waits says how often and how long goroutines waited.
func (c *contention) waits(s *advice.Site) string {
	at := ""
	if c.frames != unlocks {
		at = " here"
	}
	if c.wait.Times == 0 {
		return fmt.Sprintf("Goroutines wait%s for %s.", at, c.Name)
	}
	return fmt.Sprintf("Goroutines waited%s for %s %s, %v on average.", at, c.Name, timesOf(c.wait.Times), roughly(c.wait.Time/time.Duration(c.wait.Times)))
}

// timesOf is "1 time" or "7 times".
func timesOf(n int64) string {
	if n == 1 {
		return "1 time"
	}
	return fmt.Sprintf("%d times", n)
}

// roughly rounds a duration to about three digits.
func roughly(d time.Duration) time.Duration {
	for unit := time.Second; unit >= 1000; unit /= 1000 {
		if d >= unit {
			return d.Round(unit / 100)
		}
	}
	return d
}

// maxSections is how many sections of callers are described.
const maxSections = 2

// whatIsHeld says what the code does while it holds the lock, and what to do about it.
func (c *contention) whatIsHeld(s *advice.Site) string {
	if len(c.sections) == 0 {
		return "Hold it for less time, or split the data into parts with a lock each."
	}
	var said, remedies []string
	slow := false
	for i := range c.sections[:min(maxSections, len(c.sections))] {
		held := &c.sections[i]
		steps := facts.SlowSteps(held)
		long := slices.DeleteFunc(slices.Clone(steps), func(t facts.SlowStep) bool { return t.Kind > facts.SlowLoop })
		since := fmt.Sprintf("It is held from line %d", s.Package.Line(held.Begin.Pos()))
		if held.Place.Func != s.Func || c.frames != unlocks {
			since = fmt.Sprintf("%s holds it from %s", held.Function(), lineIn(s, held.Begin.Pos()))
		}
		switch clock := clockText(s, steps); {
		case len(long) > 0:
			said = append(said, since+" while the code "+stepsText(s, long)+".")
			remedies, slow = append(remedies, remedy(held, long)), true
		case slow && c.frames != unlocks: // that is what others wait for
		case held.Place.Func == s.Func:
			said = append(said, since+"."+shorter(s, held)+clock)
		default:
			said = append(said, fmt.Sprintf("%s to line %d.", since, held.Last()))
		}
	}
	if c.sections[0].Place.Func != s.Func && !slow {
		said = append(said, "Hold it for less time, or split the data into parts with a lock each.")
	}
	return strings.Join(said, " ") + strings.Join(slices.Compact(remedies), "")
}

// lineIn is "line 7", or "file.go:7" in another file.
func lineIn(s *advice.Site, pos token.Pos) string {
	at := s.Fset.Position(pos)
	if name, _ := s.Name(s.File); name != at.Filename {
		return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	}
	return fmt.Sprintf("line %d", at.Line)
}

// stepsText is "writes to a file (f.Write, line 7) and formats text (fmt.Sprintf, line 6)".
func stepsText(s *advice.Site, steps []facts.SlowStep) string {
	var all []string
	for _, step := range steps[:min(2, len(steps))] {
		all = append(all, step.Text(s.Place))
	}
	return strings.Join(all, " and ")
}

// remedy says what to do about the work under a lock.
func remedy(held *facts.Section, steps []facts.SlowStep) string {
	if n := len(slices.Collect(held.Statements)); n == 1 && len(steps) == 1 && steps[0].Kind == facts.SlowWrite && steps[0].In == "" {
		return " Only the write is under the lock. It takes less time if it goes to a buffer."
	}
	switch steps[0].Kind {
	case facts.SlowWait:
		return " Do that after unlocking: until it goes on, no other goroutine gets the lock."
	case facts.SlowWrite:
		return " Copy what is written, unlock, and write then. If the lock keeps writes in order, prepare the bytes before locking."
	case facts.SlowIO:
		return " Do that before locking or after unlocking, and only store or load the result under the lock."
	}
	return " Do that before locking, or unlock first and work on a copy."
}

// clockText says that the clock is read or a callback runs under the lock, if so.
func clockText(s *advice.Site, steps []facts.SlowStep) string {
	for _, step := range steps {
		switch {
		case step.In != "": // it may need what is locked
		case step.Kind == facts.SlowClock:
			return fmt.Sprintf(" The code %s under the lock; it can do that before locking.", step.Text(s.Place))
		case step.Kind == facts.SlowCallback:
			return fmt.Sprintf(" The code %s under the lock, for as long as that takes.", step.Text(s.Place))
		}
	}
	return ""
}

// shorter says what to use instead of a lock that is held only briefly.
func shorter(s *advice.Site, held *facts.Section) string {
	switch {
	case counts(s, held):
		return " It only guards a counter; use a type of sync/atomic, such as atomic.Int64."
	case usesMap(held):
		return " It guards a map; split the map by key into several, each with its own lock. If it is mostly read, let readers load a map from an atomic.Pointer that writers replace. If keys are added once and then only read, use sync.Map."
	}
	return " Hold it for less time, or split the data into parts with a lock each."
}

// hottestShare is the part of a section's CPU time that a statement takes if it is worth naming.
const hottestShare = 0.3

// hottestHeld names the statement that takes the most CPU time while a lock is held.
func hottestHeld(s *advice.Site, held *facts.Section) string {
	if held == nil {
		return ""
	}
	all, most, hottest, lines := 0.0, 0.0, 0, make(map[int]bool)
	held.Inspect(func(n ast.Node) bool {
		line := s.Package.Line(n.Pos())
		if lines[line] {
			return true
		}
		lines[line] = true
		share := s.TimeAt(n.Pos())
		if all += share; share > most {
			most, hottest = share, line
		}
		return true
	})
	if len(lines) < 2 || most < advice.DefaultMinShare || most < hottestShare*all {
		return ""
	}
	return fmt.Sprintf("Line %d takes %.0f %% of the CPU time under the lock.", hottest, 100*most/all)
}

// counts reports whether the code under a lock only changes integers and returns.
func counts(s *advice.Site, held *facts.Section) bool {
	counted, steps := false, 0
	only := true
	for stmt := range held.Statements {
		steps++
		switch stmt := stmt.(type) {
		case *ast.IncDecStmt:
			only = only && isCounter(s, stmt.X)
			counted = true
		case *ast.AssignStmt:
			only = only && (stmt.Tok == token.ADD_ASSIGN || stmt.Tok == token.SUB_ASSIGN) && isCounter(s, stmt.Lhs[0]) && facts.Plain(s.Place, stmt.Rhs[0])
			counted = true
		case *ast.ReturnStmt:
			only = only && (len(stmt.Results) == 0 || len(stmt.Results) == 1 && facts.Plain(s.Place, stmt.Results[0]))
		default:
			only = false
		}
	}
	return only && counted && steps <= 2
}

// isCounter reports whether an expression is an integer variable or field.
func isCounter(s *advice.Site, e ast.Expr) bool {
	t, ok := s.Info.TypeOf(e).Underlying().(*types.Basic)
	return ok && t.Info()&types.IsInteger != 0 && facts.Plain(s.Place, e)
}

func usesMap(held *facts.Section) bool {
	found := false
	held.Inspect(func(n ast.Node) bool {
		if x, ok := n.(*ast.IndexExpr); ok {
			if t := held.Info.TypeOf(x.X); t != nil {
				_, isMap := t.Underlying().(*types.Map)
				found = found || isMap
			}
		}
		return true
	})
	return found
}
