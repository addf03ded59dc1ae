package profile

import "io"

// decodeSpeedscope decodes a file of speedscope,
// https://www.speedscope.app/file-format-schema.json:
//
//	{"shared": {"frames": [{"name", "file"?, "line"?}…]},
//	 "profiles": [
//	   {"type": "sampled", "name", "unit", "samples": [[frame…]…], "weights": [n…]} |
//	   {"type": "evented", "name", "unit", "events": [{"type": "O"|"C", "at", "frame"}…]}…]}
//
// Stacks of samples are root first. The keys of an object may come in any order, so the
// file is read twice. If hone exported the file, its profiles become sample types again.
// Otherwise a profile is a thread or the like, and its name becomes the label "profile".
func decodeSpeedscope(open func() (io.Reader, error), lim Limits, m *meter) (*Profile, error) {
	s := speedscope{lim: lim, mem: m}
	first, err := s.read(open, s.about)
	if err != nil {
		return nil, err
	}
	if len(s.profiles) == 0 {
		return nil, first.errorf("it has no profiles")
	}
	var types typeSet
	for i := range s.profiles {
		p := &s.profiles[i]
		t := foreignType(p.unit)
		if s.exporter == "hone" {
			t = honeType(p.name, t.Unit)
		}
		p.column = types.of(t)
	}
	s.m = newImported(types, lim, m)
	if _, err := s.read(open, s.samples); err != nil {
		return nil, err
	}
	m.give(s.held)
	return s.m.profile()
}

type speedscope struct {
	lim      Limits
	mem      *meter
	held     int64 // memory of frames, taken from mem
	exporter string
	profiles []speedscopeProfile
	names    []speedscopeFrame
	m        *imported
	at       []uint32 // locations of frames, plus 1
	number   int      // number of the current profile
}

type speedscopeFrame struct {
	name, file string
	line       int64
}

type speedscopeProfile struct {
	name, unit string
	column     int
}

func (s *speedscope) read(open func() (io.Reader, error), value func(*jsonReader, []byte) error) (*jsonReader, error) {
	in, err := open()
	if err != nil {
		return nil, err
	}
	j := newJSONReader(in, "speedscope file", s.lim)
	return j, j.object(func(key []byte) error { return value(j, key) })
}

// about reads everything except samples.
func (s *speedscope) about(j *jsonReader, key []byte) error {
	switch string(key) {
	case "exporter":
		text, err := j.stringOrSkip()
		s.exporter = string(text)
		return err
	case "shared":
		return j.object(func(key []byte) error {
			if string(key) != "frames" {
				return j.skip()
			}
			return j.array(func(int) error { return s.frame(j) })
		})
	case "profiles":
		return j.array(func(int) error {
			if len(s.profiles) == 10_000 {
				return &LimitError{"profiles in a file", 10_000}
			}
			var p speedscopeProfile
			err := j.object(func(key []byte) error {
				field := (*string)(nil)
				switch string(key) {
				case "name":
					field = &p.name
				case "unit":
					field = &p.unit
				default:
					return j.skip()
				}
				text, err := j.stringOrSkip()
				*field = string(text)
				return err
			})
			s.profiles = append(s.profiles, p)
			return err
		})
	}
	return j.skip()
}

func (s *speedscope) frame(j *jsonReader) error {
	var f speedscopeFrame
	err := j.object(func(key []byte) error {
		switch string(key) {
		case "name", "file":
			field := &f.name
			if string(key) == "file" {
				field = &f.file
			}
			text, err := j.stringOrSkip()
			*field = string(text)
			return err
		case "line":
			line, err := j.index()
			f.line = max(0, int64(line))
			return err
		}
		return j.skip()
	})
	if err != nil {
		return err
	}
	if len(s.names) >= s.lim.Functions {
		return &LimitError{"functions", int64(s.lim.Functions)}
	}
	size := bytesOf[speedscopeFrame](2) + int64(len(f.name)+len(f.file))
	if err := s.mem.take(size); err != nil {
		return err
	}
	s.held += size
	s.names = append(s.names, f)
	return nil
}

// location returns the location of a frame, given by its index in the file.
func (s *speedscope) location(j *jsonReader) (uint32, error) {
	i, err := j.index()
	if err != nil {
		return 0, err
	}
	if i < 0 || int(i) >= len(s.names) {
		return 0, j.errorf("unknown frame %d: the file has %d", i, len(s.names))
	}
	if s.at == nil {
		s.at = make([]uint32, len(s.names))
	}
	if s.at[i] == 0 {
		f := &s.names[i]
		s.at[i] = s.m.location(f.name, f.file, f.line) + 1
	}
	return s.at[i] - 1, nil
}

