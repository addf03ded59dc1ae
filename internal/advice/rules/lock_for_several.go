package rules

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

var lockForSeveral = &advice.Rule{
	ID:    "lock-for-several",
	Title: "one lock guards fields that are not used together",
	Doc: `Goroutines that use different data wait for each other if one lock guards all of it. Give each group of fields its own
lock.

The rule reports a line that unlocks a mutex with at least a tenth of all lock waiting, and at least 10 ms. All code
that locks the mutex must be in the package, and the fields that it uses must fall into groups: no code under the lock uses
fields of two groups. Other code may rely on groups that change together, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: locksUnlocks,
	Waits:  true,
	Match: func(s *advice.Site) []advice.Match {
		return matchShared(s, guardsSeveral)
	},
}

// guardsSeveral says which groups of fields a mutex guards that no section uses together; "" if there is one.
func guardsSeveral(s *advice.Site, held *facts.Section) string {
	if held.Mutex == nil || takesLong(held) {
		return ""
	}
	sections, all := facts.SectionsOf(s.Place, held.Mutex)
	if !all {
		return ""
	}
	beside, ok := fieldsBeside(s, held.Mutex)
	if !ok {
		return ""
	}
	groups, ok := groupsOf(sections, beside)
	if !ok || len(groups) < 2 {
		return ""
	}
	mine := facts.FieldsIn(held, beside)
	i := slices.IndexFunc(groups, func(g []*types.Var) bool {
		return slices.ContainsFunc(g, func(v *types.Var) bool { return slices.Contains(mine, v) })
	})
	if i < 0 {
		return ""
	}
	var others []*types.Var
	for j, g := range groups {
		if j != i {
			others = append(others, g...)
		}
	}
	return fmt.Sprintf("It guards %s, which this code uses, and also %s: no code uses these together under the lock. Give each group its own lock, if nothing relies on them to change together.", names(groups[i]), names(others))
}

// fieldsBeside returns the other fields of a mutex's struct.
func fieldsBeside(s *advice.Site, mutex *types.Var) (all []*types.Var, ok bool) {
	if !mutex.IsField() {
		return nil, false
	}
	scope := s.Types.Scope()
	for _, name := range scope.Names() {
		t, isType := scope.Lookup(name).(*types.TypeName)
		if !isType {
			continue
		}
		of, isStruct := t.Type().Underlying().(*types.Struct)
		if !isStruct {
			continue
		}
		all, ok = nil, false
		for i := range of.NumFields() {
			if f := of.Field(i); f.Origin() == mutex {
				ok = true
			} else {
				all = append(all, f.Origin())
			}
		}
		if ok {
			return all, true
		}
	}
	return nil, false
}

// groupsOf puts fields that some section uses together in one group. Fields that no section writes connect
// nothing. ok is false if a section uses none of the fields.
func groupsOf(sections []facts.Section, fields []*types.Var) (groups [][]*types.Var, ok bool) {
	written := make(map[*types.Var]bool)
	used := make([][]*types.Var, len(sections))
	for i := range sections {
		used[i] = facts.FieldsIn(&sections[i], fields)
		for _, v := range facts.WrittenIn(&sections[i], fields) {
			written[v] = true
		}
	}
	for _, vars := range used {
		vars = slices.DeleteFunc(slices.Clone(vars), func(v *types.Var) bool { return !written[v] })
		if len(vars) == 0 {
			return nil, false // what it guards isn't a field, or isn't known
		}
		merged := vars
		groups = slices.DeleteFunc(groups, func(g []*types.Var) bool {
			joins := slices.ContainsFunc(g, func(v *types.Var) bool { return slices.Contains(vars, v) })
			if joins {
				merged = append(g, merged...)
			}
			return joins
		})
		slices.SortFunc(merged, func(a, b *types.Var) int { return int(a.Pos() - b.Pos()) })
		groups = append(groups, slices.Compact(merged))
	}
	return groups, true
}
