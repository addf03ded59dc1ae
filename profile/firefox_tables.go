package profile

import "math"

// firefoxTables are the tables of a thread, or those that threads share. A missing
// column is nil. The index -1 means none.
type firefoxTables struct {
	strings             []string
	stackFrame, prefix  []int32
	prefixOffset        []int32 // in place of prefix
	function, frameLine []int32
	location            []int32 // of frames in Gecko profiles: indexes of strings
	name, file, source  []int32 // of functions
	sourceFile          []int32
}

// A firefoxTableReader reads tables, and takes the memory that they need.
type firefoxTableReader struct {
	lim  Limits
	mem  *meter
	held int64 // taken from mem
}

// take takes n bytes for tables.
func (f *firefoxTableReader) take(n int64) error {
	err := f.mem.take(n)
	if err == nil {
		f.held += n
	}
	return err
}

// table reads a table of t; known is false for one that isn't needed, which is
// still to be read.
func (f *firefoxTableReader) table(j *jsonReader, t *firefoxTables, name string) (known bool, err error) {
	columns := map[string]*[]int32{}
	switch name {
	case "stringArray", "stringTable":
		if c, err := j.peek(); err != nil || c != '[' {
			return false, err
		}
		return true, j.array(func(int) error {
			text, err := j.stringOrSkip()
			if err == nil {
				err = f.take(32 + int64(len(text)))
			}
			if len(t.strings) >= f.lim.Strings {
				return &LimitError{"strings", int64(f.lim.Strings)}
			}
			t.strings = append(t.strings, string(text))
			return err
		})
	case "stackTable":
		columns["frame"], columns["prefix"], columns["prefixOffset"] = &t.stackFrame, &t.prefix, &t.prefixOffset
	case "frameTable":
		columns["func"], columns["line"], columns["location"] = &t.function, &t.frameLine, &t.location
	case "funcTable":
		columns["name"], columns["fileName"], columns["source"] = &t.name, &t.file, &t.source
	case "sources":
		columns["filename"] = &t.sourceFile
	default:
		return false, nil
	}
	return true, f.columns(j, columns, j.skip)
}

// geckoRows are the rows of a table that came before its schema.
type geckoRows struct {
	cells []int32 // -1 where there is no index
	ends  []int   // of each row in cells
}

// columns reads columns of a table, in either of its forms. weights reads a column that
// is not of indexes, if it comes.
func (f *firefoxTableReader) columns(j *jsonReader, columns map[string]*[]int32, weights func() error) error {
	var byNumber map[int]*[]int32 // nil before the schema
	var early geckoRows
	add := func(column *[]int32, i int32) error {
		*column = append(*column, i)
		return f.take(8) // including old arrays after growing
	}
	cell := func(column *[]int32) error {
		i, err := j.index()
		if err != nil {
			return err
		}
		return add(column, i)
	}
	err := j.object(func(key []byte) error {
		switch string(key) {
		case "schema":
			byNumber = map[int]*[]int32{}
			return j.object(func(key []byte) error {
				column := columns[string(key)]
				i, err := j.index()
				if column != nil {
					byNumber[int(i)] = column
				}
				return err
			})
		case "data":
			if byNumber == nil {
				return f.early(j, &early)
			}
			return j.array(func(row int) error {
				err := j.array(func(i int) error {
					if column := byNumber[i]; column != nil {
						return cell(column)
					}
					return j.skip()
				})
				for _, column := range byNumber { // a row may be short
					for err == nil && len(*column) <= row {
						err = add(column, -1)
					}
				}
				return err
			})
		case "weight":
			return weights()
		}
		if column := columns[string(key)]; column != nil {
			if c, err := j.peek(); err != nil || c != '[' {
				return j.skip()
			}
			return j.array(func(int) error { return cell(column) })
		}
		return j.skip()
	})
	from := 0
	for _, end := range early.ends {
		row := early.cells[from:end]
		for i, column := range byNumber {
			value := int32(-1)
			if i < len(row) {
				value = row[i]
			}
			if err == nil {
				err = add(column, value)
			}
		}
		from = end
	}
	return err
}

// early reads rows whose columns are not known yet.
func (f *firefoxTableReader) early(j *jsonReader, rows *geckoRows) error {
	return j.array(func(int) error {
		err := j.array(func(int) error {
			value := int32(-1)
			c, err := j.peek()
			switch {
			case err != nil:
			case '0' <= c && c <= '9':
				var v float64
				if v, err = j.number(); v <= math.MaxInt32 {
					value = int32(v)
				}
			default:
				err = j.skip()
			}
			if err == nil {
				err = f.take(8)
			}
			rows.cells = append(rows.cells, value)
			return err
		})
		if err == nil {
			err = f.take(16)
		}
		rows.ends = append(rows.ends, len(rows.cells))
		return err
	})
}

// or returns t with missing columns taken from the shared tables.
func (t *firefoxTables) or(shared *firefoxTables) *firefoxTables {
	out := *t
	if out.strings == nil {
		out.strings = shared.strings
	}
	if out.stackFrame == nil {
		out.stackFrame, out.prefix = shared.stackFrame, shared.prefix
	}
	if out.function == nil && out.location == nil {
		out.function, out.frameLine, out.location = shared.function, shared.frameLine, shared.location
	}
	if out.name == nil {
		out.name, out.file, out.source = shared.name, shared.file, shared.source
	}
	if out.sourceFile == nil {
		out.sourceFile = shared.sourceFile
	}
	return &out
}

// prefixes converts prefix offsets to prefixes, if the stacks have offsets, and checks
// them.
func (f *firefoxTableReader) prefixes(j *jsonReader, t *firefoxTables) error {
	if len(t.prefixOffset) > 0 {
		if err := f.take(4 * int64(len(t.prefixOffset))); err != nil {
			return err
		}
		t.prefix = make([]int32, len(t.prefixOffset))
	}
	for i, offset := range t.prefixOffset {
		t.prefix[i] = -1
		if offset > 0 {
			if t.prefix[i] = int32(i) - offset; t.prefix[i] < 0 {
				return j.errorf("stack %d begins %d stacks before it", i, offset)
			}
		}
	}
	if len(t.stackFrame) != len(t.prefix) {
		return j.errorf("stackTable has %d frames, but %d prefixes", len(t.stackFrame), len(t.prefix))
	}
	for i, prefix := range t.prefix {
		if int(prefix) >= i {
			return j.errorf("stack %d begins with stack %d, which doesn't come before it", i, prefix)
		}
	}
	return nil
}
