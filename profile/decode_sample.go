package profile

import (
	"encoding/binary"
	"sort"
)

// sample decodes one Sample message, which begins at offset at of the piece.
func (d *decoder) sample(b []byte, at int) error {
	p := d.p
	if len(p.Stacks) >= d.rows {
		return sampleWithRoom(d, b, at)
	}
	start := len(p.Frames)
	d.vals = d.vals[:0]
	d.labels, d.labelsAt, d.knownSet = d.labels[:0], -1, 0
	for i := 0; i < len(b); {
		switch b[i] {
		case 1<<3 | wireBytes: // packed location ids
			n, k := uvarint(b, i+1)
			if k < 0 || n > uint64(len(b)-k) {
				return d.fail(at+i, "a sample's locations are cut off")
			}
			i = k + int(n)
			if bad := d.frames(b[k:i]); bad >= 0 {
				return d.fail(at+k+bad, "a sample's locations hold a malformed number")
			}
		case 2<<3 | wireBytes: // packed values
			n, k := uvarint(b, i+1)
			if k < 0 || n > uint64(len(b)-k) {
				return d.fail(at+i, "a sample's values are cut off")
			}
			i = k + int(n)
			if most := len(d.vals) + int(n); most > cap(d.vals) { // a value takes at least a byte
				p.Frames = p.Frames[:start]
				return sampleWithValues(d, most, b, at)
			}
			for k < i {
				v, next := uvarint(b[:i], k)
				if next < 0 {
					return d.fail(at+k, "a sample's values hold a malformed number")
				}
				d.vals = append(d.vals, int64(v))
				k = next
			}
		case 2<<3 | wireVarint:
			v, k := uvarint(b, i+1)
			if k < 0 {
				return d.fail(at+i, "%s", varintProblem(k))
			}
			if len(d.vals) == cap(d.vals) {
				p.Frames = p.Frames[:start]
				return sampleWithValues(d, len(d.vals)+1, b, at)
			}
			d.vals = append(d.vals, int64(v))
			i = k
		case 1<<3 | wireVarint:
			v, k := uvarint(b, i+1)
			if k < 0 {
				return d.fail(at+i, "%s", varintProblem(k))
			}
			if len(p.Frames) == cap(p.Frames) {
				if err := d.frame(v); err != nil {
					return err
				}
			} else {
				p.Frames = append(p.Frames, d.rawID(v))
			}
			i = k
		case 3<<3 | wireBytes:
			// Labels are usually the last fields, and equal those of another sample.
			if len(d.labels) == 0 {
				if set, ok := d.recent.find(b[i:]); ok {
					d.knownSet, i = set, len(b)
					continue
				}
				d.labelsAt = i
			}
			n, k := uvarint(b, i+1)
			if k < 0 || n > uint64(len(b)-k) {
				return d.fail(at+i, "a sample's label is cut off")
			}
			i = k + int(n)
			if err := d.label(b[k:i], at+k); err != nil {
				return err
			}
		default:
			f, next, problem := nextField(b, i)
			if problem != "" {
				return d.fail(at+next, "%s", problem)
			}
			if f.num <= 3 {
				if err := oddSampleField(d, f, at, i); err != nil {
					return err
				}
			}
			i = next
		}
	}
	return d.addSample(b, at, start)
}

// addSample adds the sample that was decoded from b, whose frames are those from
// start on.
func (d *decoder) addSample(b []byte, at, start int) error {
	p := d.p
	if len(d.vals) != d.nTypes {
		if d.nTypes >= 0 {
			return d.fail(at, "a sample has %d values, those before have %d", len(d.vals), d.nTypes)
		}
		d.nTypes = len(d.vals)
		if err := makeColumns(d); err != nil {
			return err
		}
	}
	for t, v := range d.vals {
		p.Values[t] = append(p.Values[t], v)
	}
	if len(p.Frames) > d.lim.Frames {
		return &LimitError{"stack frames", int64(d.lim.Frames)}
	}
	p.Stacks = append(p.Stacks, Stack{uint32(start), uint32(len(p.Frames) - start)})
	if d.knownSet != 0 {
		p.SampleLabels = append(p.SampleLabels, d.knownSet)
		return nil
	}
	if len(d.labels) > 0 || p.SampleLabels != nil {
		if err := sampleLabelSet(d); err != nil {
			return err
		}
		if d.labelsAt >= 0 {
			d.recent.add(b[d.labelsAt:], p.SampleLabels[len(p.SampleLabels)-1])
		}
	}
	return nil
}

