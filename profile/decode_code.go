package profile

import "math"

// number reads the field at b[i:] of a message that stands at b's piece[at:] and
// is, in what, a message of numbers: of its fields, those up to most are.
func (d *decoder) number(b []byte, i, at int, most uint64, what string) (num, v uint64, next int, err error) {
	f, next, problem := nextField(b, i)
	if problem != "" {
		return 0, 0, 0, d.fail(at+next, "%s", problem)
	}
	if f.num <= most && f.wire != wireVarint {
		return 0, 0, 0, d.fail(at+i, "field %d of %s has the wrong wire type %d", f.num, what, f.wire)
	}
	return f.num, f.v, next, nil
}

// location decodes one Location message. Like line and function, of which there
// are as many, it reads numeric fields itself where they are encoded as usual.
func (d *decoder) location(b []byte, at int) error {
	p := d.p
	if len(p.Locations) == cap(p.Locations) {
		return locationWithRoom(d, b, at)
	}
	l := Location{FirstLine: uint32(len(p.Lines))}
	for i := 0; i < len(b); {
		var num, v uint64
		next := -1
		switch c := b[i]; {
		case c == 4<<3|wireBytes:
			n, k := uvarint(b, i+1)
			if k < 0 || n > uint64(len(b)-k) {
				return d.fail(at+i, "a location's line is cut off")
			}
			i = k + int(n)
			if err := d.line(b[k:i], at+k); err != nil {
				return err
			}
			l.NumLines++
			continue
		case c&(0x80|7) == wireVarint && c != 0:
			num = uint64(c >> 3)
			if v, next = shortUvarint(b, i+1); next == 0 {
				v, next = uvarint(b, i+1)
			}
		}
		if next < 0 {
			f, k, problem := nextField(b, i)
			if problem != "" {
				return d.fail(at+k, "%s", problem)
			}
			if f.num == 4 && f.wire == wireBytes {
				if err := d.line(f.data, at+f.at); err != nil {
					return err
				}
				l.NumLines++
			} else if f.num <= 5 && f.wire != wireVarint {
				return d.fail(at+i, "field %d of a location has the wrong wire type %d", f.num, f.wire)
			}
			num, v, next = f.num, f.v, k
		} else if num == 4 {
			return d.fail(at+i, "field 4 of a location has the wrong wire type %d", wireVarint)
		}
		switch num {
		case 1:
			l.ID = v
		case 2:
			l.Mapping = d.rawID(v)
		case 3:
			l.Address = v
		case 5:
			l.Folded = v != 0
		}
		i = next
	}
	if l.ID == 0 {
		return d.fail(at, "a location has the reserved id 0")
	}
	d.denseLocs = d.denseLocs && l.ID == uint64(len(p.Locations))+1
	p.Locations = append(p.Locations, l)
	return nil
}

// line decodes one Line message.
func (d *decoder) line(b []byte, at int) error {
	p := d.p
	if len(p.Lines) == cap(p.Lines) {
		return lineWithRoom(d, b, at)
	}
	var fn uint64
	var ln Line
	for i := 0; i < len(b); {
		var num, v uint64
		next := -1
		if c := b[i]; c&(0x80|7) == wireVarint && c != 0 {
			num = uint64(c >> 3)
			if v, next = shortUvarint(b, i+1); next == 0 {
				v, next = uvarint(b, i+1)
			}
		}
		if next < 0 {
			var err error
			if num, v, next, err = d.number(b, i, at, 3, "a line"); err != nil {
				return err
			}
		}
		switch num {
		case 1:
			fn = v
		case 2:
			ln.Line = int64(v)
		case 3:
			ln.Column = int64(v)
		}
		i = next
	}
	if fn == 0 {
		return d.fail(at, "a location has a line without a function")
	}
	ln.Function = d.rawID(fn)
	p.Lines = append(p.Lines, ln)
	return nil
}

