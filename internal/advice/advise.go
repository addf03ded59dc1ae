package advice

import (
	"context"
	"fmt"
	"slices"

	"github.com/hone-go/hone/profile"
)

// Advise joins profiles with their source. What can't be examined is listed in the report; an error
// means that nothing could be.
func Advise(ctx context.Context, inputs []Input, o Options) (*Report, error) {
	o.setDefaults()
	o.stage("loading the module")
	env := o.Env
	var err error
	if env == nil {
		if env, err = Environ(ctx, o.Dir); err != nil {
			return nil, err
		}
	}
	mods, err := modules(ctx, o.Dir, env.Work)
	if err != nil {
		return nil, err
	}
	l := &locator{modules: mods, goroot: env.Root}
	if l.mains, err = mainFolders(ctx, o.Dir, mods, o.BuildFlags, inputs); err != nil {
		return nil, err
	}
	o.stage("looking for hot lines")
	e := collect(inputs, l.locate)
	lines, dirs, left := e.hottest(o.MinShare, o.MaxPackages)
	e.details(inputs, lines, dirs)
	o.stage("reading and compiling %s", count(len(dirs), "package"))
	patterns, apart := patternsOf(mods, dirs)
	src, err := o.read(ctx, env.Version, env.Root, env.Flags, patterns)
	if err != nil {
		return nil, err
	}
	src.unexamined = append(src.unexamined, apart...)
	if left > 0 {
		src.unexamined = append(src.unexamined, fmt.Sprintf("%s with hot lines: only the %d hottest are examined", count(left, "more package"), len(dirs)))
	}
	if o.Count != nil {
		if e.runs, err = o.Count(ctx, dirs, e.toCount(lines)); err != nil {
			src.unexamined = append(src.unexamined, err.Error())
		}
	}
	x := &examiner{collector: e, options: &o, mods: mods, mains: l.mains}
	if len(lines) == 0 && !slices.ContainsFunc(inputs, isGoroutines) {
		src.unexamined = append(src.unexamined, e.nothing(mods, o.MinShare))
	}
	o.stage("examining %s", count(len(lines), "hot line"))
	report := x.report(inputs, lines, src)
	report.Folders, report.Failed = dirs, src.failed
	for _, m := range mods {
		report.Modules = append(report.Modules, m.Dir)
	}
	return report, ctx.Err()
}

// read loads packages and compiles them at the same time, which takes longer.
func (o *Options) read(ctx context.Context, toolchain, goroot string, goflags, patterns []string) (*source, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var said Diagnostics
	var decided Decisions
	var failed error
	compiled := make(chan struct{})
	go func() {
		defer close(compiled)
		if o.Compiler {
			said, decided, failed = compilerDiagnostics(ctx, o.Dir, o.BuildFlags, patterns, func(n int) {
				o.stage("reading and compiling %s: %d compiled", count(len(patterns), "package"), n)
			})
		}
	}()
	src, err := load(ctx, o.Dir, toolchain, goflags, o.BuildFlags, patterns)
	if err != nil {
		stop()
	}
	<-compiled // its files are gone then
	if err != nil {
		return nil, err
	}
	if failed != nil {
		src.failed = true
		src.unexamined = append(src.unexamined, failed.Error())
	}
	for _, p := range src.packages {
		p.Diagnostics, p.Decisions, p.GOROOT = said, decided, goroot
	}
	return src, nil
}

// Examine is Advise for packages that are already read. Frames belong to the user's code if locate
// returns a file for them.
func Examine(inputs []Input, pkgs []*Package, locate func(*profile.Frame) string, o Options) *Report {
	o.setDefaults()
	src := &source{files: make(map[string]*Package), packages: pkgs}
	for _, p := range pkgs {
		for name := range p.Texts {
			src.files[name] = p
		}
	}
	e := collect(inputs, locate)
	lines, dirs, _ := e.hottest(o.MinShare, o.MaxPackages)
	e.details(inputs, lines, dirs)
	x := &examiner{collector: e, options: &o}
	return x.report(inputs, lines, src)
}
