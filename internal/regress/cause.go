package regress

import (
	"cmp"
	"slices"
)

// A group is one regression: the function that explains it, and all effects it explains.
type group struct {
	f       int
	effects []*effect // largest first
	alike   bool      // the function and all that it calls grew alike
	without bool      // explained by deeper groups
}

// best returns the effect on the group's function: its own if that is significant and
// doesn't leave out what grew alike.
func (g *group) best() *effect {
	for _, callees := range []bool{g.alike, !g.alike} {
		for _, e := range g.effects {
			if e.f == g.f && e.callees == callees {
				return e
			}
		}
	}
	return g.effects[0]
}

// groups returns the causes of effects: each is the deepest function that explains its
// effects.
func (c *calls) groups(found []effect) []group {
	var all []group
	type entry struct {
		f     int
		alike bool
	}
	own := map[int]entry{} // where growth of own cost enters
	for i := range found {
		if e := &found[i]; !e.callees {
			f, alike := c.enters(e)
			own[e.f] = entry{f, alike}
		}
	}
	for i := range found {
		e := &found[i]
		in, known := own[e.f]
		if !known {
			in.f, in.alike = c.enters(e)
		}
		f := in.f
		j := slices.IndexFunc(all, func(g group) bool { return g.f == f })
		if j < 0 {
			j = len(all)
			all = append(all, group{f: f})
		}
		all[j].effects = append(all[j].effects, e)
		all[j].alike = all[j].alike || in.alike
	}
	for i := range all {
		slices.SortStableFunc(all[i].effects, func(a, b *effect) int { return cmp.Compare(b.growth, a.growth) })
	}
	// Callers first, so that effects pass from them to the deepest callee.
	slices.SortStableFunc(all, func(a, b group) int { return cmp.Compare(b.best().growth, a.best().growth) })
	for i := range all {
		c.explain(all, i)
	}
	return slices.DeleteFunc(all, func(g group) bool { return g.without })
}

// explain decides between a group and those of functions that it calls: either they
// explain it, or they are parts of it.
func (c *calls) explain(all []group, i int) {
	g := &all[i]
	if g.without || !g.best().callees {
		return
	}
	var below []int
	sum := 0.0
	for j := range all {
		if j != i && !all[j].without && c.reaches(g.f, all[j].f) {
			below = append(below, j)
			if !slices.ContainsFunc(below[:len(below)-1], func(k int) bool { return c.reaches(all[k].f, all[j].f) }) {
				sum += all[j].best().growth
			}
		}
	}
	if len(below) == 0 {
		return
	}
	const most = 0.6 // growth is a sample, too
	if sum > most*g.best().growth {
		first := below[0]
		all[first].effects = append(all[first].effects, g.effects...)
		g.without = true
		return
	}
	for _, j := range below {
		g.effects = append(g.effects, all[j].effects...)
		all[j].without = true
	}
}

// fresh returns the functions below f that had hardly any cost before, outermost first.
func (c *calls) fresh(f int) (all []int) {
	seen := map[int32]bool{int32(f): true}
	todo := []int32{int32(f)}
	for len(todo) > 0 && len(todo) < 10_000 {
		of := todo[0]
		todo = todo[1:]
		next := slices.Clone(c.callees[of])
		slices.SortFunc(next, func(a, b int32) int { return cmp.Compare(c.after[Edge{of, b}], c.after[Edge{of, a}]) })
		for _, callee := range next {
			if seen[callee] || c.after[Edge{of, callee}] == 0 {
				continue
			}
			seen[callee] = true
			if e := c.with(int(callee)); e != nil && e.new && e.z > 3 {
				all = append(all, int(callee))
				continue // what it calls is new with it
			}
			todo = append(todo, callee)
		}
	}
	return all
}
