package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A producer is what sends messages: a *kgo.Client, or something instead of it in
// tests. It calls promise once for each message, when that was acknowledged or
// failed; until then the record and what it points to are the producer's.
// Flush returns when all promises were called.
type producer interface {
	Produce(ctx context.Context, r *kgo.Record, promise func(*kgo.Record, error))
	Flush(ctx context.Context) error
}

// A tally is what became of messages.
type tally struct {
	acked, failed atomic.Int64
	mu            sync.Mutex
	err           error // the first
}

// done is a promise.
func (o *tally) done(_ *kgo.Record, err error) {
	if err == nil {
		o.acked.Add(1)
		return
	}
	o.failed.Add(1)
	o.fail(err)
}

func (o *tally) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
}

// send is the version in use. A step of the loop changes this one line;
// BenchmarkInUse of two revisions then tells what the step gave.
func send(ctx context.Context, t *task, to producer) *tally { return sendTuned(ctx, t, to) }

// flushEvery is after how many devices the first versions wait for what is under
// way.
const flushEvery = 100_000

// sendMarshal is the tool as it was first written: right, and slow where a
// profile says so.
func sendMarshal(ctx context.Context, t *task, to producer) *tally {
	o := new(tally)
	for n := range t.devices {
		for _, payload := range t.payloads {
			message, err := firstMessage(payload, t.prefix, t.first+n, t.rules)
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

func firstMessage(payload map[string]any, prefix string, number int64, rules []rule) (string, error) {
	payload[deviceNo] = fmt.Sprintf("%v%v", prefix, number)
	text, err := json.Marshal(payload)
	if err != nil {
		return "", err
	}
	return replace(string(text), rules)
}

// replace applies rules to a JSON text.
func replace(text string, rules []rule) (string, error) {
	for _, r := range rules {
		var joined strings.Builder
		for _, p := range r.parts {
			if p.path {
				if v := gjson.Get(text, p.text); v.Exists() {
					joined.WriteString(v.String())
					continue
				}
			}
			joined.WriteString(p.text)
		}
		var err error
		if text, err = sjson.Set(text, r.path, joined.String()); err != nil {
			return "", fmt.Errorf("%s: %w", r.path, err)
		}
	}
	return text, nil
}

func flush(ctx context.Context, to producer, o *tally) error {
	err := to.Flush(ctx)
	if err != nil {
		o.fail(err)
	}
	return err
}
