package profile

// feed decodes the complete fields at the start of b and returns their length n. The
// caller feeds the remaining bytes again, followed by more input. If n is more than
// len(b), the caller skips that many bytes: they are the rest of an unused field.
func (d *decoder) feed(b []byte) (n int, err error) {
	i := 0
	for i < len(b) {
		key, k := shortUvarint(b, i)
		if k == 0 {
			key, k = uvarint(b, i)
		}
		if k < 0 {
			if k == -1 {
				return i, nil
			}
			return i, d.fail(i, "%s", varintProblem(k))
		}
		at := k
		v, k := shortUvarint(b, at)
		if k == 0 {
			v, k = uvarint(b, at)
		}
		if k < 0 && key&7 != wireFixed32 && key&7 != wireFixed64 {
			if k == -1 {
				return i, nil
			}
			return i, d.fail(i, "%s", varintProblem(k))
		}
		if key&7 == wireBytes {
			if v > uint64(len(b)-k) {
				if v > uint64(d.most) {
					return i, d.fail(i, "field %d claims %d bytes, the limit is %d", key>>3, v, d.most)
				}
				switch num := key >> 3; {
				case num > fieldDocURL || num == 0:
					d.unended = d.off + int64(at)
					return k + int(v), nil
				case num > fieldString && num != fieldPeriodType && num != fieldComment:
					return i, d.wrongType(i, num, wireBytes)
				}
				return i, nil
			}
			end := k + int(v)
			switch key >> 3 {
			case fieldSample:
				err = d.sample(b[k:end], k)
			case fieldLocation:
				err = d.location(b[k:end], k)
			case fieldFunction:
				err = d.function(b[k:end], k)
			case fieldString:
				err = d.str(b[k:end], k)
			default:
				err = otherField(d, b, i, end)
			}
			if err != nil {
				return i, err
			}
			i = end
			continue
		}
		f, next, problem := nextField(b, i)
		if problem != "" {
			if (f.wire == wireFixed32 || f.wire == wireFixed64) && len(b)-i < 19 {
				return i, nil // may be complete with more bytes
			}
			return i, d.fail(next, "%s", problem)
		}
		if err := scalarField(d, f, i); err != nil {
			return i, err
		}
		i = next
	}
	return i, d.over
}

// reserveFor makes room for the content of b, a complete profile, so that the columns
// don't have to grow.
func reserveFor(d *decoder, b []byte) error {
	var count [fieldString + 1]int
	frames, lines := 0, 0
	for i := 0; i < len(b); {
		f, next, problem := nextField(b, i)
		if problem != "" {
			break
		}
		if f.num < uint64(len(count)) {
			count[f.num]++
		}
		switch {
		case f.num == fieldSample && len(f.data) > 2 && f.data[0] == 1<<3|wireBytes:
			if n, k := uvarint(f.data, 1); k > 0 && n <= uint64(len(f.data)-k) {
				for _, c := range f.data[k : k+int(n)] {
					frames += int(^c >> 7) // the last byte of an id
				}
			}
		case f.num == fieldLocation:
			lines++
		}
		i = next
	}
	p := d.p
	if count[fieldSample] > d.lim.Samples || frames > d.lim.Frames || count[fieldLocation] > d.lim.Locations ||
		count[fieldFunction] > d.lim.Functions || count[fieldString] > d.lim.Strings {
		return nil // decoding returns the error
	}
	if err := d.mem.take(bytesOf[Stack](count[fieldSample]) + bytesOf[uint32](frames+8) + bytesOf[Location](count[fieldLocation]) +
		bytesOf[Line](lines+lines/8) + bytesOf[Function](count[fieldFunction]) + bytesOf[string](count[fieldString])); err != nil {
		return err
	}
	p.Stacks = make([]Stack, 0, count[fieldSample])
	p.Frames = make([]uint32, 0, frames+8)
	p.Locations = make([]Location, 0, count[fieldLocation])
	p.Lines = make([]Line, 0, lines+lines/8)
	p.Functions = make([]Function, 0, count[fieldFunction])
	p.Strings = make([]string, 0, count[fieldString])
	d.samples = count[fieldSample]
	return nil
}

// otherField decodes a length-delimited field b[i:end] of Profile that is not one of the frequent ones.
func otherField(d *decoder, b []byte, i, end int) error {
	f, _, problem := nextField(b[:end], i)
	if problem != "" {
		return d.fail(i, "%s", problem)
	}
	switch f.num {
	case fieldSampleType, fieldPeriodType:
		var ids [2]uint64
		for k := 0; k < len(f.data); {
			g, next, problem := nextField(f.data, k)
			if problem != "" {
				return d.fail(f.at+next, "%s", problem)
			}
			if g.num <= 2 {
				if g.wire != wireVarint {
					return d.fail(f.at+k, "field %d of a value type has the wrong wire type %d", g.num, g.wire)
				}
				ids[g.num-1] = g.v
			}
			k = next
		}
		if f.num == fieldPeriodType {
			d.periodType = ids
		} else {
			var err error
			if d.sampleTypes, err = room(&d.mem, d.sampleTypes, maxSampleTypes, "sample types"); err != nil {
				return err
			}
			d.sampleTypes = append(d.sampleTypes, ids)
		}
	case fieldMapping:
		return d.mapping(f.data, f.at)
	case fieldComment: // packed
		for k := 0; k < len(f.data); {
			v, next := uvarint(f.data, k)
			if next < 0 {
				return d.fail(f.at+k, "%s", varintProblem(next))
			}
			if err := addComment(d, v); err != nil {
				return err
			}
			k = next
		}
	default:
		if f.num <= fieldDocURL {
			return d.wrongType(i, f.num, f.wire)
		}
	}
	return nil
}

func addComment(d *decoder, id uint64) (err error) {
	if d.comments, err = room(&d.mem, d.comments, d.lim.Strings, "comments"); err == nil {
		d.comments = append(d.comments, id)
	}
	return err
}

// scalarField handles a field of Profile that is a number.
func scalarField(d *decoder, f field, at int) error {
	p := d.p
	if f.num > fieldDocURL {
		return nil
	}
	if f.wire != wireVarint || f.num <= fieldString || f.num == fieldPeriodType {
		return d.wrongType(at, f.num, f.wire)
	}
	switch f.num {
	case fieldDropFrames:
		d.header[0] = f.v
	case fieldKeepFrames:
		d.header[1] = f.v
	case fieldTimeNanos:
		if p.TimeNanos != 0 {
			return d.fail(at, "the file has several profiles, one after another")
		}
		p.TimeNanos = int64(f.v)
	case fieldDurationNanos:
		p.DurationNanos = int64(f.v)
	case fieldPeriod:
		p.Period = int64(f.v)
	case fieldComment:
		return addComment(d, f.v)
	case fieldDefaultSampleType:
		d.header[2] = f.v
	case fieldDocURL:
		d.header[3] = f.v
	}
	return nil
}
