package advice

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// Options of Advise.
type Options struct {
	Dir   string // a folder of the module whose source the profiles are of
	Rules []*Rule
	// MinShare is the part of a subject's time or memory from which on a line counts
	// as hot; 0 is DefaultMinShare.
	MinShare float64
	// MaxPackages bounds how many hot packages are read, the hottest first; 0 is
	// DefaultMaxPackages.
	MaxPackages int
	// BuildFlags are those of the build, "-tags=x", as far as go list takes them.
	BuildFlags []string
	// Compiler has the hot packages compiled once more, for what the compiler says.
	Compiler bool
	// Foreign is set where anybody may have made the profiles: binaries that they name are
	// not opened.
	Foreign bool
	// Stage is told what is being done, in a few words. May be nil.
	Stage func(string)
}

func (o *Options) stage(format string, args ...any) {
	if o.Stage != nil {
		o.Stage(fmt.Sprintf(format, args...))
	}
}

const (
	DefaultMinShare    = 0.01
	DefaultMaxPackages = 50
)

// Advise joins profiles with the source they are of. What can't be examined is in
// the report; an error is for what ends all of it.
func Advise(ctx context.Context, inputs []Input, o Options) (*Report, error) {
	o.MinShare, o.MaxPackages = cmp.Or(o.MinShare, DefaultMinShare), cmp.Or(o.MaxPackages, DefaultMaxPackages)
	o.stage("asking go for the module")
	mods, err := modules(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	env, err := runGo(ctx, (*exec.Cmd).Run, o.Dir, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	toolchain, goroot, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	l := &locator{modules: mods, goroot: strings.TrimSpace(goroot)}
	if l.mains, err = mainFolders(ctx, o.Dir, o.BuildFlags, inputs); err != nil {
		return nil, err
	}
	e := collect(inputs, l.locate)
	lines, dirs, left := e.hottest(o.MinShare, o.MaxPackages)
	o.stage("reading and compiling %s", count(len(dirs), "package"))
	src, err := o.read(ctx, strings.TrimSpace(toolchain), dirs)
	if err != nil {
		return nil, err
	}
	if left > 0 {
		src.unexamined = append(src.unexamined, fmt.Sprintf("%s with hot lines: the %d hottest are", count(left, "more package"), len(dirs)))
	}
	x := &examiner{collector: e, options: &o, mods: mods, mains: l.mains, found: make(map[string]*found)}
	if len(lines) == 0 && !slices.ContainsFunc(inputs, isGoroutines) {
		src.unexamined = append(src.unexamined, e.nothing(mods, o.MinShare))
	}
	o.stage("looking at %s", count(len(lines), "hot line"))
	report := x.report(inputs, lines, src)
	report.Folders = dirs
	return report, ctx.Err()
}

// read loads the packages in some folders, and has them compiled meanwhile, which takes
// longer.
func (o *Options) read(ctx context.Context, toolchain string, dirs []string) (*source, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var said Diagnostics
	var failed error
	compiled := make(chan struct{})
	go func() {
		defer close(compiled)
		if o.Compiler {
			said, failed = compilerSays(ctx, o.Dir, o.BuildFlags, dirs)
		}
	}()
	src, err := load(ctx, o.Dir, toolchain, o.BuildFlags, dirs)
	if err != nil {
		stop()
	}
	<-compiled // its files are gone then
	if err != nil {
		return nil, err
	}
	if failed != nil {
		src.unexamined = append(src.unexamined, failed.Error())
	}
	for _, p := range src.packages {
		p.Says = said
	}
	return src, nil
}

// Examine is Advise for packages that are read already. Frames are of the user's if
// locate has a file for them.
func Examine(inputs []Input, pkgs []*Package, locate func(*profile.Frame) string, o Options) *Report {
	o.MinShare, o.MaxPackages = cmp.Or(o.MinShare, DefaultMinShare), cmp.Or(o.MaxPackages, DefaultMaxPackages)
	src := &source{files: make(map[string]*Package), packages: pkgs}
	for _, p := range pkgs {
		for name := range p.texts {
			src.files[name] = p
		}
	}
	e := collect(inputs, locate)
	lines, _, _ := e.hottest(o.MinShare, o.MaxPackages)
	x := &examiner{collector: e, options: &o, found: make(map[string]*found)}
	return x.report(inputs, lines, src)
}

// report examines lines, the hottest first.
func (x *examiner) report(inputs []Input, lines []*hot, src *source) *Report {
	report := &Report{Unexamined: src.unexamined}
	for _, p := range src.packages {
		report.Packages = append(report.Packages, p.Path)
	}
	var missed missed
	for _, h := range lines {
		p := src.files[h.file]
		if p == nil {
			continue // its package is unexamined as a whole, or the file belongs to none
		}
		if initializes(h.function) {
			continue
		}
		s, err := p.site(h, &x.evidence)
		if err != nil {
			missed.add(h, err)
			continue
		}
		s.Compiler = p.Says[lineOf{h.file, s.Line}]
		x.examine(s)
	}
	report.Findings = rank(append(x.all(), x.whole(inputs)...))
	report.Together = x.union(inputs, x.has)
	report.Unexamined = slices.Concat(report.Unexamined, missed.sentences, failures(x.options.Rules, src.packages))
	return report
}

// initializes reports whether a function sets a package's variables, which it does once,
// with code of all its files.
func initializes(function string) bool {
	n := parseName(function)
	return n.name == "init" && n.receiver == "" && n.closure == ""
}

// missed says which functions could not be examined, each once.
type missed struct{ sentences []string }

func (m *missed) add(h *hot, err error) {
	text := fmt.Sprintf("%s in %s %v", h.function, h.file, err)
	if !slices.Contains(m.sentences, text) {
		m.sentences = append(m.sentences, text)
	}
}

// hottest returns the lines worth a look and the folders they are in, at most so
// many of these, and how many are left out. Lines of tests are the measurement, not what
// is measured.
func (e *evidence) hottest(least float64, folders int) (lines []*hot, dirs []string, left int) {
	weights := make(map[string]float64)
	type weighed struct {
		*hot
		weight float64
	}
	var all []weighed
	for _, h := range e.lines {
		w := e.largest(h.match(about{}))
		if w < least || h.testing {
			continue
		}
		all = append(all, weighed{h, w})
		dir := filepath.Dir(h.file)
		weights[dir] = max(weights[dir], w)
	}
	dirs = slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	left = max(0, len(dirs)-folders)
	dirs = dirs[:len(dirs)-left]
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), strings.Compare(a.function, b.function))
	})
	for _, h := range all {
		if slices.Contains(dirs, filepath.Dir(h.file)) {
			lines = append(lines, h.hot)
		}
	}
	return lines, dirs, left
}

