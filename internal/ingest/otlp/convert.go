package otlp

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// vocabulary has the resource attributes that identify a process.
var vocabulary = wire.Vocabulary{
	Service:  []string{"service.name", "k8s.deployment.name", "k8s.statefulset.name", "k8s.daemonset.name", "k8s.container.name", "container.name", "process.executable.name"},
	Version:  []string{"service.version"},
	Zone:     []string{"cloud.availability_zone", "cloud.region"},
	Instance: []string{"service.instance.id", "k8s.pod.name", "host.name", "container.id", "host.id"},
	Synonyms: []string{"service.name", "service.version", "service.instance.id", "cloud.availability_zone"},
	// Nobody selects profiles by the sender's library, and the process ID changes
	// with each start.
	Dropped: func(name string) bool {
		return strings.HasPrefix(name, "telemetry.sdk.") || name == "process.pid" || name == "process.parent_pid" || name == "process.command_args"
	},
}

// A rejection counts the profiles of a request that can't be kept, while others
// can.
type rejection struct {
	profiles int64
	err      error // why the first one can't be kept
}

// convert returns the profiles of a request. An error means that none can be kept.
func convert(req *request, lim ingest.Limits) ([]ingest.Push, *rejection, error) {
	c := &converter{req: req, lim: lim, dictionary: dictionary{share: req.share, sent: int64(len(req.data))}}
	if err := c.read(); err != nil {
		var already *ingest.Error
		if errors.As(err, &already) {
			return nil, nil, already
		}
		return nil, nil, malformed("invalid request: %w", err)
	}
	if c.share != nil { // the tables are gone
		c.share.Give(c.taken - c.kept)
	}
	return c.pushes, c.rejected, nil
}

// A converter turns a request into pushes.
type converter struct {
	req *request
	lim ingest.Limits
	dictionary
	pushes   []ingest.Push
	rejected *rejection
	kept     int64 // part of dictionary.taken: the memory of the profiles

	samples, frames, labels int // totals of all profiles
}

