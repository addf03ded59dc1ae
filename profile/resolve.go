package profile

import (
	"fmt"
	"slices"
	"strings"
)

// finish checks every reference of what was fed and turns ids into indexes. It
// returns the profile, which belongs to the decoder until its reset.
func finish(d *decoder) (*Profile, error) {
	p := d.p
	if err := resolveStrings(d); err != nil {
		return nil, err
	}
	if err := resolveMappings(d); err != nil {
		return nil, err
	}
	if err := resolveFunctions(d); err != nil {
		return nil, err
	}
	if err := resolveFrames(d); err != nil {
		return nil, err
	}
	if len(p.Stacks) == 0 {
		for len(p.Values) < len(p.SampleTypes) {
			p.Values = append(p.Values, nil)
		}
	} else if len(p.SampleTypes) == 0 {
		return nil, &badRecord{fieldSample, 0, "there are samples but no sample types"}
	} else if d.nTypes != len(p.SampleTypes) {
		return nil, &badRecord{fieldSample, 0, fmt.Sprintf("samples have %d values, but there are %d sample types", d.nTypes, len(p.SampleTypes))}
	}
	if d.sets != nil {
		p.LabelSets, p.Labels = d.sets.p.LabelSets, d.sets.p.Labels
		for _, l := range p.Labels {
			if id := max(l.Key, l.Str, l.Unit); int(id) >= len(p.Strings) {
				return nil, noString(d, "a label", uint64(id))
			}
		}
		for _, s := range p.LabelSets {
			canonicalLabels(p.Labels[s.Start:s.Start+s.Len], p.Strings)
		}
	}
	return p, nil
}

func noString(d *decoder, what string, id uint64) error {
	return &SyntaxError{-1, fmt.Sprintf("%s refers to string %d, but the string table has %d", what, id, len(d.p.Strings))}
}

// resolveStrings fills in the strings of the header and of mappings, and checks
// those of functions.
func resolveStrings(d *decoder) error {
	p := d.p
	if err := d.mem.take(bytesOf[ValueType](len(d.sampleTypes)) + bytesOf[string](len(d.comments))); err != nil {
		return err
	}
	p.Comments = slices.Grow(p.Comments, len(d.comments))
	var missing error
	str := func(what string, id uint64) string {
		switch {
		case id >= uint64(len(p.Strings)):
			if id != 0 && missing == nil {
				missing = noString(d, what, id)
			}
			return ""
		case !d.share:
			return p.Strings[id]
		}
		// It shares memory with the input. One string may be told many times.
		if err := d.mem.take(int64(len(p.Strings[id]))); err != nil {
			missing = err
			return ""
		}
		return strings.Clone(p.Strings[id])
	}
	for _, ids := range d.sampleTypes {
		p.SampleTypes = append(p.SampleTypes, ValueType{str("a sample type", ids[0]), str("a sample type", ids[1])})
	}
	p.PeriodType = ValueType{str("the period type", d.periodType[0]), str("the period type", d.periodType[1])}
	for i, ids := range d.mappings {
		p.Mappings[i].File, p.Mappings[i].BuildID = str("a mapping", ids[0]), str("a mapping", ids[1])
	}
	for _, id := range d.comments {
		p.Comments = append(p.Comments, str("a comment", id))
	}
	p.DropFrames, p.KeepFrames = str("drop_frames", d.header[0]), str("keep_frames", d.header[1])
	p.DefaultSampleType, p.DocURL = str("default_sample_type", d.header[2]), str("doc_url", d.header[3])
	if missing != nil {
		return missing
	}
	if len(p.Strings) == 0 {
		p.Strings = append(p.Strings, "") // the table may be left out when every string is empty
	}
	n := uint32(len(p.Strings))
	for i := range p.Functions {
		f := &p.Functions[i]
		if id := max(f.Name, f.SystemName, f.File); id >= n {
			return &badRecord{fieldFunction, i, fmt.Sprintf("a function refers to string %d, but the string table has %d", id, n)}
		}
	}
	return nil
}