// nothing says why no line is hot.
func (e *evidence) nothing(mods []module, least float64) string {
	if len(e.lines) == 0 {
		var paths []string
		for _, m := range mods {
			paths = append(paths, m.Path)
		}
		return fmt.Sprintf("the profiles have no line of %s: are they of another program?", strings.Join(paths, ", "))
	}
	return fmt.Sprintf("no line outside of tests has %.3g %% of any profile", 100*least)
}

// examiner applies rules to sites.
type examiner struct {
	*collector
	options *Options
	mods    []module
	mains   []string          // folders of commands
	found   map[string]*found // by rule and position
}

// found is a finding and what it was made of.
type found struct {
	Finding
	rule    *Rule
	about   about
	gain    float64
	sites   []*Site
	matched matched
}

func (x *examiner) examine(s *Site) {
	for _, r := range x.options.Rules {
		if r.Match == nil {
			continue
		}
		if !x.hotEnough(s.hot.match(r.about(nil)), r) {
			continue
		}
		for _, m := range r.Match(s) {
			x.add(s, r, &m)
		}
	}
}

// hotEnough reports whether a part of a line counts as hot for a rule.
func (x *examiner) hotEnough(m matched, r *Rule) bool {
	for subject, v := range m {
		most := x.worked(v, subject)
		if r.Waits {
			most = max(x.share(v[mutexTime], subject, mutexTime), x.share(v[blockTime], subject, blockTime))
		}
		if most >= x.options.MinShare {
			return true
		}
	}
	return false
}

func (x *examiner) add(s *Site, r *Rule, m *Match) {
	part := s.hot.match(r.about(m))
	if !x.hotEnough(part, r) {
		return
	}
	pos := s.Fset.Position(m.Node.Pos())
	key := fmt.Sprintf("%s %s:%d:%d", r.ID, pos.Filename, pos.Line, pos.Column)
	if f := x.found[key]; f != nil { // a call over several lines, or a generic function
		f.sites = append(f.sites, s)
		for subject, v := range part {
			f.matched.of(subject).add(v)
		}
		return
	}
	f := &found{rule: r, about: r.about(m), gain: cmp.Or(m.Gain, r.Gain), sites: []*Site{s}, matched: part}
	f.Finding = Finding{
		Rule: r.ID, Class: r.Class, State: Bounded, Title: cmp.Or(m.Title, r.Title), Why: m.Why,
		Package: s.Package.Path, Function: s.functionName(), Symbol: s.hot.function, File: pos.Filename, Line: pos.Line, Column: pos.Column,
		Text: strings.TrimSpace(s.lineText(pos.Line)),
	}
	if m.Class != 0 {
		f.Class = m.Class
	}
	f.ID = x.id(&f.Finding)
	f.Evidence, f.Bound = x.describe(s.hot, part, f.gain, x.options.MinShare)
	f.Evidence.Compiler = s.Compiler
	if s.Line != int(s.hot.line) {
		f.Caveats = append(f.Caveats, fmt.Sprintf("the source has changed since: the profile's line %d is taken for line %d", s.hot.line, s.Line))
	}
	x.offer(f, s, m)
	x.found[key] = f
}

