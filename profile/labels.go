package profile

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
)

// SampleLabelSet returns the labels of sample s in the order of [LabelSet].
// The slice is part of the profile: do not change it.
func (p *Profile) SampleLabelSet(s int) []Label {
	if p.SampleLabels == nil {
		return nil
	}
	set := p.LabelSets[p.SampleLabels[s]]
	return p.Labels[set.Start : set.Start+set.Len : set.Start+set.Len]
}

// FilterLabels keeps the samples whose labels focus accepts and ignore doesn't;
// nil functions don't filter. They are called once per distinct set of labels.
// focused and ignored tell whether any sample was accepted by them.
func FilterLabels(p *Profile, focus, ignore func([]Label) bool) (q *Profile, focused, ignored bool) {
	sets := []LabelSet{{}}
	if p.SampleLabels != nil {
		sets = p.LabelSets
	}
	const (
		unknown = iota
		keep
		drop
	)
	class := make([]uint8, len(sets))
	q = keepSamples(p, func(s int) bool {
		set := uint32(0)
		if p.SampleLabels != nil {
			set = p.SampleLabels[s]
		}
		if class[set] == unknown {
			labels := p.SampleLabelSet(s)
			f := focus == nil || focus(labels)
			i := ignore != nil && ignore(labels)
			focused, ignored = focused || f, ignored || i
			class[set] = drop
			if f && !i {
				class[set] = keep
			}
		}
		return class[set] == keep
	})
	return q, focused, ignored
}

// FilterLabelKeys removes labels whose key show (nil: all) doesn't match or hide
// does. shown and hid tell whether they matched any key.
func FilterLabelKeys(p *Profile, show, hide *regexp.Regexp) (q *Profile, shown, hid bool) {
	if p.SampleLabels == nil {
		return p, false, false
	}
	used := usedSets(p)
	q = mapLabelSets(p, func(set uint32, labels []Label) []Label {
		if !used[set] {
			return nil
		}
		return slices.DeleteFunc(labels, func(l Label) bool {
			key := p.Strings[l.Key]
			s, h := show == nil || show.MatchString(key), hide != nil && hide.MatchString(key)
			shown, hid = shown || s, hid || h
			return !s || h
		})
	})
	return q, shown, hid
}

func usedSets(p *Profile) []bool {
	used := make([]bool, len(p.LabelSets))
	for _, set := range p.SampleLabels {
		used[set] = true
	}
	return used
}

// mapLabelSets returns p with each label set replaced by what change returns for
// a copy of it. Set 0, the empty one, stays.
func mapLabelSets(p *Profile, change func(set uint32, labels []Label) []Label) *Profile {
	q := *p
	q.LabelSets = make([]LabelSet, len(p.LabelSets))
	q.Labels = make([]Label, 0, len(p.Labels))
	for i, set := range p.LabelSets {
		if i == 0 {
			continue
		}
		labels := change(uint32(i), slices.Clone(p.Labels[set.Start:set.Start+set.Len]))
		q.LabelSets[i] = LabelSet{uint32(len(q.Labels)), uint32(len(labels))}
		q.Labels = append(q.Labels, labels...)
	}
	return &q
}

// WithLabel returns p with the string label key=value on every sample, in place of
// string labels with that key.
func WithLabel(p *Profile, key, value string) *Profile {
	q := *p
	q.Strings = append(slices.Clip(p.Strings), key, value)
	k, v := uint32(len(p.Strings)), uint32(len(p.Strings)+1)
	label := Label{Key: k, Str: v}
	if q.SampleLabels == nil {
		q.SampleLabels = make([]uint32, len(p.Stacks))
		q.LabelSets = []LabelSet{{}}
	}
	r := mapLabelSets(&q, func(_ uint32, labels []Label) []Label {
		labels = slices.DeleteFunc(labels, func(l Label) bool { return !l.Numeric && q.Strings[l.Key] == key })
		labels = append(labels, label)
		canonicalLabels(labels, q.Strings)
		return labels
	})
	// Samples without labels get a set of their own.
	lone := uint32(len(r.LabelSets))
	r.LabelSets = append(r.LabelSets, LabelSet{uint32(len(r.Labels)), 1})
	r.Labels = append(r.Labels, label)
	r.SampleLabels = slices.Clone(r.SampleLabels)
	for s, set := range r.SampleLabels {
		if set == 0 {
			r.SampleLabels[s] = lone
		}
	}
	return r
}

// HasLabel reports whether sample s has the string label key=value.
func (p *Profile) HasLabel(s int, key, value string) bool {
	for _, l := range p.SampleLabelSet(s) {
		if !l.Numeric && p.Strings[l.Key] == key && p.Strings[l.Str] == value {
			return true
		}
	}
	return false
}

