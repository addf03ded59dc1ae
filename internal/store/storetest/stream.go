package storetest

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A Stream makes CPU profiles of one service as they come in: there are some thousand
// stacks, and each profile has some of them, in any order, with few hits each.
type Stream struct {
	service string
	start   int64 // ns since 1970
	rand    *rand.Rand
	stacks  [][]uint32 // locations
	n       int
}

const (
	streamInstances = 4                // they take turns
	streamEvery     = 10 * time.Second // between two profiles of an instance
)

// NewStream returns the stream of a service, whose first profiles begin at start, in ns since
// 1970. Services have no code in common.
func NewStream(service string, start int64) *Stream {
	h := fnv.New64a()
	h.Write([]byte(service))
	s := &Stream{service: service, start: start, rand: rand.New(rand.NewPCG(1, h.Sum64()))}
	for len(s.stacks) < 5000 {
		stack := make([]uint32, 5+s.rand.IntN(40))
		for i := range stack {
			stack[i] = uint32(s.rand.ExpFloat64() * 300)
		}
		if n := len(s.stacks); n > 0 { // the callers of another stack
			o := s.stacks[s.rand.IntN(n)]
			stack = append(stack[:len(stack)/3], o[len(o)/2:]...)
		}
		s.stacks = append(s.stacks, stack)
	}
	return s
}

// Next returns the next record.
func (s *Stream) Next(t testing.TB) store.Record {
	pb := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	m := pb.Mapping(profile.Mapping{Start: 0x400000, Limit: 0x900000, File: "/bin/" + s.service})
	locations := map[uint32]uint32{}
	for range 500 {
		stack := s.stacks[int(s.rand.ExpFloat64()*700)%len(s.stacks)]
		own := make([]uint32, len(stack))
		for i, l := range stack {
			if _, ok := locations[l]; !ok {
				name := "example.com/" + s.service + "/internal/pkg.(*Type).Method" + string(rune('A'+l%26)) + string(rune('a'+l/26%26)) + string(rune('a'+l/676))
				f := pb.Function(name, name, "/src/example.com/"+s.service+"/internal/pkg/file.go", int64(l))
				locations[l] = pb.Location(0x400000+16*uint64(l), m, profile.Line{Function: f, Line: int64(l)})
			}
			own[i] = locations[l]
		}
		hits := int64(1 + s.rand.ExpFloat64())
		pb.Sample(own, nil, hits, hits*1e7)
	}
	instance := s.n % streamInstances
	r := store.Record{
		Labels: labels(t, store.LabelService, s.service, store.LabelKind, "cpu", store.LabelInstance, string(rune('a'+instance))),
		Time:   s.start + int64(s.n/streamInstances)*int64(streamEvery), Duration: int64(streamEvery), Profile: pb.Profile(),
	}
	binary.BigEndian.PutUint64(r.ID[:], uint64(s.n)+1)
	copy(r.ID[8:], s.service)
	s.n++
	return r
}
