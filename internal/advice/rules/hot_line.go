package rules

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

var hotLineAlone = &advice.Rule{
	ID:    "hot-line",
	Title: "a line is hot, and no rule knows a pattern there",
	Doc: `Much of the time or memory goes to this line, and no other rule reports it. The finding has what hone knows about the
line, so that you can decide what to change:

What the line itself runs, most expensive first: its own code, and the functions it calls in the runtime and in
libraries. Calls of your own functions don't count: their cost belongs to the lines in them.

What its own code does: copies of large values, divisions, values that a loop loads again in each iteration or changes in
memory, loops over single bits, bytes or elements, loops that always run a few times, numbers built from bytes,
and shifts by unchecked numbers.

How often it runs per call of its function. hone estimates that from the bounds of the loops around it, or gives no number.
hone advise -counts counts it.

How its cost grows with the size of the input, if sub-benchmarks have sizes in their names: n=100 and n=400, or 1KB and
1MB.

What happens to the values on the line: calls that compute the same twice or in each iteration, results of which little is
used, elements that only one branch needs, text that is parsed where it was formatted, copies that nothing changes,
slices that are searched from the start, and map elements that are looked up again.

What it allocates, and why the compiler keeps that on the heap. What it calls that isn't inlined, and why. Whether indexes
are checked at run time. Which other lines of the function are hot, and what they do. What is known of its caller.

Ask first whether the line has to run that often: its callers are listed with their shares. Then
whether it can do less each time. The rule has no rewrite and promises no gain. Change the line, and measure it
with hone bench -against HEAD.

The rule reports lines with at least 3 % of the time or memory of a profile (-hot changes that), one per function, in
the five hottest functions. hone advise -all shows the rest. Findings of other rules come first. But if no other rule
knows a place as hot, the first hot line is in the first three findings.`,
	Class: advice.Look,
	Rest:  true,
	Match: matchHotLine,
	Facts: factsBeside,
}

func matchHotLine(s *advice.Site) []advice.Match {
	work := s.Work()
	ran := ranBy(work.Parts)
	var said []string
	for _, sentence := range []string{whatRuns(ran, work.CPU), strings.Join(whatOwn(s, ran), " "), howOften(s), growsHow(s), whatValues(s, work), whatAllocates(s, work), notInlined(s), checked(s, ran)} {
		if sentence != "" {
			said = append(said, sentence)
		}
	}
	if more := whatElse(s, work, said); more != "" {
		said = append(said, more)
	}
	m := advice.Match{Node: lineStart(s), Title: "a hot line", Why: strings.Join(said, " ")}
	if len(ran) > 0 && ran[0].share >= work.CPU/2 && ran[0].what != ownCode {
		m.Title += ": " + ran[0].what
	}
	return []advice.Match{m}
}

// lineStart is a node at the start of the code on the line: the line may have no node of its own, such
// as the end of a function with deferred calls.
func lineStart(s *advice.Site) ast.Node {
	start := s.LineStart(s.File, s.Line)
	text := s.Text(start, s.File.FileEnd)
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text, start = text[1:], start+1
	}
	return &ast.EmptyStmt{Semicolon: start}
}

const ownCode = "its own code"

// A running is what runs on a line, in words, and its share of the CPU time.
type running struct {
	what  string
	share float64
}

// ranBy puts the parts of a line's work in words, the most expensive first.
func ranBy(parts []advice.Part) []running {
	var all []running
	for _, p := range parts {
		what := inWords(p)
		if i := slices.IndexFunc(all, func(r running) bool { return r.what == what }); i >= 0 {
			all[i].share += p.CPU
			continue
		}
		all = append(all, running{what, p.CPU})
	}
	slices.SortStableFunc(all, func(a, b running) int { return cmp.Compare(b.share, a.share) })
	return all
}

