package otlp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hone-go/hone/internal/ingest"
)

// Limits for a request. The limit of its bytes isn't enough: a message can have
// two bytes, and a small sample can refer to a long stack.
const (
	maxEntries = 4 << 20  // in a table
	maxSamples = 4 << 20  // of all profiles
	maxFrames  = 64 << 20 // of all samples
	maxLabels  = 16 << 20 // of all samples
)

// A field is one field of an encoded message.
type field struct {
	num  protowire.Number
	typ  protowire.Type
	n    uint64 // its value, unless its type is BytesType
	data []byte // its value if it is BytesType; part of the message
}

// each calls f for every field of a message.
func each(message []byte, f func(field) error) error {
	for len(message) > 0 {
		num, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		fd := field{num: num, typ: typ}
		switch typ {
		case protowire.VarintType:
			fd.n, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			fd.n, n = protowire.ConsumeFixed64(message)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message)
			fd.n = uint64(v)
		case protowire.BytesType:
			fd.data, n = protowire.ConsumeBytes(message)
		default: // groups, which no version has
			n = protowire.ConsumeFieldValue(num, typ, message)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if err := f(fd); err != nil {
			return err
		}
	}
	return nil
}

// ints calls f for every element of a repeated number, packed or not.
func (fd *field) ints(f func(uint64) error) error {
	if fd.typ != protowire.BytesType {
		return f(fd.n)
	}
	for b := fd.data; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// An index is a position in a table of the dictionary. 0 means that there is no entry.
type index = uint32

// toIndex converts an encoded index. Negative and large ones become an index that
// no table has.
func toIndex(v uint64) index { return index(min(v, math.MaxUint32)) }

type (
	valueType struct {
		name, unit index
		cumulative bool
	}
	mapping struct {
		start, limit, offset uint64
		file                 index
		buildID              string
	}
	location struct {
		mapping  index
		address  uint64
		from, to uint32 // range of its lines
	}
	line struct {
		function     index
		line, column int64
	}
	function struct {
		name, system, file index
		start              int64
	}
	link struct{ trace, span []byte }
	// An attribute is a name and its value: text, or a number.
	attribute struct {
		key, text, unit string
		number          int64
		numeric         bool
	}
	stack struct{ from, to uint32 } // its range in dictionary.frames, leaf first
)

// A dictionary has the tables that profiles refer to.
type dictionary struct {
	strings    []string
	mappings   []mapping
	locations  []location
	lines      []line
	functions  []function
	links      []link
	attributes []attribute
	stacks     []stack
	frames     []index // locations

	share *ingest.Share // nil: memory isn't counted
	sent  int64         // size of the request
	taken int64         // bytes taken from share for the decoded request
}

func malformed(format string, args ...any) error {
	return ingest.Errorf(ingest.Malformed, format, args...)
}

// older is the error text for messages that are invalid in this version.
const older = "the sender uses another version of this protocol, which is still in development: hone reads opentelemetry-proto 1.10 and newer"

// text returns an entry of the table of strings.
func (d *dictionary) text(i index) (string, error) {
	if i == 0 && len(d.strings) == 0 {
		return "", nil
	}
	if int(i) >= len(d.strings) {
		return "", fmt.Errorf("string %d, but the table has %d", i, len(d.strings))
	}
	return d.strings[i], nil
}

// full returns an error if a table has no room for another entry.
func (d *dictionary) full(n int, table string) error {
	if n >= maxEntries {
		return ingest.Errorf(ingest.TooLarge, "the dictionary has more than %d %s", maxEntries, table)
	}
	if n%1024 == 0 {
		return d.take(1024 * entryBytes)
	}
	return nil
}

// entryBytes is the memory of an entry in any table, with room to grow.
const entryBytes = 128

// The decoded request may take 32 MiB, and 16 bytes per encoded byte. A table entry can
// have two bytes.
const (
	expandTo  = 32 << 20
	expansion = 16
)

// take takes n bytes from the request's share of memory.
func (d *dictionary) take(n int64) error {
	if d.share == nil {
		return nil
	}
	if d.taken += n; d.taken > expandTo+expansion*d.sent {
		return ingest.Errorf(ingest.TooLarge, "the request needs more than %d bytes of memory, which is the limit for the %d sent", expandTo+expansion*d.sent, d.sent)
	}
	return d.share.Take(n)
}

// read reads the tables. Attributes refer to strings, which may follow them.
func (d *dictionary) read(message []byte) error {
	var attributes, mappings [][]byte
	err := each(message, func(f field) error {
		if f.typ != protowire.BytesType {
			return nil
		}
		switch f.num {
		case 1:
			mappings = append(mappings, f.data)
			return d.full(len(mappings), "mappings")
		case 2:
			return d.readLocation(f.data)
		case 3:
			return d.readFunction(f.data)
		case 4:
			return d.readLink(f.data)
		case 5:
			d.strings = append(d.strings, string(f.data))
			return d.full(len(d.strings), "strings")
		case 6:
			attributes = append(attributes, f.data)
			return d.full(len(attributes), "attributes")
		case 7:
			return d.readStack(f.data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(d.strings) > 0 && d.strings[0] != "" {
		return malformed("the first string of the dictionary must be empty, but is %.40q: %s", d.strings[0], older)
	}
	d.attributes = make([]attribute, len(attributes))
	for i, message := range attributes {
		if err := d.readAttribute(message, &d.attributes[i], true); err != nil {
			return malformed("attribute %d of the dictionary: %w", i, err)
		}
	}
	d.mappings = make([]mapping, len(mappings))
	for i, message := range mappings {
		if err := d.readMapping(message, &d.mappings[i]); err != nil {
			return malformed("mapping %d of the dictionary: %w", i, err)
		}
	}
	return nil
}

func (d *dictionary) readMapping(message []byte, m *mapping) error {
	return each(message, func(f field) error {
		switch f.num {
		case 1:
			m.start = f.n
		case 2:
			m.limit = f.n
		case 3:
			m.offset = f.n
		case 4:
			m.file = toIndex(f.n)
		case 5:
			return f.ints(func(v uint64) error {
				if v >= uint64(len(d.attributes)) {
					return fmt.Errorf("attribute %d, but the table has %d", v, len(d.attributes))
				}
				if a := &d.attributes[v]; strings.HasPrefix(a.key, "process.executable.build_id.") && (m.buildID == "" || a.key == "process.executable.build_id.gnu") {
					m.buildID = a.text
				}
				return nil
			})
		}
		return nil
	})
}

func (d *dictionary) readLocation(message []byte) error {
	l := location{from: uint32(len(d.lines))}
	err := each(message, func(f field) error {
		switch f.num {
		case 1:
			l.mapping = toIndex(f.n)
		case 2:
			l.address = f.n
		case 3:
			var ln line
			err := each(f.data, func(f field) error {
				switch f.num {
				case 1:
					ln.function = toIndex(f.n)
				case 2:
					ln.line = int64(f.n)
				case 3:
					ln.column = int64(f.n)
				}
				return nil
			})
			d.lines = append(d.lines, ln)
			if err != nil {
				return err
			}
			return d.full(len(d.lines), "lines")
		}
		return nil
	})
	l.to = uint32(len(d.lines))
	d.locations = append(d.locations, l)
	if err != nil {
		return err
	}
	return d.full(len(d.locations), "locations")
}

func (d *dictionary) readFunction(message []byte) error {
	var fn function
	err := each(message, func(f field) error {
		switch f.num {
		case 1:
			fn.name = toIndex(f.n)
		case 2:
			fn.system = toIndex(f.n)
		case 3:
			fn.file = toIndex(f.n)
		case 4:
			fn.start = int64(f.n)
		}
		return nil
	})
	d.functions = append(d.functions, fn)
	if err != nil {
		return err
	}
	return d.full(len(d.functions), "functions")
}

func (d *dictionary) readLink(message []byte) error {
	var l link
	err := each(message, func(f field) error {
		switch f.num {
		case 1:
			l.trace = f.data
		case 2:
			l.span = f.data
		}
		return nil
	})
	d.links = append(d.links, l)
	if err != nil {
		return err
	}
	return d.full(len(d.links), "links")
}

func (d *dictionary) readStack(message []byte) error {
	s := stack{from: uint32(len(d.frames))}
	err := each(message, func(f field) error {
		if f.num != 1 {
			return nil
		}
		return f.ints(func(v uint64) error {
			if len(d.frames) >= maxFrames {
				return ingest.Errorf(ingest.TooLarge, "the stacks have more than %d frames", maxFrames)
			}
			d.frames = append(d.frames, toIndex(v))
			if len(d.frames)%1024 == 0 {
				return d.take(1024 * 8)
			}
			return nil
		})
	})
	s.to = uint32(len(d.frames))
	d.stacks = append(d.stacks, s)
	if err != nil {
		return err
	}
	return d.full(len(d.stacks), "stacks")
}

// readAttribute reads a KeyValueAndUnit from the table, or a KeyValue. The key and
// the text of a KeyValue may be in the dictionary too.
func (d *dictionary) readAttribute(message []byte, a *attribute, inTable bool) error {
	return each(message, func(f field) (err error) {
		switch {
		case f.num == 1 && inTable:
			a.key, err = d.text(toIndex(f.n))
		case f.num == 1:
			a.key = string(f.data)
		case f.num == 2:
			err = d.readValue(f.data, a)
		case f.num == 3 && inTable:
			a.unit, err = d.text(toIndex(f.n))
		case f.num == 3 && f.n != 0:
			a.key, err = d.text(toIndex(f.n))
		}
		return err
	})
}

// readValue reads an AnyValue. It drops lists and maps, because no selector
// matches them.
func (d *dictionary) readValue(message []byte, a *attribute) error {
	return each(message, func(f field) (err error) {
		switch f.num {
		case 1:
			a.text = string(f.data)
		case 2:
			a.text = strconv.FormatBool(f.n != 0)
		case 3:
			a.number, a.numeric = int64(f.n), true
		case 4:
			a.text = strconv.FormatFloat(math.Float64frombits(f.n), 'g', -1, 64)
		case 7:
			a.text = fmt.Sprintf("%x", f.data[:min(len(f.data), 64)])
		case 8:
			a.text, err = d.text(toIndex(f.n))
		}
		return err
	})
}

// string returns the value as text.
func (a *attribute) string() string {
	if a.numeric {
		return strconv.FormatInt(a.number, 10)
	}
	return a.text
}
