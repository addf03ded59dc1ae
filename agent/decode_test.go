package agent

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/hone-go/hone/agent/internal/encoded"
)

// Decoded is a profile as tests look at it. Module agent/test has other readers of
// profiles, which would be requirements of this one.
type Decoded struct {
	SampleTypes       []string // cpu/nanoseconds
	PeriodType        string
	Period            int64
	DefaultSampleType string
	TimeNanos         int64
	DurationNanos     int64
	Functions         []string
	Samples           []DecodedSample
}

// A DecodedSample is a stack with its values and labels.
type DecodedSample struct {
	Values    []int64
	Functions []string // leaf first, inlined ones too
	Labels    map[string][]string
}

// Decode reads a gzipped profile and checks that all that is referred to is there.
func Decode(gz []byte) (p *Decoded, err error) {
	defer func() { // of an index out of range
		if r := recover(); r != nil {
			err = fmt.Errorf("not valid: %v", r)
		}
	}()
	z, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	var strings []string
	functions, mappings := map[uint64]string{}, map[uint64]bool{0: true}
	each := func(message []byte, f func(number int, v uint64, m []byte)) {
		if e := encoded.EachField(message, func(number int, v uint64, m []byte) error {
			f(number, v, m)
			return nil
		}); e != nil {
			panic(e)
		}
	}
	numbers := func(v uint64, m []byte) (all []uint64) {
		if e := encoded.EachNumber(v, m, func(v uint64) { all = append(all, v) }); e != nil {
			panic(e)
		}
		return all
	}
	fields := func(message []byte) map[int]uint64 {
		all := map[int]uint64{}
		each(message, func(number int, v uint64, _ []byte) { all[number] = v })
		return all
	}
	each(raw, func(number int, _ uint64, m []byte) {
		if number == encoded.FieldString {
			strings = append(strings, string(m))
		}
	})
	valueType := func(m []byte) string { f := fields(m); return strings[f[1]] + "/" + strings[f[2]] }
	each(raw, func(number int, _ uint64, m []byte) {
		switch f := fields; number {
		case encoded.FieldFunction:
			functions[f(m)[encoded.EntryID]] = strings[f(m)[2]]
		case encoded.FieldMapping:
			mappings[f(m)[encoded.EntryID]] = true
		}
	})
	locations := map[uint64][]string{}
	each(raw, func(number int, _ uint64, m []byte) {
		if number != encoded.FieldLocation {
			return
		}
		var lines []string
		each(m, func(number int, v uint64, m []byte) {
			if number == encoded.LocationLine {
				name, ok := functions[fields(m)[encoded.LineFunction]]
				if !ok {
					panic("a line without its function")
				}
				lines = append(lines, name)
			}
		})
		f := fields(m)
		if !mappings[f[encoded.LocationMapping]] || f[encoded.EntryID] == 0 {
			panic("a location without its mapping, or a number")
		}
		locations[f[encoded.EntryID]] = lines
	})
	p = &Decoded{}
	for _, name := range functions {
		p.Functions = append(p.Functions, name)
	}
	each(raw, func(number int, v uint64, m []byte) {
		switch number {
		case encoded.FieldSampleType:
			p.SampleTypes = append(p.SampleTypes, valueType(m))
		case encoded.FieldPeriodType:
			p.PeriodType = valueType(m)
		case encoded.FieldPeriod:
			p.Period = int64(v)
		case encoded.FieldDefaultType:
			p.DefaultSampleType = strings[v]
		case encoded.FieldTime:
			p.TimeNanos = int64(v)
		case encoded.FieldDuration:
			p.DurationNanos = int64(v)
		case encoded.FieldSample:
			s := DecodedSample{Labels: map[string][]string{}}
			each(m, func(number int, v uint64, m []byte) {
				switch number {
				case encoded.SampleLocation:
					for _, id := range numbers(v, m) {
						lines, ok := locations[id]
						if !ok {
							panic("a sample without its location")
						}
						s.Functions = append(s.Functions, lines...)
					}
				case encoded.SampleValue:
					for _, v := range numbers(v, m) {
						s.Values = append(s.Values, int64(v))
					}
				case encoded.SampleLabel:
					if f := fields(m); f[2] != 0 {
						key := strings[f[1]]
						s.Labels[key] = append(s.Labels[key], strings[f[2]])
					}
				}
			})
			p.Samples = append(p.Samples, s)
		}
	})
	for _, s := range p.Samples {
		if len(s.Values) != len(p.SampleTypes) {
			panic("a sample with too few or many values")
		}
	}
	if len(strings) == 0 || strings[0] != "" {
		panic("the first string is not empty")
	}
	return p, nil
}

func mustDecode(t *testing.T, gz []byte) *Decoded {
	t.Helper()
	p, err := Decode(gz)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Group is a sync.WaitGroup with the method Go, which is of Go 1.25.
type Group struct{ sync.WaitGroup }

// Go calls f in a goroutine that the group waits for.
func (g *Group) Go(f func()) {
	g.Add(1)
	go func() {
		defer g.Done()
		f()
	}()
}