// operations are what functions of the runtime do, by how their names begin. The first that matches
// counts.
var operations = []struct{ prefix, what string }{
	{"runtime.concatstring", "concatenating strings"},
	{"runtime.slicebytetostring", "converting bytes to a string"},
	{"runtime.stringtoslicebyte", "converting a string to bytes"},
	{"runtime.slicerunetostring", "converting runes to a string"},
	{"runtime.stringtoslicerune", "converting a string to runes"},
	{"runtime.intstring", "converting a number to a string"},
	{"runtime.decoderune", "decoding UTF-8"},
	{"runtime.growslice", "growing a slice"},
	{"runtime.makeslice", "allocating a slice"},
	{"runtime.makemap", "making a map"},
	{"runtime.makechan", "making a channel"},
	{"runtime.newobject", "allocating an object"},
	{"runtime.convT", "converting a value to an interface"},
	{"runtime.mallocgc", "allocating memory"},
	{"runtime.gcAssist", "helping the garbage collector"},
	{"runtime.gcWriteBarrier", "write barriers of the garbage collector"},
	{"gcWriteBarrier", "write barriers of the garbage collector"},
	{"runtime.wbBufFlush", "write barriers of the garbage collector"},
	{"runtime.typedmemmove", "copying memory"},
	{"runtime.memmove", "copying memory"},
	{"runtime.duffcopy", "copying memory"},
	{"runtime.memclr", "clearing memory"},
	{"runtime.duffzero", "clearing memory"},
	{"runtime.mapaccess", "looking up a map"},
	{"runtime.mapassign", "writing to a map"},
	{"runtime.mapdelete", "deleting from a map"},
	{"runtime.mapclear", "clearing a map"},
	{"runtime.mapIter", "ranging over a map"},
	{"runtime.mapiter", "ranging over a map"},
	{"internal/runtime/maps.(*Iter)", "ranging over a map"},
	{"internal/runtime/maps.", "looking up a map"},
	{"runtime.memequal", "comparing memory"},
	{"runtime.cmpstring", "comparing strings"},
	{"internal/bytealg.Compare", "comparing strings"},
	{"cmpbody", "comparing strings"},
	{"memeqbody", "comparing memory"},
	{"aeshashbody", "hashing"},
	{"runtime.memhash", "hashing"},
	{"runtime.strhash", "hashing"},
	{"runtime.efaceeq", "comparing interfaces"},
	{"runtime.ifaceeq", "comparing interfaces"},
	{"runtime.typeAssert", "asserting a type"},
	{"runtime.assertE2I", "asserting a type"},
	{"runtime.interfaceSwitch", "switching on a type"},
	{"runtime.chansend", "sending on a channel"},
	{"runtime.chanrecv", "receiving from a channel"},
	{"runtime.selectgo", "waiting in a select"},
	{"runtime.selectnb", "polling a channel"},
	{"runtime.newproc", "starting a goroutine"},
	{"runtime.deferreturn", "deferred calls"},
	{"runtime.deferproc", "deferring a call"},
	{"runtime.gopanic", "a panic"},
	{"runtime.morestack", "growing the stack"},
	{"runtime.newstack", "growing the stack"},
	{"runtime.asyncPreempt", ownCode}, // where the scheduler interrupted it
}

// inWords says what a part of a line's work does: an operation of the language, or a function.
func inWords(p advice.Part) string {
	if p.Function == "" {
		return ownCode
	}
	for _, o := range operations {
		if strings.HasPrefix(p.Function, o.prefix) {
			return o.what
		}
	}
	return advice.ShortName(p.Function)
}

// maxRunning limits what is listed, and what takes less than smallPart of the line's time is left out.
const (
	maxRunning = 3
	smallPart  = 0.1
)

// whatRuns says where the line's time goes.
func whatRuns(ran []running, all float64) string {
	var parts []string
	for _, r := range ran[:min(maxRunning, len(ran))] {
		if r.share >= smallPart*all {
			parts = append(parts, fmt.Sprintf("%s (%.1f %%)", r.what, 100*r.share))
		}
	}
	switch {
	case len(parts) == 0:
		return ""
	case len(parts) == 1 && ran[0].what == ownCode:
		return "The CPU time goes to the line's own code, including what is inlined there."
	}
	return fmt.Sprintf("CPU time here: %s.", strings.Join(parts, ", "))
}

