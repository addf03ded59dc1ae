package advice

import (
	"context"
	"slices"
)

// consult asks what the compiler says about the packages where that matters. It doesn't for most of the packages of a large
// program: no rule finds anything in them that depends on it, and compiling takes longer than all else.
func (x *examiner) consult(ctx context.Context, src *source, sites []*Site, patterns []string) {
	var pkgs []*compiled
	for _, p := range withImporters(x.consulted(sites), src.packages) {
		pkgs = append(pkgs, newCompiled(p.listed, patterns))
	}
	if len(pkgs) == 0 {
		return
	}
	x.options.stage("compiling %s", count(len(pkgs), "package"))
	err := compile(ctx, x.options.Dir, x.options.BuildFlags, pkgs, func(n int) {
		x.options.stage("compiling %s: %d compiled", count(len(pkgs), "package"), n)
	})
	if err != nil {
		src.failed = true
		src.unexamined = append(src.unexamined, err.Error())
		return
	}
	x.options.stage("examining %s", count(len(sites), "hot line"))
	said, decided := merged(pkgs, src.folders)
	for _, p := range src.packages {
		p.Say(said, decided)
	}
}

// consulted returns the packages in which rules find something, or ask what the compiler says.
func (x *examiner) consulted(sites []*Site) []*Package {
	hits := x.hits(sites, false)
	hits = append(hits, x.hits(unreported(sites, specific(placesOf(hits))), true)...)
	for _, h := range hits {
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