// makeColumns makes the columns of values.
func makeColumns(d *decoder) (err error) {
	p := d.p
	if d.nTypes > maxSampleTypes {
		return &LimitError{"values of a sample", maxSampleTypes}
	}
	for len(p.Values) < d.nTypes {
		if len(p.Values) < cap(p.Values) {
			p.Values = p.Values[:len(p.Values)+1] // a column kept by reset
			continue
		}
		if p.Values, err = grown(&d.mem, p.Values, 1); err != nil {
			return err
		}
		if err = d.mem.take(bytesOf[int64](d.samples)); err != nil {
			return err
		}
		p.Values = append(p.Values, make([]int64, 0, d.samples))
	}
	return growRows(d)
}

// growRows makes room for another sample in all columns.
func growRows(d *decoder) (err error) {
	p := d.p
	if len(p.Stacks) == cap(p.Stacks) {
		if p.Stacks, err = room(&d.mem, p.Stacks, d.lim.Samples, "samples"); err != nil {
			return err
		}
	}
	d.rows = cap(p.Stacks)
	for t := range p.Values {
		if p.Values[t], err = grown(&d.mem, p.Values[t], 1); err != nil {
			return err
		}
		d.rows = min(d.rows, cap(p.Values[t]))
	}
	if p.SampleLabels != nil {
		if p.SampleLabels, err = grown(&d.mem, p.SampleLabels, 1); err != nil {
			return err
		}
		d.rows = min(d.rows, cap(p.SampleLabels))
	}
	return nil
}

// oddSampleField handles fields of a sample whose key is encoded in more bytes
// than needed, or with the wrong wire type.
func oddSampleField(d *decoder, f field, at, i int) error {
	if f.num == 3 && f.wire == wireBytes {
		return d.label(f.data, at+f.at)
	}
	if f.num == 3 || f.wire != wireVarint && f.wire != wireBytes {
		return d.fail(at+i, "field %d of a sample has the wrong wire type %d", f.num, f.wire)
	}
	add := d.value
	if f.num == 1 {
		add = d.frame
	}
	if f.wire == wireVarint {
		return add(f.v)
	}
	for k := 0; k < len(f.data); {
		v, next := uvarint(f.data, k)
		if next < 0 {
			return d.fail(at+f.at+k, "%s", varintProblem(next))
		}
		if err := add(v); err != nil {
			return err
		}
		k = next
	}
	return nil
}

func (d *decoder) value(v uint64) (err error) {
	if d.vals, err = grown(&d.mem, d.vals, 1); err == nil {
		d.vals = append(d.vals, int64(v))
	}
	return err
}

func (d *decoder) frame(id uint64) (err error) {
	if d.p.Frames, err = grown(&d.mem, d.p.Frames, 1); err == nil {
		d.p.Frames = append(d.p.Frames, d.rawID(id))
	}
	return err
}