// howOften says how often the line runs per call of its function, as far as the source tells.
func howOften(s *advice.Site) string {
	nodes := s.Nodes()
	if len(nodes) == 0 || facts.Jumps(s.Place) {
		return ""
	}
	function := "the function"
	if d, ok := s.Func.Node().(*ast.FuncDecl); ok {
		function = d.Name.Name
	} else if _, ok := s.Func.Node().(*ast.FuncLit); ok {
		function = "the function literal"
	}
	if counted := howOftenCounted(s, nodes[0].Node(), function); counted != "" {
		return counted
	}
	var bounds, lines []string
	known := true
	for _, loop := range loopsAround(nodes[0]) {
		lines = append(lines, fmt.Sprint(s.Package.Line(loop.Pos())))
		trips, ok := facts.TripsOf(s.Place, loop)
		if known = known && ok; known {
			bounds = append(bounds, trips.Text(s.Place))
		}
	}
	slices.Reverse(bounds)
	slices.Reverse(lines)
	switch {
	case len(lines) == 0:
		if above := loopAbove(s); above != "" {
			return fmt.Sprintf("It runs at most once per call of %s; %s.", function, above)
		}
		if lines := callsItself(s); lines != "" {
			return fmt.Sprintf("It is in no loop: it runs at most once per call of %s, which calls itself%s.", function, lines)
		}
		return fmt.Sprintf("It is in no loop: it runs at most once per call of %s.", function)
	case known && len(strings.Join(bounds, "")) < 60:
		return fmt.Sprintf("It runs up to %s times per call of %s, by the bounds of the loops around it (an estimate).", strings.Join(bounds, " × "), function)
	case len(lines) == 1:
		return fmt.Sprintf("It is in a loop (line %s); how often that runs per call of %s isn't known%s.", lines[0], function, countable(s))
	}
	return fmt.Sprintf("It is in %d nested loops (lines %s); how often they run per call of %s isn't known%s.", len(lines), strings.Join(lines, ", "), function, countable(s))
}

// countable says how to count what a benchmark runs.
func countable(s *advice.Site) string {
	if s.Benchmarked() {
		return ": hone advise -counts counts it"
	}
	return ""
}

// howOftenCounted says how often the line runs, if that was counted.
func howOftenCounted(s *advice.Site, n ast.Node, function string) string {
	if body := facts.LoopBody(n); body != nil && len(body.List) > 0 {
		n = body.List[0] // what a loop begins with runs as often as its body
	}
	perOp, subject, ok := s.RunsPerOp(s.Fset.PositionFor(n.Pos(), false))
	if !ok || perOp == 0 {
		return ""
	}
	text := fmt.Sprintf("It runs %s per operation of %s", timesText(perOp), subject)
	var body *ast.BlockStmt
	switch f := s.Func.Node().(type) {
	case *ast.FuncDecl:
		body = f.Body
	case *ast.FuncLit:
		body = f.Body
	}
	if body != nil && len(body.List) > 0 {
		if calls, _, ok := s.RunsPerOp(s.Fset.PositionFor(body.List[0].Pos(), false)); ok && calls > 0 {
			text += fmt.Sprintf(", %s per call of %s", timesText(perOp/calls), function)
		}
	}
	return text + " (counted)."
}

// timesText says how often something happens.
func timesText(n float64) string {
	if n == 1 {
		return "once"
	}
	return multiple(n) + " times"
}

// powers are names of growth, by the power of the size.
var powers = []string{"constant", "linear", "quadratic", "cubic"}

// growsHow says how the line's cost grows with the size in the names of sub-benchmarks.
func growsHow(s *advice.Site) string {
	g, ok := s.Growth()
	if !ok {
		return ""
	}
	text := fmt.Sprintf("With %s times the size (%s and %s), it costs %s times as much per operation", multiple(g.Size), g.Small, g.Large, multiple(g.Cost))
	for power, name := range powers {
		if off := math.Abs(g.Power - float64(power)); off < 0.25 && off+2*g.Error < 0.5 {
			text += ": " + name
		}
	}
	return text + "."
}

