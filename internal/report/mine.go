package report

import (
	"fmt"
	"regexp"

	"github.com/hone-go/hone/profile"
)

// fold returns p with the frames that aren't yours folded into the nearest caller
// that is, if the options ask for it; see [profile.FoldForeign].
//
// Unless a pattern says otherwise, your frames are those of [profile.OriginOwn]: the
// module of package main. Other modules are as foreign as the standard library: you
// can't change a line there either, only call it less.
func (s *selection) fold(p *profile.Profile) (*profile.Profile, error) {
	if s.opt.Mine == "" {
		return p, nil
	}
	yours, err := s.opt.yours(p)
	if err != nil {
		return nil, err
	}
	if s.opt.NoInlines {
		// Before folding, so that an inlined function is part of its caller, yours or not.
		p = profile.Aggregate(p, profile.Granularity{Function: true, File: true, Line: true, Column: true, Address: true})
	}
	// In listings of source, the cost of calls into foreign code becomes the line's
	// own: a listing can't show a frame that has no text.
	listing := s.command == "list" || s.command == "weblist" || s.command == "disasm"
	q, any, err := profile.FoldForeign(s.env.Context, p, yours, listing)
	if err != nil {
		return nil, err
	}
	if !any && len(p.Stacks) > 0 {
		s.warn(noneYours)
	}
	return q, nil
}

const noneYours = "No stack has a frame of your code; tell hone which functions are yours with -mine=REGEXP"

// yours returns a function that tells which functions of p are yours: see [Options.Mine].
func (o *Options) yours(p *profile.Profile) (func(f uint32) bool, error) {
	if o.Mine == MineModule {
		return ofModule(p), nil
	}
	re, err := regexp.Compile(o.Mine)
	if err != nil {
		return nil, fmt.Errorf("parsing mine regexp: %v", err)
	}
	return func(f uint32) bool { return re.MatchString(p.FunctionName(f)) }, nil
}

// ofModule returns a function that tells which functions of p belong to the module of
// package main.
func ofModule(p *profile.Profile) func(f uint32) bool {
	origins := p.Origins()
	return func(f uint32) bool { return origins.Of(p.FunctionFrame(f)) == profile.OriginOwn }
}

// Foldable reports whether [MineModule] would keep some functions of p and fold others.
// Otherwise it is useless.
func Foldable(p *profile.Profile) bool {
	yours := ofModule(p)
	own := 0
	for f := range p.Functions {
		if yours(uint32(f)) {
			own++
		}
	}
	return own > 0 && own < len(p.Functions)
}
