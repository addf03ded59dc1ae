package format

import "github.com/hone-go/hone/profile"

// NewInterner returns an interner for d. From then on, only the interner may change d.
func NewInterner(d *Dictionary) *Interner {
	in := &Interner{
		d: d, hasher: newHasher(),
		mappings: map[profile.MappingKey]uint32{}, schemas: map[string]uint32{}, series: map[string]uint32{},
	}
	in.strings.reserve(len(d.strings))
	for i, s := range d.strings[1:] {
		in.strings.insert(in.stringHash(s), none, uint32(i)+1)
	}
	for i := range d.mappings {
		in.mappings[d.mappings[i].Key()] = uint32(i) + 1
	}
	in.functions.reserve(len(d.functions))
	for i := range d.functions {
		in.functions.insert(functionHash(&d.functions[i]), none, uint32(i))
	}
	in.locations.reserve(len(d.locations))
	t := &in.translation
	t.hashes = in.locationsOf(&profile.Profile{Strings: d.strings, Functions: d.functions}, t.hashes)
	for i := range d.locations {
		l := &d.locations[i]
		at := t.hashes.locationFingerprint(l, d.lines[l.FirstLine:l.FirstLine+l.NumLines])
		in.locations.insert(at.hash, at.check, uint32(i))
	}
	t.end()
	in.nodes.reserve(len(d.parents))
	for i := 1; i < len(d.parents); i++ {
		in.nodes.insert(nodeHash(d.parents[i], d.nodeLocs[i]), none, uint32(i))
	}
	for i, set := range d.sets[1:] {
		in.sets.insert(setHash(d.labels[set.Start:set.Start+set.Len]), none, uint32(i)+1)
	}
	in.sites.reserve(len(d.siteNodes))
	var frames []uint32
	for i, node := range d.siteNodes {
		frames = frames[:0]
		for ; node != 0; node = d.parents[node] {
			frames = append(frames, d.nodeLocs[node])
		}
		at := in.siteFingerprint(frames, d.siteSets[i])
		in.sites.insert(at.hash, at.check, uint32(i))
	}
	for i := range d.Schemas {
		in.schemas[string(appendSchema(nil, &d.Schemas[i], in.StringID))] = uint32(i)
	}
	for i := range d.Series {
		in.series[string(appendSeriesKey(nil, d.Series[i].Labels, d.Series[i].Measures, nil))] = uint32(i)
	}
	return in
}