// function decodes one Function message.
func (d *decoder) function(b []byte, at int) error {
	p := d.p
	if len(p.Functions) == cap(p.Functions) {
		return functionWithRoom(d, b, at)
	}
	var id uint64
	var fn Function
	for i := 0; i < len(b); {
		var num, v uint64
		next := -1
		if c := b[i]; c&(0x80|7) == wireVarint && c != 0 {
			num = uint64(c >> 3)
			if v, next = shortUvarint(b, i+1); next == 0 {
				v, next = uvarint(b, i+1)
			}
		}
		if next < 0 {
			var err error
			if num, v, next, err = d.number(b, i, at, 5, "a function"); err != nil {
				return err
			}
		}
		switch num {
		case 1:
			id = v
		case 2:
			fn.Name = strID(v)
		case 3:
			fn.SystemName = strID(v)
		case 4:
			fn.File = strID(v)
		case 5:
			fn.StartLine = int64(v)
		}
		i = next
	}
	if id == 0 {
		return d.fail(at, "a function has the reserved id 0")
	}
	if d.denseFuncs && id != uint64(len(p.Functions))+1 {
		d.denseFuncs = false
		var err error
		if d.funcIDs, err = grown(&d.mem, d.funcIDs, len(p.Functions)); err != nil {
			return err
		}
		for i := range p.Functions {
			d.funcIDs = append(d.funcIDs, uint64(i)+1)
		}
	}
	if !d.denseFuncs {
		var err error
		if d.funcIDs, err = grown(&d.mem, d.funcIDs, 1); err != nil {
			return err
		}
		d.funcIDs = append(d.funcIDs, id)
	}
	p.Functions = append(p.Functions, fn)
	return nil
}

// mapping decodes one Mapping message.
func (d *decoder) mapping(b []byte, at int) error {
	var m Mapping
	var ids [2]uint64
	for i := 0; i < len(b); {
		num, v, next, err := d.number(b, i, at, 10, "a mapping")
		if err != nil {
			return err
		}
		switch num {
		case 1:
			m.ID = v
		case 2:
			m.Start = v
		case 3:
			m.Limit = v
		case 4:
			m.Offset = v
		case 5, 6:
			ids[num-5] = v
		case 7:
			m.HasFunctions = v != 0
		case 8:
			m.HasFilenames = v != 0
		case 9:
			m.HasLineNumbers = v != 0
		case 10:
			m.HasInlineFrames = v != 0
		}
		i = next
	}
	if m.ID == 0 {
		return d.fail(at, "a mapping has the reserved id 0")
	}
	var err error
	if d.p.Mappings, err = room(&d.mem, d.p.Mappings, d.lim.Locations, "mappings"); err != nil {
		return err
	}
	if d.mappings, err = grown(&d.mem, d.mappings, 1); err != nil {
		return err
	}
	d.p.Mappings = append(d.p.Mappings, m)
	d.mappings = append(d.mappings, ids)
	return nil
}

// The functions below make room for an element, and then call a method above again. With that code,
// the method itself would be slower for all records.

func locationWithRoom(d *decoder, b []byte, at int) (err error) {
	if d.p.Locations, err = room(&d.mem, d.p.Locations, d.lim.Locations, "locations"); err != nil {
		return err
	}
	return d.location(b, at)
}

func lineWithRoom(d *decoder, b []byte, at int) (err error) {
	if d.p.Lines, err = room(&d.mem, d.p.Lines, d.lim.Lines, "source lines"); err != nil {
		return err
	}
	return d.line(b, at)
}

func functionWithRoom(d *decoder, b []byte, at int) (err error) {
	if d.p.Functions, err = room(&d.mem, d.p.Functions, d.lim.Functions, "functions"); err != nil {
		return err
	}
	return d.function(b, at)
}

// strID narrows a string ID. An ID that doesn't fit becomes one that finish refuses.
func strID(v uint64) StringID { return uint32(min(v, math.MaxUint32)) }
