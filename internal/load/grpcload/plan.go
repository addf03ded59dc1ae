package grpcload

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hone-go/hone/internal/load/template"
)

// A plan is a message on the wire, without the output of templates. What is the same in
// all requests is encoded once; what differs is appended field by field.
type plan []step

// A step appends a field. Either literal is the whole field, or tag comes first and then
// the value or the message.
type step struct {
	literal []byte
	tag     []byte
	value   *scalar
	message plan
}

// A scalar is a field whose value comes from templates.
type scalar struct {
	path    string // in the request
	field   protoreflect.FieldDescriptor
	parts   []part
	numbers map[string]protoreflect.EnumNumber // of an enum
}

func newScalar(path string, f protoreflect.FieldDescriptor, parts []part) *scalar {
	if path == "" {
		path = string(f.FullName()) // the whole message is a wrapper of it
	}
	s := &scalar{path: path, field: f, parts: parts}
	if f.Kind() == protoreflect.EnumKind {
		s.numbers = make(map[string]protoreflect.EnumNumber)
		for i := range f.Enum().Values().Len() {
			v := f.Enum().Values().Get(i)
			s.numbers[string(v.Name())] = v.Number()
		}
	}
	return s
}

// append appends the message. Scratch is overwritten.
func (p plan) append(dst []byte, v *template.Values, scratch *[]byte) ([]byte, error) {
	for _, s := range p {
		dst = append(append(dst, s.literal...), s.tag...)
		var err error
		switch {
		case s.value != nil:
			dst, err = s.value.append(dst, v, scratch)
		case s.tag != nil:
			start := len(dst)
			if dst, err = s.message.append(dst, v, scratch); err == nil {
				dst = insertLength(dst, start)
			}
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// insertLength puts the length of dst[start:] before it.
func insertLength(dst []byte, start int) []byte {
	var room [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(room[:], uint64(len(dst)-start))
	return slices.Insert(dst, start, room[:n]...)
}

// append appends the value as the field's kind is written.
func (s *scalar) append(dst []byte, v *template.Values, scratch *[]byte) ([]byte, error) {
	b := (*scratch)[:0]
	for _, p := range s.parts {
		if p.fill == nil {
			b = append(b, p.literal...)
		} else {
			b = p.fill.Append(b, v)
		}
	}
	*scratch = b
	bad := func() ([]byte, error) {
		return dst, failure("template", "%s: invalid %s %q", s.path, kindName(s.field), b)
	}
	switch kind := s.field.Kind(); kind {
	case protoreflect.StringKind:
		if !utf8.Valid(b) {
			return bad()
		}
		return protowire.AppendBytes(dst, b), nil
	case protoreflect.BytesKind:
		start := len(dst)
		dst, ok := appendBase64(dst, b)
		if !ok {
			return dst[:start], failure("template", "%s: invalid base64 %q", s.path, b)
		}
		return insertLength(dst, start), nil
	case protoreflect.BoolKind:
		switch string(b) {
		case "true":
			return append(dst, 1), nil
		case "false":
			return append(dst, 0), nil
		}
		return bad()
	case protoreflect.EnumKind:
		if e, ok := s.numbers[string(b)]; ok {
			return protowire.AppendVarint(dst, uint64(e)), nil
		}
		n, err := parseInt(b, 32)
		if err != nil {
			return bad()
		}
		return protowire.AppendVarint(dst, uint64(n)), nil
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		bits := 64
		if kind == protoreflect.FloatKind {
			bits = 32
		}
		f, err := parseFloat(b, bits)
		if err != nil {
			return bad()
		}
		if bits == 32 {
			return protowire.AppendFixed32(dst, math.Float32bits(float32(f))), nil
		}
		return protowire.AppendFixed64(dst, math.Float64bits(f)), nil
	default:
		n, err := parseInteger(b, kind)
		if err != nil {
			return bad()
		}
		return appendInteger(dst, n, kind), nil
	}
}

func kindName(f protoreflect.FieldDescriptor) string {
	if f.Kind() == protoreflect.EnumKind {
		return string(f.Enum().FullName())
	}
	return f.Kind().String()
}

// parseInteger returns an integer of a kind, negative ones as their two's complement.
func parseInteger(b []byte, kind protoreflect.Kind) (uint64, error) {
	bits := 64
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		bits = 32
	}
	switch kind {
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		n, err := strconv.ParseUint(string(b), 10, bits)
		if errors.Is(err, strconv.ErrSyntax) {
			f, isWhole := parseWhole(b)
			if isWhole && f >= 0 && f < math.Ldexp(1, bits) {
				return uint64(f), nil
			}
		}
		return n, err
	}
	n, err := parseInt(b, bits)
	return uint64(n), err
}

func parseInt(b []byte, bits int) (int64, error) {
	n, err := strconv.ParseInt(string(b), 10, bits)
	if errors.Is(err, strconv.ErrSyntax) {
		f, isWhole := parseWhole(b)
		if limit := math.Ldexp(1, bits-1); isWhole && f >= -limit && f < limit {
			return int64(f), nil
		}
	}
	return n, err
}

// parseWhole reads integers as JSON may write them, too: 1.0, 1e3.
func parseWhole(b []byte) (f float64, ok bool) {
	if f, err := parseFloat(b, 64); err == nil && f == math.Trunc(f) && !math.IsInf(f, 0) {
		return f, true
	}
	return 0, false
}

// parseFloat reads numbers of JSON; it refuses what only Go accepts.
func parseFloat(b []byte, bits int) (float64, error) {
	switch string(b) {
	case "NaN":
		return math.NaN(), nil
	case "Infinity":
		return math.Inf(1), nil
	case "-Infinity":
		return math.Inf(-1), nil
	}
	for _, c := range b {
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			return 0, strconv.ErrSyntax
		}
	}
	return strconv.ParseFloat(string(b), bits)
}

func appendInteger(dst []byte, n uint64, kind protoreflect.Kind) []byte {
	switch kind {
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protowire.AppendVarint(dst, protowire.EncodeZigZag(int64(n)))
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return protowire.AppendFixed32(dst, uint32(n))
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return protowire.AppendFixed64(dst, n)
	}
	return protowire.AppendVarint(dst, n)
}

// appendBase64 decodes base64 of both alphabets, with padding or without.
func appendBase64(dst, text []byte) ([]byte, bool) {
	e := base64.RawStdEncoding
	if bytes.ContainsAny(text, "-_") {
		e = base64.RawURLEncoding
	}
	out, err := e.AppendDecode(dst, bytes.TrimRight(text, "="))
	return out, err == nil
}

func wireType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return protowire.Fixed32Type
	case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return protowire.Fixed64Type
	}
	return protowire.VarintType
}