// read reads ExportProfilesServiceRequest { ResourceProfiles resource_profiles
// = 1; ProfilesDictionary dictionary = 2 }, the dictionary first.
func (c *converter) read() error {
	var resources [][]byte
	err := each(c.req.data, func(f field) error {
		switch {
		case f.num == 1 && f.typ == protowire.BytesType:
			resources = append(resources, f.data)
			return c.tooMany(len(resources))
		case f.num == 2:
			return c.dictionary.read(f.data)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, message := range resources {
		if err := c.readResource(message); err != nil {
			return err
		}
	}
	return nil
}

// tooMany returns an error if n profiles are more than a request may have.
func (c *converter) tooMany(n int) error {
	if c.lim.Pushes > 0 && n > c.lim.Pushes {
		return ingest.Errorf(ingest.TooLarge, "the request has more than %d profiles", c.lim.Pushes)
	}
	return nil
}

// readResource reads ResourceProfiles { Resource resource = 1 { KeyValue
// attributes = 1 }; ScopeProfiles scope_profiles = 2 { Profile profiles = 2 } }.
func (c *converter) readResource(message []byte) error {
	var labels []store.Label
	var scopes [][]byte
	err := each(message, func(f field) error {
		switch f.num {
		case 1:
			return each(f.data, func(f field) error {
				if f.num != 1 {
					return nil
				}
				var a attribute
				if err := c.readAttribute(f.data, &a, false); err != nil {
					return malformed("invalid attribute of a resource: %w", err)
				}
				if labels = append(labels, store.Label{Name: a.key, Value: a.string()}); len(labels) > wire.MaxLabels {
					return ingest.Errorf(ingest.TooLarge, "a resource has more than %d attributes", wire.MaxLabels)
				}
				return nil
			})
		case 2:
			scopes = append(scopes, f.data)
			return c.tooMany(len(scopes))
		}
		return nil
	})
	if err != nil {
		return err
	}
	labels = slices.DeleteFunc(labels, func(l store.Label) bool { return l.Name == "" || l.Value == "" })
	labels = vocabulary.Translate(labels)
	for _, scope := range scopes {
		if err := c.readScope(scope, labels); err != nil {
			return err
		}
	}
	return nil
}

// readScope reads the profiles of a scope. Each has one sample type. Those of one
// collection become one profile.
func (c *converter) readScope(message []byte, labels []store.Label) error {
	var groups [][]*header
	n := 0
	err := each(message, func(f field) error {
		if f.num != 2 {
			return nil
		}
		if n++; n > 16*max(c.lim.Pushes, 1) && c.lim.Pushes > 0 {
			return c.tooMany(math.MaxInt)
		}
		h, err := c.readHeader(f.data)
		if err != nil {
			return c.reject(1, err)
		}
		// The latest group is enough: senders write them one after another.
		if i := len(groups) - 1; i >= 0 && h.belongsTo(groups[i]) {
			groups[i] = append(groups[i], h)
			return nil
		}
		groups = append(groups, []*header{h})
		return nil
	})
	if err != nil {
		return err
	}
	for _, g := range groups {
		p, err := c.push(g)
		if err != nil {
			if err := c.reject(len(g), err); err != nil {
				return err
			}
			continue
		}
		p.Labels = labels
		c.pushes = append(c.pushes, *p)
		if err := c.tooMany(len(c.pushes)); err != nil {
			return err
		}
	}
	return nil
}

// reject counts n profiles that can't be kept. If a limit is the reason, it
// returns an error that ends the request.
func (c *converter) reject(n int, err error) error {
	var e *ingest.Error
	if !errors.As(err, &e) {
		e = ingest.Errorf(ingest.Malformed, "invalid profile: %w", err)
	}
	if e.Reason == ingest.TooLarge {
		return e
	}
	if c.rejected == nil {
		c.rejected = &rejection{err: e}
	}
	c.rejected.profiles += int64(n)
	return nil
}

// A header has the fields of a profile other than its samples.
type header struct {
	message        []byte
	sample, period valueType
	time, duration uint64
	interval       int64 // Profile.period
	id             string
	// alone is set for profiles of events, which have kinds of their own although the
	// OpenTelemetry eBPF profiler collects them at the same time: off-CPU time, and probes.
	alone bool
}

// belongsTo reports whether a profile belongs to the same collection as others: it
// has the same time and another sample type.
func (h *header) belongsTo(group []*header) bool {
	g := group[0]
	return !h.alone && !g.alone && h.time == g.time && h.time != 0 && h.duration == g.duration && h.period == g.period && h.interval == g.interval &&
		!slices.ContainsFunc(group, func(o *header) bool { return o.sample == h.sample })
}

func (c *converter) readHeader(message []byte) (*header, error) {
	h := &header{message: message}
	valueTypes := 0
	err := each(message, func(f field) (err error) {
		switch f.num {
		case 1:
			valueTypes++
			h.sample, err = readValueType(f.data)
		case 3:
			if f.typ != protowire.Fixed64Type {
				return malformed("the time of a profile has wire type %d: %s", f.typ, older)
			}
			h.time = f.n
		case 4:
			h.duration = f.n
		case 5:
			h.period, err = readValueType(f.data)
		case 6:
			h.interval = int64(f.n)
		case 7:
			h.id = c.req.id(f.data)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case valueTypes > 1:
		return nil, malformed("a profile must have one sample type, but has %d: %s", valueTypes, older)
	case valueTypes == 0 || h.sample.name == 0:
		return nil, malformed("a profile has no sample type: %s", older)
	case h.time > math.MaxInt64 || h.duration > math.MaxInt64:
		return nil, malformed("invalid time of a profile: %d ns since 1970, lasting %d ns", h.time, h.duration)
	}
	if name, err := c.text(h.sample.name); err == nil && h.period.name == 0 {
		h.alone = name == "off_cpu" || name == "events"
	}
	return h, nil
}

// readValueType reads ValueType { int32 type_strindex = 1; int32 unit_strindex
// = 2 }. In older versions, a temporality follows: 2 means cumulative, counted
// since the start of the process.
func readValueType(message []byte) (v valueType, err error) {
	err = each(message, func(f field) error {
		switch f.num {
		case 1:
			v.name = toIndex(f.n)
		case 2:
			v.unit = toIndex(f.n)
		case 3:
			v.cumulative = f.n == 2
		}
		return nil
	})
	return v, err
}

func (c *converter) valueType(v valueType) (t profile.ValueType, err error) {
	if t.Type, err = c.text(v.name); err == nil {
		t.Unit, err = c.text(v.unit)
	}
	return t, err
}

// push merges the profiles of one collection.
func (c *converter) push(group []*header) (*ingest.Push, error) {
	first := group[0]
	p := &ingest.Push{Time: int64(first.time), Duration: int64(first.duration), Key: first.id}
	var types []profile.ValueType
	for _, h := range group {
		t, err := c.valueType(h.sample)
		if err != nil {
			return nil, err
		}
		if t.Type == "" {
			return nil, malformed("the sample type of a profile has no name: %s", older)
		}
		types = append(types, t)
		if h.sample.cumulative {
			p.Cumulative = append(p.Cumulative, t.Type)
		}
	}
	period, err := c.valueType(first.period)
	if err != nil {
		return nil, err
	}
	// Counts of samples can be converted to time.
	timed := len(types) == 1 && wire.Timed(types[0], period, first.interval)
	if timed {
		types = append(types, period)
	}
	if period.Type == "cpu" || period.Type == "wall" {
		p.Kind = period.Type
	}
	b := &building{converter: c, builder: profile.NewBuilder(types...), values: make([]int64, len(types)),
		locations: map[index]uint32{}, mappings: map[index]uint32{}, stacks: map[index][]uint32{}}
	if timed {
		b.interval = first.interval
	}
	for column, h := range group {
		b.column = column
		err := each(h.message, func(f field) error {
			if f.num != 2 {
				return nil
			}
			return b.sample(f.data)
		})
		if err != nil {
			return nil, err
		}
	}
	p.Profile = b.builder.Profile()
	c.kept += b.held
	p.Profile.PeriodType, p.Profile.Period = period, first.interval
	if p.Time == 0 && b.earliest != 0 {
		p.Time = int64(b.earliest)
	}
	p.Profile.TimeNanos, p.Profile.DurationNanos = p.Time, p.Duration
	return p, nil
}

// A building is a profile to which samples are being added.
type building struct {
	*converter
	builder  *profile.Builder
	column   int
	values   []int64 // of one sample
	interval int64   // value of a sample in the second column; 0 if there is none
	earliest uint64  // the earliest time of a sample; 0 if unknown
	held     int64   // memory of the builder when it was last measured

	// The Builder's IDs of entries of the dictionary.
	locations, mappings map[index]uint32
	stacks              map[index][]uint32
}

// sample adds a sample; see readSample.
func (b *building) sample(message []byte) error {
	if b.samples++; b.samples > maxSamples {
		return ingest.Errorf(ingest.TooLarge, "the request has more than %d samples", maxSamples)
	}
	if b.samples%128 == 0 {
		now := b.builder.Bytes()
		if err := b.take(now - b.held); err != nil {
			return err
		}
		b.held = now
	}
	var x sample
	if err := b.readSample(message, &x); err != nil {
		return err
	}
	if err := b.addLink(&x); err != nil {
		return err
	}
	frames, err := b.stack(x.stack)
	if err != nil {
		return err
	}
	b.frames += len(frames)
	b.labels += len(x.labels)
	if b.frames > maxFrames || b.labels > maxLabels {
		return ingest.Errorf(ingest.TooLarge, "the samples of the request have more than %d frames or %d attributes", maxFrames, maxLabels)
	}
	clear(b.values)
	b.values[b.column] = x.value
	if b.interval > 0 {
		if b.values[1] = x.value * b.interval; x.value != 0 && b.values[1]/x.value != b.interval {
			return malformed("a stack has %d samples, which is more than 292 years", x.value)
		}
	}
	b.builder.Sample(frames, x.labels, b.values...)
	return nil
}

// A sample has the fields of a Sample, except for its times.
type sample struct {
	stack, link index
	labels      []profile.Label
	value       int64
}

// readSample reads Sample { int32 stack_index = 1; repeated int32 attribute_indices
// = 2; int32 link_index = 3; repeated int64 values = 4; repeated fixed64
// timestamps_unix_nano = 5 }. Up to 1.9 it had values = 2, attribute_indices = 3
// and link_index = 4, and before that value = 3. Most of these are recognized
// because numbers are packed where they should be single, or the reverse.
func (b *building) readSample(message []byte, x *sample) error {
	values, times := 0, 0
	err := each(message, func(f field) error {
		switch f.num {
		case 1:
			x.stack = toIndex(f.n)
		case 2:
			last := int64(-1)
			return f.ints(func(v uint64) error {
				if int64(v) == last {
					return malformed("a sample has attribute %d twice: %s", v, older)
				}
				last = int64(v)
				l, ok, err := b.label(v)
				if ok {
					x.labels = append(x.labels, l)
				}
				return err
			})
		case 3:
			if f.typ != protowire.VarintType {
				return malformed("the link of a sample is not a number: %s", older)
			}
			x.link = toIndex(f.n)
		case 4:
			if f.typ != protowire.BytesType {
				return malformed("a sample has a single value instead of a list: %s", older)
			}
			return f.ints(func(v uint64) error {
				values++
				sum := x.value + int64(v)
				if (sum > x.value) != (int64(v) > 0) && v != 0 {
					return malformed("the values of a sample overflow an integer")
				}
				x.value = sum
				return nil
			})
		case 5:
			return f.times(func(v uint64) {
				times++
				if b.earliest == 0 || v < b.earliest && v != 0 {
					b.earliest = v
				}
			})
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case values == 0 && times == 0:
		return malformed("a sample has no values and no times: %s", older)
	case values == 0:
		x.value = int64(times) // each time is one event
	case times != 0 && values != times:
		return malformed("a sample has %d values at %d times", values, times)
	}
	return nil
}

// addLink adds the labels of a sample's link.
func (b *building) addLink(x *sample) error {
	if x.link == 0 {
		return nil
	}
	if int(x.link) >= len(b.links) {
		return malformed("a sample refers to link %d, but the table has %d", x.link, len(b.links))
	}
	// Always in this order: a repeated push is recognized by its bytes.
	for _, l := range []struct {
		key string
		id  []byte
	}{{"trace_id", b.links[x.link].trace}, {"span_id", b.links[x.link].span}} {
		if text := b.req.id(l.id); text != "" {
			x.labels = append(x.labels, profile.Label{Key: b.builder.String(l.key), Str: b.builder.String(text)})
		}
	}
	return nil
}

// times calls f for every element of a repeated fixed64 field.
func (fd *field) times(f func(uint64)) error {
	if fd.typ != protowire.BytesType {
		f(fd.n)
		return nil
	}
	for d := fd.data; len(d) > 0; {
		v, n := protowire.ConsumeFixed64(d)
		if n < 0 {
			return protowire.ParseError(n)
		}
		f(v)
		d = d[n:]
	}
	return nil
}

// label returns an attribute of a sample; ok is false for those without a value.
func (b *building) label(v uint64) (l profile.Label, ok bool, err error) {
	if v >= uint64(len(b.attributes)) {
		return l, false, malformed("a sample refers to attribute %d, but the table has %d: %s", int64(v), len(b.attributes), older)
	}
	a := &b.attributes[v]
	if a.key == "" || !a.numeric && a.text == "" {
		return l, false, nil
	}
	l.Key = b.builder.String(a.key)
	if a.numeric {
		l.Numeric, l.Num, l.Unit = true, a.number, b.builder.String(a.unit)
	} else {
		l.Str = b.builder.String(a.text)
	}
	return l, true, nil
}

// stack returns a stack as locations of the Builder.
func (b *building) stack(i index) ([]uint32, error) {
	if int(i) >= len(b.converter.stacks) {
		if i == 0 {
			return nil, nil
		}
		return nil, malformed("a sample refers to stack %d, but the table has %d", i, len(b.converter.stacks))
	}
	if s, ok := b.stacks[i]; ok {
		return s, nil
	}
	is := b.converter.stacks[i]
	out := make([]uint32, 0, is.to-is.from)
	for _, l := range b.dictionary.frames[is.from:is.to] {
		loc, err := b.location(l)
		if err != nil {
			return nil, err
		}
		out = append(out, loc)
	}
	b.stacks[i] = out
	const entry = 64 // bytes of a map entry, with room to grow
	return out, b.take(entry + int64(4*len(out)))
}

func (b *building) location(i index) (uint32, error) {
	if l, ok := b.locations[i]; ok {
		return l, nil
	}
	if int(i) >= len(b.converter.locations) {
		return 0, malformed("a stack refers to location %d, but the table has %d", i, len(b.converter.locations))
	}
	is := &b.converter.locations[i]
	var lines []profile.Line
	for _, ln := range b.lines[is.from:is.to] {
		if int(ln.function) >= len(b.functions) {
			return 0, malformed("a location refers to function %d, but the table has %d", ln.function, len(b.functions))
		}
		fn := &b.functions[ln.function]
		var texts [3]string
		for k, t := range [3]index{fn.name, fn.system, fn.file} {
			var err error
			if texts[k], err = b.text(t); err != nil {
				return 0, malformed("a function refers to %w", err)
			}
		}
		lines = append(lines, profile.Line{Function: b.builder.Function(texts[0], texts[1], texts[2], fn.start), Line: ln.line, Column: ln.column})
	}
	m, err := b.mapping(is.mapping, len(lines) > 0)
	if err != nil {
		return 0, err
	}
	l := b.builder.Location(is.address, m, lines...)
	b.locations[i] = l
	return l, nil
}

// mapping returns the Builder's ID of a mapping; 0 for none.
func (b *building) mapping(i index, symbolized bool) (uint32, error) {
	if i == 0 {
		return 0, nil
	}
	if m, ok := b.mappings[i]; ok {
		return m, nil
	}
	if int(i) >= len(b.converter.mappings) {
		return 0, fmt.Errorf("a location refers to mapping %d, but the table has %d", i, len(b.converter.mappings))
	}
	is := &b.converter.mappings[i]
	file, err := b.text(is.file)
	if err != nil {
		return 0, malformed("a mapping refers to %w", err)
	}
	m := b.builder.Mapping(profile.Mapping{Start: is.start, Limit: is.limit, Offset: is.offset, File: file, BuildID: is.buildID,
		HasFunctions: symbolized, HasFilenames: symbolized, HasLineNumbers: symbolized})
	b.mappings[i] = m
	return m, nil
}