// NumLabelUnits returns the unit of each numeric label key: the first one that
// any sample has for it, or else one inferred from the key. ignored lists, for
// keys with several units, the others in order.
func (p *Profile) NumLabelUnits() (units map[string]string, ignored map[string][]string) {
	units, ignored = map[string]string{}, map[string][]string{}
	seenKeys := map[string]bool{}
	seen := make([]bool, len(p.LabelSets))
	for s, set := range p.SampleLabels {
		if seen[set] {
			continue
		}
		seen[set] = true
		for _, l := range p.SampleLabelSet(s) {
			if !l.Numeric {
				continue
			}
			key, unit := p.Strings[l.Key], p.Strings[l.Unit]
			seenKeys[key] = true
			if unit == "" {
				continue
			}
			if first, ok := units[key]; !ok {
				units[key] = unit
			} else if first != unit && !slices.Contains(ignored[key], unit) {
				ignored[key] = append(ignored[key], unit)
			}
		}
	}
	for key := range seenKeys {
		if units[key] != "" {
			continue
		}
		units[key] = key
		if key == "alignment" || key == "request" {
			units[key] = "bytes"
		}
	}
	for _, others := range ignored {
		slices.Sort(others)
	}
	return units, ignored
}

// AddLabelFrames adds frames made of labels to every stack: for each key of
// roots above its root, the first key outermost, and for each key of leaves
// below its leaf, the last key innermost. Such a frame's function is named by
// the label's values, with keyed as key=values, its file by the key. format prints
// a numeric label.
// rootHit and leafHit tell whether any sample has such a label. The error is that of ctx, which
// ends the work early.
func AddLabelFrames(ctx context.Context, p *Profile, roots, leaves []string, keyed bool, format func(num int64, unit string) string) (q *Profile, rootHit, leafHit bool, err error) {
	if len(roots)+len(leaves) == 0 || len(p.Stacks) == 0 {
		return p, false, false, nil
	}
	a := labelFrames{p: p, keyed: keyed, format: format, made: map[[2]string]uint32{}}
	r := *p
	a.q = &r
	r.Strings, r.Functions = slices.Clip(p.Strings), slices.Clip(p.Functions)
	r.Locations, r.Lines = slices.Clip(p.Locations), slices.Clip(p.Lines)
	for i := range p.Locations {
		a.maxID = max(a.maxID, p.Locations[i].ID)
	}
	type frames struct{ roots, leaves []uint32 }
	bySet := map[uint32]*frames{}
	r.Frames = make([]uint32, 0, len(p.Frames)+len(p.Stacks)*(len(roots)+len(leaves)))
	r.Stacks = make([]Stack, len(p.Stacks))
	for s := range p.Stacks {
		if err := stopped(ctx, s); err != nil {
			return nil, false, false, err
		}
		set := uint32(0)
		if p.SampleLabels != nil {
			set = p.SampleLabels[s]
		}
		f := bySet[set]
		if f == nil {
			f = new(frames)
			var hit bool
			f.roots, hit = a.frames(p.SampleLabelSet(s), roots)
			rootHit = rootHit || hit
			f.leaves, hit = a.frames(p.SampleLabelSet(s), leaves)
			leafHit = leafHit || hit
			bySet[set] = f
		}
		start := len(r.Frames)
		r.Frames = append(r.Frames, f.leaves...)
		r.Frames = append(r.Frames, p.Stack(s)...)
		r.Frames = append(r.Frames, f.roots...)
		r.Stacks[s] = Stack{uint32(start), uint32(len(r.Frames) - start)}
	}
	return &r, rootHit, leafHit, nil
}

type labelFrames struct {
	p, q   *Profile
	keyed  bool
	format func(int64, string) string
	maxID  uint64
	made   map[[2]string]uint32
}

// frames returns the locations for the keys, last key first.
func (a *labelFrames) frames(labels []Label, keys []string) (locs []uint32, hit bool) {
	for _, key := range slices.Backward(keys) {
		var values []string
		for _, l := range labels {
			switch {
			case a.p.Strings[l.Key] != key:
			case !l.Numeric:
				values = append(values, a.p.Strings[l.Str])
			case l.HasUnit:
				values = append(values, a.format(l.Num, a.p.Strings[l.Unit]))
			default:
				values = append(values, a.format(l.Num, ""))
			}
		}
		hit = hit || len(values) > 0
		name := strings.Join(values, ",")
		if a.keyed {
			name = key + "=" + cmp.Or(name, "<unknown>")
		}
		locs = append(locs, a.location(name, key))
	}
	return locs, hit
}

func (a *labelFrames) location(name, file string) uint32 {
	k := [2]string{name, file}
	if l, ok := a.made[k]; ok {
		return l
	}
	q := a.q
	n := uint32(len(q.Strings))
	q.Strings = append(q.Strings, name, file)
	q.Functions = append(q.Functions, Function{Name: n, File: n + 1})
	q.Lines = append(q.Lines, Line{Function: uint32(len(q.Functions) - 1)})
	a.maxID++
	l := uint32(len(q.Locations))
	q.Locations = append(q.Locations, Location{ID: a.maxID, FirstLine: uint32(len(q.Lines) - 1), NumLines: 1})
	a.made[k] = l
	return l
}
