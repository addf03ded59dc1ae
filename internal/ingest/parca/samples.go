package parca

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/parca/arrow"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Limits for a decoded request. The limit of its bytes isn't enough: runs,
// dictionaries and overlapping lists encode many values in a few bytes.
const (
	maxRows  = 1 << 20 // in all records
	maxCells = 1 << 26 // labels that are read, of all rows
	maxTypes = 16      // in one profile

	builderSize = 24 << 10 // memory of a nearly empty profile.Builder
)

// A converter turns Arrow records into profiles: first it reads all samples, then
// the stacks of those without one, and then it returns the profiles.
type converter struct {
	budget
	batches []*batch
	groups  []*group
	byKey   map[string]*group
	missing [][]byte          // IDs of unknown stacks, each once
	asked   map[string]uint32 // positions in missing

	first, last int64 // times of samples, ns since 1970; 0 if unknown
	rows, cells int

	bad    int   // number of samples that are left out
	reason error // why the first is left out
}

// A badSample is the error of one sample. That sample is left out; the others are kept.
type badSample struct{ error }

// leaveOut counts a sample to leave out if err is a badSample. It returns any other
// error.
func (c *converter) leaveOut(err error) error {
	var bad badSample
	if !errors.As(err, &bad) {
		return err
	}
	if c.bad++; c.reason == nil {
		c.reason = bad.error
	}
	return nil
}

// schemaKey is the key of the schema's name in a record's metadata.
const schemaKey = "parca_write_schema_version"

// noClass is the class of samples that are left out.
const noClass = math.MaxUint32

func newConverter(lim ingest.Limits, share *ingest.Share) *converter {
	return &converter{budget: budget{lim: lim, share: share}, byKey: map[string]*group{}, asked: map[string]uint32{}}
}

// A batch has the samples of one record.
type batch struct {
	values  *arrow.Column
	classes []class
	classOf []uint32 // the class of each row
	stacks  *stacks
	stackOf []uint32 // the list in stacks of each row; nil if row i has list i
}

// A class has what some rows have in common. They differ only in stack, value and
// time.
type class struct {
	group  *group
	column int           // column of the value in the profile
	labels []store.Label // labels of the sample
	ids    []profile.Label
}

// columns are the columns of a record of samples.
type columns struct {
	labels                                         []*arrow.Column
	names                                          []string // names of labels
	value, producer                                *arrow.Column
	sampleType, sampleUnit, periodType, periodUnit *arrow.Column
	temporality, period, duration, timestamp       *arrow.Column
}

// readSamples reads a stream of records of samples. The caller must not change the
// stream afterwards.
func (c *converter) readSamples(stream []byte) error {
	if len(stream) == 0 {
		return nil
	}
	r, err := c.open(stream)
	if err != nil {
		return err
	}
	schema := r.Metadata(schemaKey)
	if schema != "v1" && schema != "v2" {
		return malformed("unsupported schema %.20q of the record: use v1 or v2", schema)
	}
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c.rows += rec.Rows; c.rows > maxRows {
			return ingest.Errorf(ingest.TooLarge, "the request has more than %d samples", maxRows)
		}
		if err := c.readRecord(rec, schema); err != nil {
			return err
		}
	}
}

// open returns a Reader of a stream.
func (c *converter) open(stream []byte) (*arrow.Reader, error) {
	c.sent += int64(len(stream))
	return arrow.NewReader(stream, c.lim.BodyBytes, c.take)
}

func (c *converter) readRecord(rec *arrow.Record, schema string) error {
	cols, err := columnsOf(rec, schema)
	if err != nil || rec.Rows == 0 {
		return err
	}
	if c.cells += rec.Rows * len(cols.labels); c.cells > maxCells {
		return ingest.Errorf(ingest.TooLarge, "the samples of the request have more than %d labels, absent ones included", maxCells)
	}
	b := &batch{values: cols.value}
	if err := c.classify(b, cols, rec.Rows); err != nil {
		return err
	}
	if schema == "v2" {
		list, err := requireColumn(rec.Column, "stacktrace", arrow.Ranges, arrow.List)
		if err != nil {
			return err
		}
		if b.stacks, err = stacksV2(list); err != nil {
			return err
		}
	} else {
		ids, err := requireColumn(rec.Column, "stacktrace_id", arrow.Text, arrow.Fixed)
		if err != nil {
			return err
		}
		if err := c.note(b, ids, rec.Rows); err != nil {
			return err
		}
	}
	c.batches = append(c.batches, b)
	return nil
}