// multiple formats a factor with three digits, and large ones without a fraction.
func multiple(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// loopsAround are the loops that repeat a node, the innermost first. A line that begins a loop is
// repeated by it.
func loopsAround(c inspector.Cursor) (all []ast.Node) {
	if facts.LoopBody(c.Node()) != nil {
		all = append(all, c.Node())
	}
	for at := c; ; {
		loop, ok := facts.LoopAround(at)
		if !ok {
			return all
		}
		if facts.Repeats(loop.Node(), c.Node().Pos()) {
			all = append(all, loop.Node())
		}
		at = loop
	}
}

// maxReasons limits what is said about the values that a line allocates, and about its calls.
const maxReasons = 2

// whatAllocates says what the line allocates and why that is on the heap.
func whatAllocates(s *advice.Site, work advice.Work) string {
	if work.BlockSize == 0 {
		return ""
	}
	text := fmt.Sprintf("It allocates blocks of %d bytes on average", work.BlockSize)
	if by, share := s.AllocatesMost(); share > max(work.Bytes, work.Objects)/2 {
		text += ", mostly in " + advice.ShortName(by)
	} else if kind := allocates(s); kind != "" {
		text += ": " + kind
	}
	return strings.Join(append([]string{text + "."}, onHeap(s)...), " ")
}

// onHeap says which values of the line are on the heap, and why.
func onHeap(s *advice.Site) (said []string) {
	for _, k := range s.Decisions() {
		if k.Kind == advice.Escapes && len(said) < maxReasons {
			said = append(said, strings.TrimSuffix(k.Text, " escapes to heap")+" is on the heap"+because(k.Steps)+".")
		}
	}
	return said
}

// because says why a value is on the heap, by the steps that lead there: "" if they don't tell.
func because(steps []advice.Step) string {
	for _, step := range steps {
		switch step.How {
		case "non-constant size":
			return ": its size is only known at run time"
		case "too large for stack":
			return ": it is too large for the stack"
		}
	}
	if len(steps) == 0 {
		return ""
	}
	last := steps[len(steps)-1]
	code := last.Code
	if len(code) > 60 || strings.Contains(code, "autotmp") {
		code = "code"
	}
	switch last.How {
	case "return":
		return fmt.Sprintf(": line %d returns it", last.Line)
	case "call parameter":
		return fmt.Sprintf(": %s (line %d) may keep it", code, last.Line)
	case "captured by a closure":
		return fmt.Sprintf(": a function literal uses it (line %d)", last.Line)
	case "interface-converted":
		return fmt.Sprintf(": line %d converts it to an interface", last.Line)
	case "send":
		return fmt.Sprintf(": line %d sends it on a channel", last.Line)
	case "assign", "assign-pair", "star-assign", "slice-literal-element", "struct literal element", "array literal element", "append":
		return fmt.Sprintf(": line %d stores it (%s)", last.Line, code)
	}
	return fmt.Sprintf(": line %d passes it on (%s)", last.Line, last.How)
}

// notInlined says which calls on the line the compiler doesn't inline, and why: also calls of the
// function itself, if the line is in no loop, so that calling may cost as much as the line.
func notInlined(s *advice.Site) string { return strings.Join(callsNotInlined(s), " ") }

func callsNotInlined(s *advice.Site) []string {
	var all []string
	atEnd := s.Package.Line(s.Func.Node().End()-1) == s.Line // deferred calls run there
	if nodes := s.Nodes(); atEnd || len(nodes) > 0 && len(loopsAround(nodes[0])) == 0 {
		name, at := "The function literal", s.Func.Node().Pos()
		if d, ok := s.Func.Node().(*ast.FuncDecl); ok {
			name, at = d.Name.Name, d.Name.Pos()
		}
		if why := functionNotInlined(s, at); why != "" {
			all = append(all, fmt.Sprintf("%s itself isn't inlined: %s.", name, why))
		}
	}
	for _, call := range s.Calls() {
		if reason := whyNotInlined(s, call); reason != "" && !slices.Contains(all, reason) {
			all = append(all, reason)
		}
	}
	return all[:min(maxReasons, len(all))]
}

func whyNotInlined(s *advice.Site, call code.Call) string {
	called := ast.Unparen(call.Fun)
	if t := s.Info.Types[called]; t.IsType() || t.IsBuiltin() {
		return ""
	}
	var obj types.Object
	switch f := called.(type) {
	case *ast.Ident:
		obj = s.Info.Uses[f]
	case *ast.SelectorExpr:
		obj = s.Info.Uses[f.Sel]
	default:
		return ""
	}
	name := s.Source(called)
	if len(name) > 60 || strings.Contains(name, "\n") {
		name = obj.Name()
	}
	switch f := obj.(type) {
	case *types.Var:
		return fmt.Sprintf("%s is a function value, whose call isn't inlined.", name)
	case *types.Func:
		if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			if _, generic := types.Unalias(recv.Type()).(*types.TypeParam); generic {
				return ""
			}
			return fmt.Sprintf("%s is called through an interface, so it isn't inlined.", name)
		}
		if why := functionNotInlined(s, f.Origin().Pos()); why != "" {
			return fmt.Sprintf("%s isn't inlined: %s.", name, why)
		}
	}
	return ""
}

