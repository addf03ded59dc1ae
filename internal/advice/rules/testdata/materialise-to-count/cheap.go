package cheap

import (
	"bytes"
	"reflect"
	"strings"
)

type list struct {
	items []int
	buf   bytes.Buffer
}

func (l *list) all() []int { return l.items }

func (l *list) self() *list { return l }

func (l *list) Len() int { return len(l.all()) } // alloc

func count(l *list, text []byte) int {
	n := len(l.all())                   // alloc
	n += l.self().Len()                 // alloc
	n += len(l.buf.Bytes())             // hot: bytes.(*Buffer).Bytes
	n += len(string(text))              // alloc
	n += len([]rune(string(text)))      // alloc
	n += len(strings.TrimSpace("text")) // hot: strings.TrimSpace runtime.mallocgc
	parts := strings.Split("a,b", ",")  // hot: strings.Split runtime.makeslice
	return n + len(parts) + len(parts[0])
}

// value is what there is already.
func (l *list) value() reflect.Value { return reflect.ValueOf(l.items) }

func (l *list) size() int { return l.value().Len() } // hot: cheap.(*list).value reflect.Value.Len