// columnsOf finds the columns of a record. Labels are columns of their own in
// the first schema, and fields of one in the second.
func columnsOf(rec *arrow.Record, schema string) (*columns, error) {
	cols := &columns{}
	if schema == "v1" {
		for _, col := range rec.Columns {
			if name, ok := strings.CutPrefix(col.Name, "labels."); ok {
				cols.labels, cols.names = append(cols.labels, col), append(cols.names, name)
			}
		}
	} else {
		labels, err := requireColumn(rec.Column, "labels", arrow.Struct)
		if err != nil {
			return nil, err
		}
		if labels != labels.Plain() {
			return nil, malformed("unsupported encoding of column labels")
		}
		for _, col := range labels.Fields() {
			cols.labels, cols.names = append(cols.labels, col), append(cols.names, col.Name)
		}
	}
	for i, col := range cols.labels {
		if kind := col.Plain().Kind; kind != arrow.Text && kind != arrow.View {
			return nil, malformed("label %.60q is not a string", cols.names[i])
		}
	}
	for _, want := range []struct {
		into **arrow.Column
		name string
		kind arrow.Kind
	}{
		{&cols.value, "value", arrow.Int}, {&cols.producer, "producer", arrow.Text},
		{&cols.sampleType, "sample_type", arrow.Text}, {&cols.sampleUnit, "sample_unit", arrow.Text},
		{&cols.periodType, "period_type", arrow.Text}, {&cols.periodUnit, "period_unit", arrow.Text},
		{&cols.temporality, "temporality", arrow.Text}, {&cols.period, "period", arrow.Int},
		{&cols.duration, "duration", arrow.Int}, {&cols.timestamp, "timestamp", arrow.Time},
	} {
		kinds := []arrow.Kind{want.kind}
		switch want.kind {
		case arrow.Text:
			kinds = append(kinds, arrow.View)
		case arrow.Time:
			kinds = append(kinds, arrow.Int) // ns, in the first schema
		}
		var err error
		if *want.into, err = requireColumn(rec.Column, want.name, kinds...); err != nil {
			return nil, err
		}
	}
	return cols, nil
}

// classify finds the class of each row. Most rows differ from others in only a few
// columns, which refer to dictionaries. So it compares their indexes before it
// reads any values.
func (c *converter) classify(b *batch, cols *columns, rows int) error {
	texts := append(slices.Clone(cols.labels), cols.producer, cols.sampleType, cols.sampleUnit, cols.periodType, cols.periodUnit, cols.temporality)
	known := map[string]uint32{}
	b.classOf = make([]uint32, rows)
	var key []byte
	for row := range rows {
		key = key[:0]
		for _, col := range texts {
			at, ok := col.Value(row)
			if !ok {
				at = -1
			}
			key = binary.LittleEndian.AppendUint32(key, uint32(at+1))
		}
		key = binary.LittleEndian.AppendUint64(key, uint64(cols.period.Int(row)))
		class, ok := known[string(key)]
		if !ok {
			if err := c.spend(100 + len(key)); err != nil {
				return err
			}
			cl, err := c.class(cols, row)
			class = uint32(len(b.classes))
			if err != nil {
				if err := c.leaveOut(err); err != nil {
					return err
				}
				// Other rows of its class are read on their own, so that each is counted.
				b.classOf[row] = noClass
				continue
			}
			known[string(key)] = class
			b.classes = append(b.classes, cl)
		}
		b.classOf[row] = class
		if t := cols.timestamp.Int(row); t > 0 {
			c.last = max(c.last, t)
			if c.first == 0 || t < c.first {
				c.first = t
			}
		}
		g := b.classes[class].group
		g.length = max(g.length, cols.duration.Int(row))
	}
	return nil
}

// class returns the class of a row.
func (c *converter) class(cols *columns, row int) (class, error) {
	var process, sample []store.Label
	for i, col := range cols.labels {
		l := store.Label{Name: cols.names[i], Value: string(col.Bytes(row))}
		if l.Value == "" {
			continue
		}
		if err := c.spend(100 + len(l.Value)); err != nil {
			return class{}, err
		}
		if ofProcess(l.Name) {
			process = append(process, l)
		} else {
			sample = append(sample, l)
		}
	}
	if n := len(process) + len(sample); n > wire.MaxLabels {
		return class{}, badSample{ingest.Errorf(ingest.TooLarge, "a sample has %d labels; the limit is %d", n, wire.MaxLabels)}
	}
	t := profile.ValueType{Type: string(cols.sampleType.Bytes(row)), Unit: string(cols.sampleUnit.Bytes(row))}
	if t.Type == "" {
		return class{}, badSample{malformed("sample %d has no sample type", row)}
	}
	g := group{
		labels: process, producer: string(cols.producer.Bytes(row)), interval: cols.period.Int(row),
		period: profile.ValueType{Type: string(cols.periodType.Bytes(row)), Unit: string(cols.periodUnit.Bytes(row))},
		delta:  string(cols.temporality.Bytes(row)) == "delta",
	}
	key := fmt.Sprintf("%q %q %q %d %t", g.labels, g.producer, g.period, g.interval, g.delta)
	same, ok := c.byKey[key]
	if !ok {
		if c.lim.Pushes > 0 && len(c.groups) >= c.lim.Pushes {
			return class{}, ingest.Errorf(ingest.TooLarge, "the request has more than %d profiles", c.lim.Pushes)
		}
		if err := c.spend(builderSize + len(key)); err != nil {
			return class{}, err
		}
		same = &g
		c.byKey[key] = same
		c.groups = append(c.groups, same)
	}
	column := slices.Index(same.types, t)
	if column < 0 {
		column = len(same.types)
		if column == maxTypes {
			return class{}, badSample{ingest.Errorf(ingest.TooLarge, "a profile has more than %d sample types", maxTypes)}
		}
		same.types = append(same.types, t)
	}
	return class{group: same, column: column, labels: sample}, nil
}