// functionNotInlined says why the compiler doesn't inline a function of the package, by the place of its
// name: "" if it does, or if that isn't known.
func functionNotInlined(s *advice.Site, name token.Pos) string {
	at := s.Fset.Position(name)
	for _, k := range s.In.Decisions().At(at.Filename, at.Line) {
		if k.Kind == advice.FunctionNotInlined {
			return uninlinable(k.Text)
		}
	}
	return ""
}

// uninlinable is the compiler's reason for not inlining a function, in words that say what the function does.
func uninlinable(reason string) string {
	switch reason {
	case "unhandled op DEFER":
		return "it has a defer statement"
	case "unhandled op GO":
		return "it starts a goroutine"
	case "unhandled op SELECT":
		return "it has a select statement"
	case "call to recover":
		return "it calls recover"
	}
	return reason
}

// checked says whether indexes are checked, if the line's own code takes much of its time.
func checked(s *advice.Site, ran []running) string {
	if len(ran) == 0 || ran[0].what != ownCode {
		return ""
	}
	has := func(kind advice.DecisionKind) bool {
		return slices.ContainsFunc(s.Decisions(), func(k advice.Decision) bool { return k.Kind == kind })
	}
	switch {
	case has(advice.IndexChecked):
		return unproved + " that an index is in range, so the line checks it."
	case has(advice.SliceChecked):
		return unproved + " that a slice expression is in range, so the line checks it."
	}
	return checkedInLoop(s)
}

// unproved begins what is said of checks.
const unproved = "The compiler can't prove"

// checkedInLoop says on which lines of the loop around the line indexes are checked.
func checkedInLoop(s *advice.Site) string {
	loop := loopAround(s)
	if loop == nil {
		return ""
	}
	from, to := s.Fset.Position(loop.Pos()), s.Fset.Position(loop.End())
	var lines []string
	for line := from.Line; line <= to.Line; line++ {
		if slices.ContainsFunc(s.In.Decisions().At(from.Filename, line), func(k advice.Decision) bool { return k.Kind == advice.IndexChecked }) {
			lines = append(lines, fmt.Sprint(line))
		}
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s that an index on line %s is in range, so each iteration checks it.", unproved, lines[0])
	}
	return fmt.Sprintf("%s that indexes on lines %s are in range, so each iteration checks them.", unproved, strings.Join(lines[:min(maxListed, len(lines))], ", "))
}

// maxListed limits lines that a sentence lists.
const maxListed = 3
