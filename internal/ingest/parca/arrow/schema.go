package arrow

import (
	"errors"
	"fmt"
)

// A Kind is the way in which a column stores its values.
type Kind uint8

const (
	Int    Kind = iota + 1 // 1, 2, 4 or 8 bytes, signed or not
	Bool                   // bits
	Time                   // like an Int of 8 bytes; see Column.Int
	Fixed                  // a fixed number of bytes
	Text                   // any number of bytes, UTF-8 or not
	View                   // Text that stores its first bytes next to its length
	List                   // lists whose values follow each other
	Ranges                 // lists that may overlap: Arrow's ListView
	Struct                 // a value per field
	Runs                   // repeated values: Arrow's RunEndEncoded
)

// Arrow's numbers of types, metadata versions and messages.
const (
	typeInt, typeBinary, typeUtf8, typeBool, typeTimestamp, typeList, typeStruct = 2, 4, 5, 6, 10, 12, 13
	typeFixedSizeBinary, typeRunEndEncoded, typeBinaryView, typeUtf8View         = 15, 22, 23, 24
	typeListView                                                                 = 25

	version4, version5 = 3, 4

	messageSchema, messageDictionary, messageRecord = 1, 2, 3
)

// Limits for a schema. Fields can share names and children, so a schema of a few
// bytes can have many fields.
const (
	maxFields = 4096
	maxDepth  = 16
	maxPairs  = 64 // in the metadata
)

// A field describes a column of the records that follow.
type field struct {
	name       string
	kind       Kind
	width      int // bytes of a value of an Int, a Fixed or an index
	unsigned   bool
	unit       int64 // of a Time: ns per unit
	children   []*field
	dictionary *field // type of the values, if the column has indexes into a dictionary
	id         int64  // ID of that dictionary
}

// A schema describes the columns that all records of a stream have.
type schema struct {
	fields       []*field
	dictionaries map[int64]*field // types of their values, by ID
	metadata     map[string]string
	count        int // number of fields, with children
}

// readSchema reads
//
//	Schema { endianness: short 0, fields: [Field] 1, custom_metadata: [KeyValue { key: string 0, value: string 1 }] 2 }
func readSchema(f *flat, t table) (*schema, error) {
	if f.short(t, 0) != 0 {
		return nil, errors.New("unsupported byte order: numbers must be little-endian")
	}
	s := &schema{dictionaries: map[int64]*field{}, metadata: map[string]string{}}
	var err error
	if s.fields, err = s.readFields(f, t, 1, maxDepth); err != nil {
		return nil, err
	}
	at, n := f.vector(t, 2, 4)
	for i := range min(n, maxPairs) {
		pair := f.element(at, i)
		s.metadata[f.string(pair, 0)] = f.string(pair, 1)
	}
	return s, f.err
}

func (s *schema) readFields(f *flat, t table, i, depth int) ([]*field, error) {
	at, n := f.vector(t, i, 4)
	if s.count += n; s.count > maxFields {
		return nil, fmt.Errorf("the schema has more than %d fields", maxFields)
	}
	if n > 0 && depth == 0 {
		return nil, fmt.Errorf("fields of the schema are nested more than %d deep", maxDepth)
	}
	fields := make([]*field, n)
	for i := range fields {
		var err error
		if fields[i], err = s.readField(f, f.element(at, i), depth-1); err != nil {
			return nil, err
		}
	}
	return fields, f.err
}

// readField reads
//
//	Field {
//	  name: string 0, nullable: bool 1, type_type: ubyte 2, type: table 3,
//	  dictionary: DictionaryEncoding { id: long 0, indexType: Int 1 } 4, children: [Field] 5
//	}
func (s *schema) readField(f *flat, t table, depth int) (*field, error) {
	fd := &field{name: f.string(t, 0)}
	if err := fd.readType(f, f.byte(t, 2), f.table(t, 3)); err != nil {
		return nil, fmt.Errorf("column %.60q: %w", fd.name, err)
	}
	var err error
	if fd.children, err = s.readFields(f, t, 5, depth); err != nil {
		return nil, err
	}
	if n, want := len(fd.children), map[Kind]int{List: 1, Ranges: 1, Runs: 2}[fd.kind]; n != want && fd.kind != Struct {
		return nil, fmt.Errorf("column %.60q has %d child fields instead of %d", fd.name, n, want)
	}
	encoding := f.table(t, 4)
	if encoding == 0 {
		return fd, f.err
	}
	values := fd
	fd = &field{name: values.name, kind: Int, width: 4, dictionary: values, id: f.long(encoding, 0)}
	if index := f.table(encoding, 1); index != 0 {
		if err := fd.readType(f, typeInt, index); err != nil {
			return nil, fmt.Errorf("column %.60q: %w", fd.name, err)
		}
	}
	if _, ok := s.dictionaries[fd.id]; ok {
		return nil, fmt.Errorf("column %.60q shares the dictionary of another column, which is not supported", fd.name)
	}
	s.dictionaries[fd.id] = values
	return fd, f.err
}

// readType reads a type:
//
//	Int { bitWidth: int 0, is_signed: bool 1 }
//	Timestamp { unit: short 0 }
//	FixedSizeBinary { byteWidth: int 0 }
func (fd *field) readType(f *flat, number int, t table) error {
	switch number {
	case typeInt:
		bits := f.int(t, 0)
		if bits != 8 && bits != 16 && bits != 32 && bits != 64 {
			return fmt.Errorf("unsupported integers of %d bits", bits)
		}
		fd.kind, fd.width, fd.unsigned = Int, bits/8, f.byte(t, 1) == 0
	case typeBool:
		fd.kind = Bool
	case typeTimestamp:
		units := []int64{1e9, 1e6, 1e3, 1}
		unit := f.short(t, 0)
		if unit >= len(units) {
			return fmt.Errorf("unsupported unit %d of times", unit)
		}
		fd.kind, fd.width, fd.unit = Time, 8, units[unit]
	case typeFixedSizeBinary:
		fd.kind, fd.width = Fixed, f.int(t, 0)
		if fd.width <= 0 || fd.width > 1<<16 {
			return fmt.Errorf("unsupported values of %d bytes", fd.width)
		}
	case typeBinary, typeUtf8:
		fd.kind = Text
	case typeBinaryView, typeUtf8View:
		fd.kind = View
	case typeList:
		fd.kind = List
	case typeListView:
		fd.kind = Ranges
	case typeStruct:
		fd.kind = Struct
	case typeRunEndEncoded:
		fd.kind = Runs
	default:
		return fmt.Errorf("unsupported Arrow type %d", number)
	}
	return f.err
}
