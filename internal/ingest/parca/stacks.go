package parca

import (
	"slices"

	"github.com/hone-go/hone/internal/ingest/parca/arrow"
	"github.com/hone-go/hone/profile"
)

// stacks are lists of locations, leaf first, with the columns of the locations.
// Columns that a schema doesn't have are nil.
type stacks struct {
	list                                  *arrow.Column
	address, frameType                    *arrow.Column
	file, buildID                         *arrow.Column // of the mapping
	start, limit, offset                  *arrow.Column // of the mapping
	lines, line, column                   *arrow.Column // innermost function first
	function                              *arrow.Column // in the second schema, the struct with the next four
	name, systemName, filename, startLine *arrow.Column
}

// stacksV1 finds the columns of
//
//	[{address, frame_type, mapping_start, mapping_limit, mapping_offset, mapping_file, mapping_build_id,
//	  lines [{line, column, function_name, function_system_name, function_filename, function_start_line}]}]
func stacksV1(list *arrow.Column) (*stacks, error) {
	s := &stacks{list: list}
	f := finder{in: list.Plain().Elem().Plain()}
	s.readLocation(&f)
	f.into(&s.start, "mapping_start", arrow.Int)
	f.into(&s.limit, "mapping_limit", arrow.Int)
	f.into(&s.offset, "mapping_offset", arrow.Int)
	s.readLine(&f)
	f.into(&s.name, "function_name", arrow.Text, arrow.View)
	f.into(&s.systemName, "function_system_name", arrow.Text, arrow.View)
	f.into(&s.filename, "function_filename", arrow.Text, arrow.View)
	f.into(&s.startLine, "function_start_line", arrow.Int)
	return s, f.err
}

// stacksV2 finds the columns of
//
//	[{address, frame_type, mapping_file, mapping_build_id, lines [{line, column, function {system_name, filename, start_line}}]}]
func stacksV2(list *arrow.Column) (*stacks, error) {
	s := &stacks{list: list}
	f := finder{in: list.Plain().Elem().Plain()}
	s.readLocation(&f)
	s.readLine(&f)
	f.into(&s.function, "function", arrow.Struct)
	f.enter(s.function)
	f.into(&s.systemName, "system_name", arrow.Text, arrow.View)
	f.into(&s.filename, "filename", arrow.Text, arrow.View)
	f.into(&s.startLine, "start_line", arrow.Int)
	return s, f.err
}

// readLocation finds the columns of a location that both schemas have.
func (s *stacks) readLocation(f *finder) {
	f.into(&s.address, "address", arrow.Int)
	f.into(&s.frameType, "frame_type", arrow.Text, arrow.View)
	f.into(&s.file, "mapping_file", arrow.Text, arrow.View)
	f.into(&s.buildID, "mapping_build_id", arrow.Text, arrow.View)
}

// readLine enters the lines and finds the columns that both schemas have.
func (s *stacks) readLine(f *finder) {
	f.into(&s.lines, "lines", arrow.List, arrow.Ranges)
	if f.err == nil {
		f.enter(s.lines.Plain().Elem())
	}
	f.into(&s.line, "line", arrow.Int)
	f.into(&s.column, "column", arrow.Int)
}

// A finder finds fields of a struct. It stops at the first missing one.
type finder struct {
	in  *arrow.Column
	err error
}

func (f *finder) into(col **arrow.Column, name string, kinds ...arrow.Kind) {
	if f.err == nil {
		*col, f.err = requireColumn(f.in.Field, name, kinds...)
	}
}

// enter continues in another struct.
func (f *finder) enter(col *arrow.Column) {
	if f.err == nil {
		f.in = col.Plain()
	}
}

// A filling is a batch whose samples are being added to their profiles.
type filling struct {
	*budget
	*stacks

	// The Builders' IDs of locations and stacks.
	places map[placeKey]uint32
	known  map[stackKey][]uint32
}

