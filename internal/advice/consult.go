package advice

import (
	"context"
	"slices"
	"strings"
)

// consult asks the compiler about the packages whose findings may depend on what it says. In a large program, these are few, and
// compiling takes longer than anything else.
func (x *examiner) consult(ctx context.Context, src *source, sites []*Site, patterns []string) {
	var pkgs, unknown []*compiled
	for _, p := range withImporters(x.consulted(sites), src.packages) {
		c := newCompiled(p.listed, patterns)
		pkgs = append(pkgs, c)
		if !c.recall(ctx, x.options.Kept) {
			unknown = append(unknown, c)
		}
	}
	if len(unknown) > 0 {
		x.options.stage("compiling %s", count(len(unknown), "package"))
		err := compile(ctx, x.options.Dir, x.options.BuildFlags, unknown, func(n int) {
			x.options.stage("compiling %s: %d compiled", count(len(unknown), "package"), n)
		})
		if err != nil {
			src.failed = true
			src.unexamined = append(src.unexamined, err.Error())
			return
		}
		keep(x.options.Kept, unknown)
		x.options.stage("examining %s", count(len(sites), "hot line"))
	}
	pkgs = append(pkgs, x.instances(ctx, sites, patterns)...)
	said, decided := merged(pkgs, src.folders)
	for _, p := range src.packages {
		p.Say(said, decided)
	}
}

// instances compiles the tests of packages with hot generic functions, and returns what the compiler says. It compiles generic functions
// only where they are used, which may be in tests alone. Packages whose tests don't compile are left out.
func (x *examiner) instances(ctx context.Context, sites []*Site, patterns []string) (tests []*compiled) {
	for _, s := range sites {
		p := s.In
		if !p.consulted || p.listed == nil || !strings.Contains(s.hot.function, "[...]") {
			continue
		}
		if !slices.ContainsFunc(tests, func(c *compiled) bool { return c.path == p.listed.PkgPath }) {
			tests = append(tests, newCompiled(p.listed, patterns))
		}
	}
	if len(tests) == 0 {
		return nil
	}
	x.options.stage("compiling the tests of %s", count(len(tests), "package"))
	if err := compileTests(ctx, x.options.Dir, x.options.BuildFlags, tests); err != nil {
		return nil
	}
	return tests
}

// consulted returns the packages in which rules find something, or ask what the compiler says.
func (x *examiner) consulted(sites []*Site) []*Package {
	hits, _ := x.hits(sites, false)
	rest, _ := x.hits(unreported(sites, specific(placesOf(hits))), true)
	for _, h := range slices.Concat(hits, rest) {
		h.site.In.consulted = true
	}
	var pkgs []*Package
	for _, s := range sites {
		if s.In.consulted && !slices.Contains(pkgs, s.In) {
			pkgs = append(pkgs, s.In)
		}
	}
	return pkgs
}