// offer makes the rewrite, unless something speaks against it.
func (x *examiner) offer(f *found, s *Site, m *Match) {
	if f.Class == AdviceOnly || len(m.Edits) == 0 {
		f.Class = AdviceOnly
		return
	}
	why := ""
	switch {
	case ast.IsGenerated(s.File):
		why = "the file is generated: what generates it has to change"
	case slices.ContainsFunc(s.File.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }):
		why = "the file uses cgo, and is compiled from a rewritten form of it"
	case f.rule.Since != "" && !s.AtLeast(f.rule.Since):
		why = fmt.Sprintf("the rewrite needs go %s in go.mod, which says %s", f.rule.Since, strings.TrimPrefix(s.GoVersion, "go"))
	}
	if why == "" {
		fix, err := newFix(s.Package, s.File, m, x.root(f.File))
		if err == nil {
			err = s.compiles(fix.File, fix.After)
		}
		if err == nil {
			f.Fix = fix
			return
		}
		why = "no rewrite: " + err.Error()
	}
	f.Class = AdviceOnly
	f.Caveats = append(f.Caveats, why)
}

// root is the folder of the module that a file is in.
func (x *examiner) root(file string) string {
	if m := x.module(file); m != nil {
		return m.Dir
	}
	return x.options.Dir
}

// module returns the innermost module that a file or folder is in; nil if it is in none.
func (x *examiner) module(file string) (best *module) {
	for i := range x.mods {
		m := &x.mods[i]
		if rel, err := filepath.Rel(m.Dir, file); err == nil && !strings.HasPrefix(rel, "..") && (best == nil || len(m.Dir) > len(best.Dir)) {
			best = m
		}
	}
	return best
}

// id is the rule and a number made of what the place is, not where. Places that are
// the same count up.
func (x *examiner) id(f *Finding) string {
	return newID(f, func(id string) bool {
		for _, other := range x.found {
			if other.ID == id {
				return true
			}
		}
		return false
	}, f.Text)
}

// newID makes an ID that is not taken, of a finding's rule, function, and what else tells
// it from others there.
func newID(f *Finding, taken func(string) bool, more ...string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", f.Package, f.Function, strings.Join(more, "\x00"), n))
		if id := f.Rule + "-" + hex.EncodeToString(sum[:3]); !taken(id) {
			return id
		}
	}
}

// functionName is "Type.Method" or "function", of the declaration around.
func (s *Site) functionName() string {
	if s.Decl == nil {
		return ""
	}
	if r := receiverName(s.Decl); r != "" {
		return r + "." + s.Decl.Name.Name
	}
	return s.Decl.Name.Name
}

func (s *Site) lineText(line int) string {
	tf := s.Fset.File(s.File.FileStart)
	if line < 1 || line > tf.LineCount() {
		return ""
	}
	start := tf.Offset(tf.LineStart(line))
	text := s.texts[tf.Name()][start:]
	if i := slices.Index(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return string(text)
}

// has reports whether a sample at a line is below some finding.
func (x *examiner) has(at place, below []string) bool {
	below = slices.Clone(below)
	slices.Reverse(below)
	for _, f := range x.found {
		for _, s := range f.sites {
			if s.hot.place == at && f.about.has(below) {
				return true
			}
		}
	}
	return false
}

// all returns the findings. Of a line that several rules know, those that say more than
// "something is allocated here" stand alone.
func (x *examiner) all() []Finding {
	specific := make(map[string]bool)
	line := func(f *found) string { return fmt.Sprintf("%s:%d", f.File, f.Line) }
	for _, f := range x.found {
		// A rule about the time of the line itself says nothing of what it allocates.
		if !f.rule.Generic && (f.rule.Frames != nil || f.rule.Allocates) {
			specific[line(f)] = true
		}
	}
	maps.DeleteFunc(x.found, func(_ string, f *found) bool { return f.rule.Generic && specific[line(f)] })
	var all []Finding
	for _, f := range x.found {
		if len(f.sites) > 1 {
			f.Evidence, f.Bound = x.describe(f.sites[0].hot, f.matched, f.gain, x.options.MinShare)
			f.Evidence.Compiler = f.sites[0].Compiler
		}
		if f.rule.Generic {
			// That something is allocated says less of what to do about it than a pattern
			// does: of commits that made something faster, bench/advice finds the former
			// to be what the author changed a quarter as often.
			f.Bound.Worth /= 2
		}
		all = append(all, f.Finding)
	}
	return all
}

// rank puts the most worthwhile findings first. Those of one rule in one function rank
// as one, for all that they are worth together: the first of them names the others,
// which stand at the end.
func rank(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(a.Bound.order(&b.Bound), strings.Compare(a.ID, b.ID))
	})
	type group struct{ rule, file, function string }
	first := make(map[group]int)
	var follows []Finding
	n := 0
	for _, f := range all {
		g := group{f.Rule, f.File, f.Function}
		i, named := first[g]
		if !named || f.Function == "" {
			first[g] = n
			all[n] = f
			n++
			continue
		}
		all[i].Also = append(all[i].Also, Also{f.ID, f.Line})
		all[i].Bound.Worth += f.Bound.Worth
		follows = append(follows, f)
	}
	all = all[:n]
	slices.SortStableFunc(all, func(a, b Finding) int { return a.Bound.order(&b.Bound) })
	return append(all, follows...)
}