// samples reads the profiles.
func (s *speedscope) samples(j *jsonReader, key []byte) error {
	if string(key) != "profiles" {
		return j.skip()
	}
	return j.array(func(i int) error {
		s.number = i
		r := speedscopeSamples{speedscope: s, j: j, p: &s.profiles[i]}
		_, r.factor = foreignUnit(r.p.unit)
		r.values = make([]int64, len(s.m.b.in.p.SampleTypes))
		if s.exporter != "hone" && len(s.profiles) > 1 && r.p.name != "" {
			r.labels = []Label{s.m.text("profile", r.p.name)}
		}
		err := r.read()
		s.mem.give(r.taken)
		return err
	})
}

// speedscopeSamples reads a profile.
type speedscopeSamples struct {
	*speedscope
	j      *jsonReader
	p      *speedscopeProfile
	factor float64
	labels []Label
	values []int64

	frames  []uint32 // of all samples, root first
	ends    []uint32 // of each in frames
	weights []float64
	taken   int64 // memory of these, taken from the meter

	stack []uint32 // the open stack, root first
	now   float64
}

// push makes room for another element of a column.
func push[T any](r *speedscopeSamples, s []T) ([]T, error) {
	before := cap(s)
	s, err := grown(r.mem, s, 1)
	r.taken += bytesOf[T](cap(s) - before)
	return s, err
}

func (r *speedscopeSamples) read() error {
	j := r.j
	events := 0
	err := j.object(func(key []byte) error {
		switch string(key) {
		case "samples":
			return j.array(func(int) (err error) {
				err = j.array(func(int) error {
					at, err := r.location(j)
					if err != nil {
						return err
					}
					if len(r.frames) >= r.lim.Frames {
						return &LimitError{"frames", int64(r.lim.Frames)}
					}
					if r.frames, err = push(r, r.frames); err == nil {
						r.frames = append(r.frames, at)
					}
					return err
				})
				if err != nil {
					return err
				}
				if r.ends, err = push(r, r.ends); err == nil {
					r.ends = append(r.ends, uint32(len(r.frames)))
				}
				return err
			})
		case "weights":
			return j.array(func(int) error {
				w, err := j.number()
				if err != nil {
					return err
				}
				if r.weights, err = push(r, r.weights); err == nil {
					r.weights = append(r.weights, w)
				}
				return err
			})
		case "events":
			return j.array(func(int) error { events++; return r.event() })
		}
		return j.skip()
	})
	if err != nil {
		return err
	}
	if len(r.stack) > 0 {
		return j.errorf("profile %d ends with %d frames open", r.number, len(r.stack))
	}
	if len(r.weights) > 0 && len(r.weights) != len(r.ends) {
		return j.errorf("profile %d has %d samples, but %d weights", r.number, len(r.ends), len(r.weights))
	}
	from := uint32(0)
	for i, end := range r.ends {
		weight := 1.0
		if len(r.weights) > 0 {
			weight = r.weights[i]
		}
		if err := r.add(r.frames[from:end], weight); err != nil {
			return err
		}
		from = end
	}
	return nil
}

// add adds a sample whose stack is root first.
func (r *speedscopeSamples) add(stack []uint32, weight float64) error {
	v, err := r.j.rounded(weight * r.factor)
	if err != nil || v == 0 {
		return err
	}
	leafFirst := make([]uint32, len(stack))
	for i, at := range stack {
		leafFirst[len(stack)-1-i] = at
	}
	r.values[r.p.column] = v
	return r.m.add(leafFirst, r.labels, r.values)
}

// event reads a frame's beginning or end. The time since the previous event belongs to
// the stack that was open in between.
func (r *speedscopeSamples) event() error {
	j := r.j
	kind, at, frame, hasFrame := byte(0), 0.0, uint32(0), false
	err := j.object(func(key []byte) (err error) {
		switch string(key) {
		case "type":
			text, err := j.string()
			if err == nil && len(text) == 1 {
				kind = text[0]
			}
			return err
		case "at":
			at, err = j.number()
			return err
		case "frame":
			frame, err = r.location(j)
			hasFrame = true
			return err
		}
		return j.skip()
	})
	if err != nil {
		return err
	}
	if !hasFrame || kind != 'O' && kind != 'C' {
		return j.errorf("an event that neither opens nor closes a frame")
	}
	if at < r.now && len(r.stack) > 0 {
		return j.errorf("time goes back from %v to %v", r.now, at)
	}
	if len(r.stack) > 0 && at > r.now {
		if err := r.add(r.stack, at-r.now); err != nil {
			return err
		}
	}
	r.now = at
	if kind == 'O' {
		if r.stack, err = push(r, r.stack); err == nil {
			r.stack = append(r.stack, frame)
		}
		return err
	}
	n := len(r.stack)
	if n == 0 || r.stack[n-1] != frame {
		return j.errorf("it closes a frame that is not the innermost one")
	}
	r.stack = r.stack[:n-1]
	return nil
}
