// The fields of a structure are copied for each error, which is most of what is allocated. Ranging over a
// map is cheap beside that, and so is a conversion.
//
// order: object-per-element map-range sprintf-simple
package order

import "fmt"

type field struct {
	name  string
	value [64]byte
}

type structure struct{ fields map[int]*field }

var kept []*field

func (s *structure) validate() {
	for _, f := range s.fields { // cpu 6 runtime.mapIterNext internal/runtime/maps.(*Iter).Next
		// says: &field{...} escapes to heap
		kept = append(kept, &field{name: f.name}) // cpu 15 runtime.newobject runtime.mallocgc | bytes 44
	}
}

func label(n int) string {
	return fmt.Sprintf("field %d", n) // cpu 3 fmt.Sprintf fmt.(*pp).doPrintf | bytes 3 fmt.Sprintf
}

func collect() { // cpu 20 runtime.gcBgMarkWorker
}
