package regress

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Detect returns the regressions of a trigger, largest first.
func Detect(ctx context.Context, src Source, t Trigger, o Options) ([]Regression, error) {
	o = o.defaults(t)
	m, ok := measureOf(t.Kind)
	if !ok {
		return nil, nil
	}
	w := windowsOf(t, o, m.grows)
	s, err := readSample(ctx, src, t, w, m)
	if s == nil || err != nil || m.grows && s.before.each() < s.after.each() {
		return nil, err // no profiles, or the processes before were younger
	}
	all := s.effects(o)
	found := slices.DeleteFunc(significant(all, t.rate()*m.rate), func(e effect) bool { return s.drop(&e, o) })
	if len(found) == 0 {
		return nil, nil
	}
	if err := readEdges(ctx, src, t, w, s); err != nil {
		return nil, err
	}
	c := newCalls(s, all)
	found = slices.DeleteFunc(found, func(e effect) bool { return c.moved(&e) })
	var out []Regression
	for _, g := range c.groups(found) {
		// Code doesn't change without a version, so this function is called more often.
		if g.alike && t.Version == "" && !m.amount {
			continue
		}
		out = append(out, s.regression(t, w, c, &g))
	}
	return out, nil
}

// regression describes a group.
func (s *sample) regression(t Trigger, w windows, c *calls, g *group) Regression {
	// The group's function may itself vary too much to be significant.
	e := g.best()
	r := Regression{
		Service: t.Service, Kind: t.Kind, Type: s.typ, Unit: s.unit, Function: s.frames.Names[g.f], Callees: e.callees || e.f != g.f,
		Share: e.growth, Version: t.Version, Since: w.after.from, Found: t.Now, Affected: e.affected(), Instances: len(e.each),
		PerRequest: s.perRequest, From: w.before.from, Middle: w.before.to, To: t.Now,
	}
	at := e
	if own := c.with(g.f); e.f != g.f && own != nil {
		at = own
	}
	// Of all instances: the effect may be that of those alone that were there before.
	r.After = at.on(s.after.total()) * s.after.event / s.per()
	if before := s.before.total(); s.perRequest {
		r.Measured = at.on(before) / before.work
	}
	if !at.new {
		r.Growth, r.Low, r.High = at.interval()
		r.Before = r.After / (1 + r.Growth)
	}
	r.ID = id(t, r.Function, r.Since)
	r.Causes = append(r.Causes, causeOf(s, c, g.f, g.f, e))
	for _, e := range g.effects {
		if e.f != g.f && !slices.ContainsFunc(r.Causes, func(c Cause) bool { return c.Function == s.frames.Names[e.f] }) && len(r.Causes) < mostCauses {
			r.Causes = append(r.Causes, causeOf(s, c, g.f, e.f, e))
		}
	}
	for _, f := range c.fresh(g.f) {
		if len(r.New) < mostCauses {
			r.New = append(r.New, s.frames.Names[f])
		}
	}
	return r
}

const mostCauses = 10

// on returns the events of the function on a side.
func (e *effect) on(t total) float64 { return at(t.column(e.callees), e.f) }

// per is what values are divided by: instance-seconds, or requests.
func (s *sample) per() float64 {
	if !s.perRequest {
		return max(s.after.seconds, 1e-9)
	}
	after := s.after.total()
	return after.work * s.after.event
}

// causeOf describes a function among the causes of a regression of another one.
func causeOf(s *sample, c *calls, of, f int, e *effect) Cause {
	if e.f != f {
		if own := c.with(f); own != nil {
			e = own
		}
	}
	out := Cause{Function: s.frames.Names[f], Callees: e.callees, Caller: f != of && !c.reaches(of, f), Share: e.growth}
	if !e.new {
		out.Growth, _, _ = e.interval()
	}
	return out
}

// id returns the ID of a regression. It is the same each time the regression is found.
func id(t Trigger, function string, since int64) string {
	if t.Version == "" {
		since -= since % day
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %d", t.Service, t.Kind, function, t.Version, since))
	return hex.EncodeToString(sum[:8])
}