// resolveMappings turns ids of mappings into indexes. A location whose mapping is
// not there has none.
func resolveMappings(d *decoder) error {
	p := d.p
	dense := true
	for i := range p.Mappings {
		dense = dense && p.Mappings[i].ID == uint64(i)+1
	}
	n := uint32(len(p.Mappings))
	if dense {
		for i := range p.Locations {
			if l := &p.Locations[i]; l.Mapping > n {
				l.Mapping = 0
			}
		}
		return nil
	}
	if err := d.mem.take(int64(n) * idMapBytes); err != nil {
		return err
	}
	byID := make(map[uint32]uint32, n)
	for i := range p.Mappings {
		raw := d.rawID(p.Mappings[i].ID)
		if _, twice := byID[raw]; twice {
			return &badRecord{fieldMapping, i, fmt.Sprintf("mapping id %d is used twice", p.Mappings[i].ID)}
		}
		byID[raw] = uint32(i) + 1
	}
	for i := range p.Locations {
		l := &p.Locations[i]
		if l.Mapping == 0 {
			continue
		}
		l.Mapping = byID[l.Mapping]
	}
	return nil
}

func resolveFunctions(d *decoder) error {
	p := d.p
	n := uint32(len(p.Functions))
	missing := func(line int) error {
		// Lines stand in the order of their locations.
		loc, _ := slices.BinarySearchFunc(p.Locations, uint32(line), func(l Location, line uint32) int {
			if l.FirstLine+l.NumLines > line {
				return 1
			}
			return -1
		})
		return &badRecord{fieldLocation, loc, fmt.Sprintf("a location refers to function %d, which is missing", fromRawID(d, p.Lines[line].Function))}
	}
	if d.denseFuncs {
		for i := range p.Lines {
			f := p.Lines[i].Function - 1
			if f >= n {
				return missing(i)
			}
			p.Lines[i].Function = f
		}
		return nil
	}
	ids, err := newIDTable(d, d.funcIDs, fieldFunction, "function")
	if err != nil {
		return err
	}
	for i := range p.Lines {
		f, ok := ids.index(p.Lines[i].Function)
		if !ok {
			return missing(i)
		}
		p.Lines[i].Function = f
	}
	return nil
}

func resolveFrames(d *decoder) error {
	p := d.p
	n := uint32(len(p.Locations))
	missing := func(frame int) error {
		s, _ := slices.BinarySearchFunc(p.Stacks, uint32(frame), func(k Stack, frame uint32) int {
			if k.Start+k.Len > frame {
				return 1
			}
			return -1
		})
		return &badRecord{fieldSample, s, fmt.Sprintf("a sample refers to location %d, which is missing", fromRawID(d, p.Frames[frame]))}
	}
	if d.denseLocs {
		for i, raw := range p.Frames {
			if raw-1 >= n {
				return missing(i)
			}
			p.Frames[i] = raw - 1
		}
		return nil
	}
	if err := d.mem.take(bytesOf[uint64](int(n))); err != nil {
		return err
	}
	locIDs := make([]uint64, n)
	for i := range p.Locations {
		locIDs[i] = p.Locations[i].ID
	}
	ids, err := newIDTable(d, locIDs, fieldLocation, "location")
	if err != nil {
		return err
	}
	for i, raw := range p.Frames {
		l, ok := ids.index(raw)
		if !ok {
			return missing(i)
		}
		p.Frames[i] = l
	}
	return nil
}

// idTable finds the index of a record by its raw id.
type idTable struct {
	small []uint32 // by raw id: index plus 1, while ids are not much larger than their number
	large map[uint32]uint32
}

// idMapBytes is what an entry of a map of ids takes.
const idMapBytes = 24

func newIDTable(d *decoder, ids []uint64, field uint64, what string) (idTable, error) {
	var t idTable
	if len(ids) > 0 {
		if m := slices.Max(ids); m <= uint64(4*len(ids)+1024) {
			if err := d.mem.take(bytesOf[uint32](int(m + 1))); err != nil {
				return t, err
			}
			t.small = make([]uint32, m+1)
		} else {
			if err := d.mem.take(int64(len(ids)) * idMapBytes); err != nil {
				return t, err
			}
			t.large = make(map[uint32]uint32, len(ids))
		}
	}
	for i, id := range ids {
		raw := d.rawID(id)
		if _, twice := t.index(raw); twice {
			return t, &badRecord{field, i, fmt.Sprintf("%s id %d is used twice", what, id)}
		}
		if t.small != nil {
			t.small[raw] = uint32(i) + 1
		} else {
			t.large[raw] = uint32(i)
		}
	}
	return t, nil
}

func (t *idTable) index(raw uint32) (uint32, bool) {
	if t.large != nil {
		i, ok := t.large[raw]
		return i, ok
	}
	if raw < uint32(len(t.small)) && t.small[raw] != 0 {
		return t.small[raw] - 1, true
	}
	return 0, false
}