// frames appends the packed location IDs in b to Frames. It returns the offset of a
// malformed one, or -1.
func (d *decoder) frames(b []byte) int {
	f := d.p.Frames
	if len(b) > cap(f)-len(f) { // an id takes at least a byte
		n := 0
		for _, c := range b {
			n += int(^c >> 7)
		}
		var err error
		if f, err = grown(&d.mem, f, n+4); err != nil {
			d.over = err
			return -1
		}
	}
	dst := f[len(f):cap(f)]
	w, i := 0, 0
	// Ids of real profiles mostly take two bytes: four of those at a time.
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		if x&0x8080808080808080 != 0x0080008000800080 {
			c := b[i]
			switch {
			case c < 0x80:
				dst[w] = uint32(c)
				i++
			case b[i+1] < 0x80:
				dst[w] = uint32(c&0x7f) | uint32(b[i+1])<<7
				i += 2
			default:
				v, next := uvarintLong(b, i)
				if next < 0 {
					return i
				}
				dst[w] = d.rawID(v)
				i = next
			}
			w++
			continue
		}
		x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
		four := dst[w : w+4]
		four[0], four[1], four[2], four[3] = uint32(x&0xffff), uint32(x>>16&0xffff), uint32(x>>32&0xffff), uint32(x>>48)
		w += 4
		i += 8
	}
	for ; i < len(b); w++ {
		c := b[i]
		if c < 0x80 {
			dst[w] = uint32(c)
			i++
			continue
		}
		if i+1 < len(b) {
			if c1 := b[i+1]; c1 < 0x80 {
				dst[w] = uint32(c&0x7f) | uint32(c1)<<7
				i += 2
				continue
			}
		}
		v, next := uvarintLong(b, i)
		if next < 0 {
			return i
		}
		dst[w] = d.rawID(v)
		i = next
	}
	d.p.Frames = f[:len(f)+w]
	return -1
}

// label decodes one Label message into d.labels.
func (d *decoder) label(b []byte, at int) error {
	if len(d.labels) == cap(d.labels) {
		return labelWithRoom(d, b, at)
	}
	var key, str, unit, num uint64
	for i := 0; i < len(b); {
		n, v, next, err := d.number(b, i, at, 4, "a label")
		if err != nil {
			return err
		}
		switch n {
		case 1:
			key = v
		case 2:
			str = v
		case 3:
			num = v
		case 4:
			unit = v
		}
		i = next
	}
	switch {
	case str != 0:
		d.labels = append(d.labels, Label{Key: strID(key), Str: strID(str)})
	case num != 0 || unit != 0:
		d.labels = append(d.labels, Label{Key: strID(key), Numeric: true, Num: int64(num), Unit: strID(unit), HasUnit: unit != 0})
	}
	return nil
}

// sampleLabelSet stores the labels of the sample that was added last. It sorts them by
// the string IDs of their keys; finish sorts them by the keys.
func sampleLabelSet(d *decoder) error {
	p := d.p
	if d.sets == nil {
		d.sets = &interner{p: &Profile{}}
		d.sets.labelSet(nil)
		if err := d.mem.take(bytesOf[uint32](cap(p.Stacks))); err != nil {
			return err
		}
		p.SampleLabels = make([]uint32, len(p.Stacks)-1, cap(p.Stacks))
	}
	if len(d.labels) > 1 {
		sort.SliceStable(d.labels, func(i, j int) bool {
			a, b := &d.labels[i], &d.labels[j]
			if a.Numeric != b.Numeric {
				return b.Numeric
			}
			return a.Key < b.Key
		})
	}
	known := len(d.sets.p.LabelSets)
	p.SampleLabels = append(p.SampleLabels, d.sets.labelSet(d.labels))
	if len(d.sets.p.LabelSets) > known {
		if err := d.mem.hold(&d.setsHeld, d.sets.bytes()); err != nil {
			return err
		}
	}
	if len(d.sets.p.Labels) > d.lim.Labels {
		return &LimitError{"distinct labels", int64(d.lim.Labels)}
	}
	return nil
}

func labelWithRoom(d *decoder, b []byte, at int) (err error) {
	if d.labels, err = grown(&d.mem, d.labels, 1); err != nil {
		return err
	}
	return d.label(b, at)
}

func sampleWithRoom(d *decoder, b []byte, at int) error {
	if err := growRows(d); err != nil {
		return err
	}
	return d.sample(b, at)
}

// sampleWithValues decodes a sample that has up to n values.
func sampleWithValues(d *decoder, n int, b []byte, at int) (err error) {
	if d.vals, err = grown(&d.mem, d.vals[:0], n); err != nil {
		return err
	}
	return d.sample(b, at)
}
