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
	lines, dirs, left := e.hottest(o.MinShare, o.MaxPackages, o.Only)
	e.details(inputs, lines, dirs)
	o.stage("reading %s", count(len(dirs), "package"))
	patterns, apart := patternsOf(mods, dirs)
	src, err := load(ctx, o.Dir, env.Version, env.Root, env.Flags, o.BuildFlags, patterns)
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
	sites, missed := sitesOf(lines, src, &x.evidence)
	if o.Compiler {
		x.consult(ctx, src, sites, patterns)
	}
	report := x.report(inputs, sites, missed, src)
	report.Folders, report.Failed = dirs, src.failed
	for _, m := range mods {
		report.Modules = append(report.Modules, m.Dir)
	}
	return report, ctx.Err()
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
	lines, dirs, _ := e.hottest(o.MinShare, o.MaxPackages, o.Only)
	e.details(inputs, lines, dirs)
	x := &examiner{collector: e, options: &o}
	sites, missed := sitesOf(lines, src, &x.evidence)
	return x.report(inputs, sites, missed, src)
}
