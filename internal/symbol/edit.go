package symbol

import (
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// edit changes a profile, each column being copied the first time something in
// it changes. With no change p is the profile given.
type edit struct {
	p *profile.Profile

	owned                                                 bool
	ownMappings, ownFunctions, ownLocations, ownAppending bool

	strings   map[string]profile.StringID // those added
	functions map[funcKey]uint32          // those added
}

type funcKey struct {
	name, file string
	startLine  int
}

// profile returns a profile whose fields may be set.
func (e *edit) profile() *profile.Profile {
	if !e.owned {
		q := *e.p
		e.p, e.owned = &q, true
	}
	return e.p
}

func (e *edit) mapping(i int) *profile.Mapping {
	q := e.profile()
	if !e.ownMappings {
		q.Mappings, e.ownMappings = slices.Clone(q.Mappings), true
	}
	return &q.Mappings[i]
}

func (e *edit) function(i int) *profile.Function {
	q := e.profile()
	if !e.ownFunctions {
		q.Functions, e.ownFunctions = slices.Clone(q.Functions), true
	}
	return &q.Functions[i]
}

// appending makes Strings, Functions and Lines safe to append to.
func (e *edit) appending() *profile.Profile {
	q := e.profile()
	if !e.ownAppending {
		q.Strings = slices.Clip(q.Strings)
		if len(q.Strings) == 0 {
			q.Strings = []string{""}
		}
		if !e.ownFunctions {
			q.Functions = slices.Clip(q.Functions)
		}
		q.Lines = slices.Clip(q.Lines)
		e.strings, e.functions = map[string]profile.StringID{"": 0}, map[funcKey]uint32{}
		e.ownAppending = true
	}
	return q
}

// string returns the id of s, which may be part of a larger string.
func (e *edit) string(s string) profile.StringID {
	q := e.appending()
	id, ok := e.strings[s]
	if !ok {
		s = strings.Clone(s)
		id = profile.StringID(len(q.Strings))
		q.Strings = append(q.Strings, s)
		e.strings[s] = id
	}
	return id
}

// addFunction returns the index of a function among those added.
func (e *edit) addFunction(k funcKey) uint32 {
	q := e.appending()
	i, ok := e.functions[k]
	if !ok {
		name := e.string(k.name)
		i = uint32(len(q.Functions))
		q.Functions = append(q.Functions, profile.Function{
			Name: name, SystemName: name, File: e.string(k.file), StartLine: int64(k.startLine),
		})
		e.functions[k] = i
	}
	return i
}

// setLines gives location l the lines, innermost first.
func (e *edit) setLines(l uint32, lines ...profile.Line) *profile.Location {
	q := e.appending()
	if !e.ownLocations {
		q.Locations, e.ownLocations = slices.Clone(q.Locations), true
	}
	loc := &q.Locations[l]
	loc.FirstLine, loc.NumLines = uint32(len(q.Lines)), uint32(len(lines))
	q.Lines = append(q.Lines, lines...)
	return loc
}