// errNoPlan says that the JSON of a message has templates in places that don't correspond
// to fields. Then each request is made as JSON first, and encoded from that.
var errNoPlan = errors.New("no plan")

// A planner makes a plan of JSON that protojson is known to take.
type planner struct {
	source *source
	types  *dynamicpb.Types
}

func (p *planner) marked(v any) bool {
	switch v := v.(type) {
	case string:
		_, literal := p.source.parts(v)
		return !literal
	case []any:
		return slices.ContainsFunc(v, p.marked)
	case map[string]any:
		for name, v := range v {
			if p.marked(name) || p.marked(v) {
				return true
			}
		}
	}
	return false
}

func (p *planner) message(md protoreflect.MessageDescriptor, v any, path string) (plan, error) {
	if md.ParentFile().Package() == "google.protobuf" {
		text, ok := v.(string)
		if !ok || !strings.HasSuffix(string(md.Name()), "Value") || md.Fields().Len() != 1 || md.Name() == "ListValue" {
			return nil, errNoPlan
		}
		return p.one(md.Fields().ByNumber(1), text, path) // a wrapper, whose JSON is its value's
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, errNoPlan
	}
	var out plan
	same := make(map[string]any) // fields without templates
	for _, name := range slices.Sorted(maps.Keys(object)) {
		v := object[name]
		if !p.marked(name) && !p.marked(v) {
			same[name] = v
			continue
		}
		f := md.Fields().ByJSONName(name)
		if f == nil {
			f = md.Fields().ByTextName(name)
		}
		if f == nil {
			return nil, errNoPlan
		}
		steps, err := p.field(f, v, template.Member(path, name))
		if err != nil {
			return nil, err
		}
		out = append(out, steps...)
	}
	if len(same) > 0 {
		b, err := p.encode(md, same)
		if err != nil {
			return nil, err
		}
		out = append(plan{{literal: b}}, out...)
	}
	return out, nil
}

func (p *planner) encode(md protoreflect.MessageDescriptor, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return encodeJSON(md, p.types, text)
}

// encodeJSON makes a message of JSON.
func encodeJSON(md protoreflect.MessageDescriptor, types *dynamicpb.Types, text []byte) ([]byte, error) {
	m := dynamicpb.NewMessage(md)
	if err := (protojson.UnmarshalOptions{Resolver: types}).Unmarshal(text, m); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// field makes the steps of a field whose JSON is v.
func (p *planner) field(f protoreflect.FieldDescriptor, v any, path string) (out plan, err error) {
	switch {
	case f.IsMap():
		entries, ok := v.(map[string]any)
		if !ok {
			return nil, errNoPlan
		}
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			k, err := p.one(f.MapKey(), key, template.Member(path, key))
			if err != nil {
				return nil, err
			}
			v, err := p.one(f.MapValue(), entries[key], template.Member(path, key))
			if err != nil {
				return nil, err
			}
			out = append(out, step{tag: tag(f), message: append(k, v...)})
		}
		return out, nil
	case f.IsList():
		list, ok := v.([]any)
		if !ok {
			return nil, errNoPlan
		}
		for i, v := range list {
			steps, err := p.one(f, v, template.Element(path, i))
			if err != nil {
				return nil, err
			}
			out = append(out, steps...)
		}
		return out, nil
	}
	return p.one(f, v, path)
}

// one makes the steps of one value of a field. What has no templates need not be
// in the fewest steps here: it is beside what has some.
func (p *planner) one(f protoreflect.FieldDescriptor, v any, path string) (plan, error) {
	switch f.Kind() {
	case protoreflect.GroupKind:
		return nil, errNoPlan
	case protoreflect.MessageKind:
		if p.marked(v) {
			m, err := p.message(f.Message(), v, path)
			return plan{{tag: tag(f), message: m}}, err
		}
		b, err := p.encode(f.Message(), v)
		return plan{{literal: protowire.AppendBytes(tag(f), b)}}, err
	}
	var parts []part
	switch v := v.(type) {
	case string:
		parts, _ = p.source.parts(v)
		if f.Kind() == protoreflect.StringKind && len(parts) > 0 && parts[0].bare {
			return nil, errNoPlan // what comes brings its own quotation marks
		}
	case json.Number:
		parts = []part{{literal: v.String()}}
	case bool:
		parts = []part{{literal: strconv.FormatBool(v)}}
	default:
		return nil, errNoPlan
	}
	return plan{{tag: tag(f), value: newScalar(path, f, parts)}}, nil
}

func tag(f protoreflect.FieldDescriptor) []byte {
	return protowire.AppendTag(nil, f.Number(), wireType(f.Kind()))
}
