package server

import (
	"encoding/json"
	"math/bits"
	"reflect"
	"strings"
	"sync"
)

// encoding/json has all of a value's text in memory before any of it is written, and
// a value may name a long text a million times. So what a text will take is reckoned
// from the value, up to a limit.

// jsonSize returns about how many bytes a value's JSON has, or more than most if there
// are more.
func jsonSize(v any, most int64) int64 {
	s := sizing{left: most}
	s.add(reflect.ValueOf(v))
	return most - s.left
}

type sizing struct{ left int64 } // below 0 if there is too much

var marshaler = reflect.TypeFor[json.Marshaler]()

func (s *sizing) add(v reflect.Value) {
	if s.left < 0 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		s.left -= int64(v.Len()) + 2
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.left -= digits(uint64(max(v.Int(), -v.Int())))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.left -= digits(v.Uint())
	case reflect.Float32, reflect.Float64:
		s.left -= 8
	case reflect.Slice, reflect.Array:
		s.left -= 2
		switch v.Type().Elem().Kind() {
		case reflect.Uint8: // base64, or text that is JSON already
			s.left -= int64(v.Len())
			return
		}
		for i := 0; i < v.Len() && s.left >= 0; i++ {
			s.left--
			s.add(v.Index(i))
		}
	case reflect.Map:
		s.left -= 2
		for it := v.MapRange(); it.Next() && s.left >= 0; {
			s.left -= 2
			s.add(it.Key())
			s.add(it.Value())
		}
	case reflect.Struct:
		if v.Type().Implements(marshaler) {
			s.left -= 20
			return
		}
		s.left -= 2
		for _, f := range fieldsOf(v.Type()) {
			if value := v.Field(f.index); !f.omit || !value.IsZero() {
				s.left -= f.name
				s.add(value)
			}
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			s.left -= 4
			return
		}
		s.add(v.Elem())
	default:
		s.left -= 5
	}
}

// digits returns how many decimal digits a number has, or one more.
func digits(n uint64) int64 { return int64(bits.Len64(n))*3/10 + 2 }

// jsonField is a field of a struct that is encoded.
type jsonField struct {
	index int
	name  int64 // bytes of its name, with what is around it
	omit  bool  // if it is empty
}

var jsonFields sync.Map // of []jsonField by reflect.Type

func fieldsOf(t reflect.Type) []jsonField {
	if known, ok := jsonFields.Load(t); ok {
		return known.([]jsonField)
	}
	var out []jsonField
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out = append(out, jsonField{i, int64(len(name)) + 4, strings.Contains(options, "omit")})
	}
	jsonFields.Store(t, out)
	return out
}