// note records the IDs of stacks to ask for.
func (c *converter) note(b *batch, ids *arrow.Column, rows int) error {
	b.stackOf = make([]uint32, rows)
	for row := range rows {
		id := ids.Bytes(row)
		n, ok := c.asked[string(id)]
		if !ok {
			if err := c.spend(150 + len(id)); err != nil {
				return err
			}
			n = uint32(len(c.missing))
			c.asked[string(id)] = n
			c.missing = append(c.missing, id)
		}
		b.stackOf[row] = n
	}
	return nil
}

// readStacks reads the stacks that were missing.
func (c *converter) readStacks(stream []byte) error {
	r, err := c.open(stream)
	if err != nil {
		return err
	}
	rec, err := r.Next()
	if err == io.EOF {
		return errors.New("the stream has no record of stacks")
	}
	if err != nil {
		return err
	}
	if rec.Rows > len(c.missing) {
		return malformed("the sender sent %d stacks, but was asked for %d", rec.Rows, len(c.missing))
	}
	ids, err := requireColumn(rec.Column, "stacktrace_id", arrow.Text, arrow.Fixed)
	if err != nil {
		return err
	}
	list, err := requireColumn(rec.Column, "locations", arrow.List, arrow.Ranges)
	if err != nil {
		return err
	}
	s, err := stacksV1(list)
	if err != nil {
		return err
	}
	at := make(map[string]uint32, rec.Rows)
	for row := range rec.Rows {
		at[string(ids.Bytes(row))] = uint32(row)
	}
	places := make([]uint32, len(c.missing))
	for i, id := range c.missing {
		place, ok := at[string(id)]
		if !ok {
			place = noClass
		}
		places[i] = place
	}
	for _, b := range c.batches {
		b.stacks = s
		for row, n := range b.stackOf {
			if b.stackOf[row] = places[n]; places[n] == noClass && b.classOf[row] != noClass {
				b.classOf[row] = noClass
				_ = c.leaveOut(badSample{malformed("the sender did not send stack %x, which it was asked for", c.missing[n])}) // only this sample is left out
			}
		}
	}
	return nil
}

// pushes returns the profiles.
func (c *converter) pushes() ([]ingest.Push, error) {
	for _, g := range c.groups {
		types := slices.Clone(g.types)
		if g.timed() {
			types = append(types, g.period)
		}
		g.builder = profile.NewBuilder(types...)
	}
	for _, b := range c.batches {
		if err := c.fill(b); err != nil {
			return nil, err
		}
	}
	var pushes []ingest.Push
	for _, g := range c.groups {
		p := g.builder.Profile()
		if p.NumSamples() == 0 {
			continue // it has no samples left
		}
		p.PeriodType, p.Period = g.period, g.interval
		p.TimeNanos = c.first
		if g.delta {
			// The agent samples all the time, so the samples' own times say
			// which period the record covers.
			if p.DurationNanos = c.last - c.first; p.DurationNanos == 0 {
				p.DurationNanos = g.length
			}
		}
		pushes = append(pushes, ingest.Push{Profile: p, Labels: vocabulary.Translate(g.labels), Kind: g.kind(),
			Time: p.TimeNanos, Duration: p.DurationNanos})
	}
	ingest.DivideSent(pushes, int(c.sent))
	return pushes, nil
}

// fill adds the samples of a batch to their profiles.
func (c *converter) fill(b *batch) error {
	f := filling{budget: &c.budget, stacks: b.stacks, places: map[placeKey]uint32{}, known: map[stackKey][]uint32{}}
	values := make([]int64, maxTypes+1)
	for row, n := range b.classOf {
		if n == noClass {
			continue
		}
		cl := &b.classes[n]
		g := cl.group
		list := row
		if b.stackOf != nil {
			list = int(b.stackOf[row])
		}
		stack, err := f.stack(g, list)
		if err != nil {
			return err
		}
		if cl.ids == nil {
			for _, l := range cl.labels {
				cl.ids = append(cl.ids, profile.Label{Key: g.builder.String(l.Name), Str: g.builder.String(l.Value)})
			}
		}
		columns := len(g.types)
		v := b.values.Int(row)
		clear(values)
		values[cl.column] = v
		if g.timed() {
			if columns = 2; v > math.MaxInt64/g.interval || v < -math.MaxInt64/g.interval {
				_ = c.leaveOut(badSample{malformed("a stack has %d samples, which is more than 292 years", v)}) // only this sample is left out
				continue
			}
			values[1] = v * g.interval
		}
		if err := c.spend(48 + 4*len(stack) + 8*columns); err != nil {
			return err
		}
		g.builder.Sample(stack, cl.ids, values[:columns]...)
	}
	return nil
}