type (
	placeKey struct {
		group *group
		at    int
	}
	stackKey struct {
		group    *group
		from, to int
	}
)

// stack returns list i as location IDs of a group's Builder.
func (f *filling) stack(g *group, i int) ([]uint32, error) {
	from, to := f.list.Range(i)
	key := stackKey{g, from, to}
	if s, ok := f.known[key]; ok {
		return s, nil
	}
	if err := f.spend(150 + 4*(to-from)); err != nil {
		return nil, err
	}
	out := make([]uint32, 0, to-from)
	elem := f.list.Plain().Elem()
	for k := from; k < to; k++ {
		at, ok := elem.Value(k)
		if !ok {
			continue
		}
		loc, err := f.place(g, at)
		if err != nil {
			return nil, err
		}
		out = append(out, loc)
	}
	f.known[key] = out
	return out, nil
}

// place returns the ID of the location at a position in a group's Builder.
func (f *filling) place(g *group, at int) (uint32, error) {
	key := placeKey{g, at}
	if l, ok := f.places[key]; ok {
		return l, nil
	}
	file, buildID := f.file.Bytes(at), f.buildID.Bytes(at)
	if err := f.spend(200 + len(file) + len(buildID)); err != nil {
		return 0, err
	}
	b := g.builder
	var lines []profile.Line
	from, to := f.lines.Range(at)
	for k := from; k < to; k++ {
		ln, ok, err := f.readFrame(b, k)
		if err != nil {
			return 0, err
		}
		if ok {
			lines = append(lines, ln)
		}
	}
	address := f.address.Bits(at)
	switch string(f.frameType.Bytes(at)) {
	case "", "native", "kernel", "cuda-pc":
	default:
		address = 0 // for interpreters, it is the line or a position in bytecode
	}
	mapping := uint32(0)
	if len(file) > 0 {
		m := profile.Mapping{File: string(file), BuildID: string(buildID)}
		m.HasFunctions, m.HasFilenames, m.HasLineNumbers = len(lines) > 0, len(lines) > 0, len(lines) > 0
		if f.start != nil {
			m.Start, m.Limit, m.Offset = f.start.Bits(at), f.limit.Bits(at), f.offset.Bits(at)
		}
		mapping = b.Mapping(m)
	}
	l := b.Location(address, mapping, lines...)
	f.places[key] = l
	return l, nil
}

// readFrame returns line k; ok is false if it has no function.
func (f *filling) readFrame(b *profile.Builder, k int) (ln profile.Line, ok bool, err error) {
	k, ok = f.lines.Plain().Elem().Value(k)
	if !ok {
		return ln, false, nil
	}
	ln.Line, ln.Column = f.line.Int(k), f.column.Int(k)
	at := k
	if f.function != nil {
		if at, ok = f.function.Value(k); !ok {
			return ln, false, nil
		}
	}
	system, file := f.systemName.Bytes(at), f.filename.Bytes(at)
	name := system
	if f.name != nil {
		if n := f.name.Bytes(at); len(n) > 0 {
			name = n
		}
	}
	if len(name) == 0 {
		return ln, false, nil
	}
	if err := f.spend(200 + len(name) + len(system) + len(file)); err != nil {
		return ln, false, err
	}
	if len(system) == 0 {
		system = name
	}
	ln.Function = b.Function(string(name), string(system), string(file), f.startLine.Int(at))
	return ln, true, nil
}

// requireColumn returns the named column. It fails if the column is missing, or if its
// values have none of the kinds.
func requireColumn(column func(string) *arrow.Column, name string, kinds ...arrow.Kind) (*arrow.Column, error) {
	col := column(name)
	if col == nil {
		return nil, malformed("the record has no column %s", name)
	}
	if !slices.Contains(kinds, col.Plain().Kind) {
		return nil, malformed("column %s of the record has values of an unexpected type", name)
	}
	return col, nil
}
