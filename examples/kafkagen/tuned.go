package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tidwall/sjson"
	"github.com/twmb/franz-go/pkg/kgo"
)

// sendOnce is sendMarshal with payloads marshalled before the loop. In it, the
// device's number is replaced in the text, as other values are.
func sendOnce(ctx context.Context, t *task, to producer) *tally {
	o := new(tally)
	texts, quoted, err := marshal(t)
	if err != nil {
		o.fail(err)
		return o
	}
	for n := range t.devices {
		device := quoted + strconv.FormatInt(t.first+n, 10) + `"`
		for _, text := range texts {
			message, err := replaceAll(text, device, t.rules)
			if err != nil {
				o.fail(err)
				return o
			}
			to.Produce(ctx, &kgo.Record{Value: []byte(message)}, o.done)
		}
		if (n+1)%flushEvery == 0 && flush(ctx, to, o) != nil {
			return o
		}
	}
	_ = flush(ctx, to, o)
	return o
}

// marshal returns the texts of a task's payloads, and the start of a string that
// begins with its prefix. Digits and a quote complete it, as digits never need
// escaping.
func marshal(t *task) (texts []string, quoted string, err error) {
	for _, payload := range t.payloads {
		// Marshal sorts keys, while sjson would put one that is missing at the end.
		payload = maps.Clone(payload)
		payload[deviceNo] = ""
		text, err := json.Marshal(payload)
		if err != nil {
			return nil, "", err
		}
		texts = append(texts, string(text))
	}
	prefix, err := json.Marshal(t.prefix)
	if err != nil {
		return nil, "", err
	}
	return texts, strings.TrimSuffix(string(prefix), `"`), nil
}

// replaceAll applies rules to a payload's text after it got its device, which is
// JSON.
func replaceAll(text, device string, rules []rule) (string, error) {
	text, err := sjson.SetRaw(text, deviceNo, device)
	if err != nil {
		return "", err
	}
	return replace(text, rules)
}

// sendSplit is sendOnce with paths found before the loop as well: a message is
// pieces that never change, with the device's number between them.
func sendSplit(ctx context.Context, t *task, to producer) *tally {
	o := new(tally)
	forms, err := split(t)
	if err != nil {
		o.fail(err)
		return o
	}
	var number []byte
	for n := range t.devices {
		number = strconv.AppendInt(number[:0], t.first+n, 10)
		for _, f := range forms {
			message := f.append(make([]byte, 0, f.size(len(number))), number)
			to.Produce(ctx, &kgo.Record{Value: message}, o.done)
		}
		if (n+1)%flushEvery == 0 && flush(ctx, to, o) != nil {
			return o
		}
	}
	_ = flush(ctx, to, o)
	return o
}

// A form is the pieces of a message.
type form []string

func (f form) size(number int) int {
	n := (len(f) - 1) * number
	for _, piece := range f {
		n += len(piece)
	}
	return n
}

func (f form) append(to, number []byte) []byte {
	to = append(to, f[0]...)
	for _, piece := range f[1:] {
		to = append(to, number...)
		to = append(to, piece...)
	}
	return to
}

// split returns the forms of a task's messages.
func split(t *task) ([]form, error) {
	texts, quoted, err := marshal(t)
	if err != nil {
		return nil, err
	}
	var forms []form
	for _, text := range texts {
		f, err := splitText(text, quoted, t.rules)
		if err != nil {
			return nil, err
		}
		forms = append(forms, f)
	}
	return forms, nil
}

// splitText makes a message in the slow way, with a placeholder for the number,
// and cuts it there. A placeholder is digits, as a number is, so that everything
// happens to it that happens to a number; it is longer than any.
//
// The text may have those digits itself. So two placeholders are tried, which
// differ in each digit: if both cut the message into the same pieces, then
// every cut is where the messages differ, which is where a number goes.
func splitText(text, quoted string, rules []rule) (form, error) {
	cut := func(digit string) (form, error) {
		placeholder := strings.Repeat(digit, 20)
		message, err := replaceAll(text, quoted+placeholder+`"`, rules)
		return strings.Split(message, placeholder), err
	}
	for digit := range 9 {
		a, err := cut(strconv.Itoa(digit))
		if err != nil {
			return nil, err
		}
		b, err := cut(strconv.Itoa(digit + 1))
		if err != nil {
			return nil, err
		}
		if slices.Equal(a, b) {
			return a, nil
		}
	}
	return nil, errors.New("a payload with so many long numbers can't be split")
}

// sendTuned is sendSplit without garbage: messages are made in parcels, which are
// used again when all of their messages are acknowledged. It never waits for what
// is under way, but for a parcel where there are too many.
func sendTuned(ctx context.Context, t *task, to producer) *tally {
	o := new(tally)
	forms, err := split(t)
	if err != nil {
		o.fail(err)
		return o
	}
	free := &parcels{returned: make(chan *parcel, maxParcels), tally: o}
	var p *parcel
	var number []byte
	for n := range t.devices {
		number = strconv.AppendInt(number[:0], t.first+n, 10)
		for _, f := range forms {
			if p == nil {
				if p = free.next(ctx); p == nil {
					return o
				}
			}
			if p.add(f, number); len(p.records) == cap(p.records) {
				p.send(ctx, to)
				p = nil
			}
		}
	}
	if p != nil {
		p.send(ctx, to)
	}
	_ = flush(ctx, to, o)
	return o
}

const (
	parcelSize = 250
	maxParcels = 200 // with 50,000 messages, as many as the client buffers by default
)

// A parcel is messages with what they need.
type parcel struct {
	records []kgo.Record
	text    []byte // of all messages
	left    atomic.Int64
	promise func(*kgo.Record, error) // its method done, bound once
	from    *parcels
}

// add adds a message. Where text grows out of its array, messages before that stay
// in the old one.
func (p *parcel) add(f form, number []byte) {
	start := len(p.text)
	p.text = f.append(p.text, number)
	p.records = append(p.records, kgo.Record{Value: p.text[start:len(p.text):len(p.text)]})
}

// send hands the parcel's messages over, and the parcel with them.
func (p *parcel) send(ctx context.Context, to producer) {
	records := p.records
	p.left.Store(int64(len(records)))
	for i := range records {
		to.Produce(ctx, &records[i], p.promise)
	}
}

func (p *parcel) done(r *kgo.Record, err error) {
	p.from.tally.done(r, err)
	if p.left.Add(-1) == 0 {
		p.records, p.text = p.records[:0], p.text[:0]
		p.from.returned <- p // has room for all there are
	}
}

// parcels are those of a run.
type parcels struct {
	returned chan *parcel
	made     int
	tally    *tally
}

// next returns an empty parcel, or nil if ctx ended before there was one.
func (s *parcels) next(ctx context.Context) *parcel {
	select {
	case p := <-s.returned:
		return p
	default:
	}
	if s.made < maxParcels {
		s.made++
		p := &parcel{records: make([]kgo.Record, 0, parcelSize), from: s}
		p.promise = p.done
		return p
	}
	select {
	case p := <-s.returned:
		return p
	case <-ctx.Done():
		s.tally.fail(ctx.Err())
		return nil
	}
}
