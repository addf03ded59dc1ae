package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// discard takes messages and drops them, so that a benchmark is of what makes them.
type discard struct{}

func (discard) Produce(_ context.Context, r *kgo.Record, promise func(*kgo.Record, error)) {
	promise(r, nil)
}
func (discard) Flush(context.Context) error { return nil }

// keep keeps copies of messages.
type keep struct {
	discard
	messages []string
}

func (k *keep) Produce(ctx context.Context, r *kgo.Record, promise func(*kgo.Record, error)) {
	k.messages = append(k.messages, string(r.Value))
	k.discard.Produce(ctx, r, promise)
}

func newTestTask(tb testing.TB, prefix string, first, devices int64, payloads, replacements string) *task {
	tb.Helper()
	t, err := newTask(prefix, first, devices, payloads, replacements)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func sampleTask(tb testing.TB, devices int64) *task {
	tb.Helper()
	return newTestTask(tb, "dev-", 1, devices, samplePayloads, sampleReplacements)
}

// TestMessages: all versions make these messages, in this order.
func TestMessages(t *testing.T) {
	type messages []string
	tests := map[string]struct {
		prefix, payloads, replacements string
		first, devices                 int64
		want                           messages
	}{
		"a path and texts": {
			"d", `{"name":{"first":"Janet","last":"Prichard"}}`, `{"name.first":["name.first","_","name.last"]}`, 1, 1,
			messages{`{"deviceNo":"d1","name":{"first":"Janet_Prichard","last":"Prichard"}}`},
		},
		"the number": {
			"d", `{"b":"x","deviceNo":5}`, `{"b":["b","/","deviceNo"],"z":["deviceNo"]}`, 9, 3,
			messages{`{"b":"x/d9","deviceNo":"d9","z":"d9"}`, `{"b":"x/d10","deviceNo":"d10","z":"d10"}`, `{"b":"x/d11","deviceNo":"d11","z":"d11"}`},
		},
		"two payloads, and a blank line": {
			"", "{}\n\n{\"a\":1}", `{}`, 0, 2, messages{`{"deviceNo":"0"}`, `{"a":1,"deviceNo":"0"}`, `{"deviceNo":"1"}`, `{"a":1,"deviceNo":"1"}`},
		},
		"values of all types": {
			"d", `{"v":[1,2.5,1e21,true,null,"x",{"y":[]}]}`, `{"t":["v.0"," ","v.1"," ","v.2"," ","v.3"," ","v.4"," ","v.6"," ","v.7"]}`, 1, 1,
			messages{`{"deviceNo":"d1","v":[1,2.5,1e+21,true,null,"x",{"y":[]}],"t":"1 2.5 1000000000000000000000 true  {\"y\":[]} v.7"}`},
		},
		"in the order of paths, each of which sees those before": {
			"d", `{"b":"x"}`, `{"c":["b"],"b":["a","y"],"a":["deviceNo"]}`, 1, 1, messages{`{"b":"d1y","deviceNo":"d1","a":"d1","c":"d1y"}`},
		},
		"new paths":         {"d", `{}`, `{"a.b.1":["x"]}`, 1, 1, messages{`{"deviceNo":"d1","a":{"b":[null,"x"]}}`}},
		"escapes":           {`<é">`, `{"é":"<"}`, `{"é":["é","\"","deviceNo"]}`, 1, 1, messages{`{"deviceNo":"\u003cé\"\u003e1","é":"\u003c\"\u003cé\"\u003e1"}`}},
		"no UTF-8":          {"\xc3", `{}`, `{}`, 1, 1, messages{`{"deviceNo":"\ufffd1"}`}},
		"paths are no more": {"d", `{"a":[1,2]}`, `{"b":["a.#","@this","*"]}`, 1, 1, messages{`{"a":[1,2],"deviceNo":"d1","b":"a.#@this*"}`}},
		"the largest":       {"d", `{}`, `{}`, 9223372036854775806, 1, messages{`{"deviceNo":"d9223372036854775806"}`}},
		"a prefix of digits, and what looks like placeholders": {
			"0", `{"a":"00000000000000000000","b":"222222222222222222222"}`, `{"c":["a","deviceNo","3"]}`, 33, 1,
			messages{`{"a":"00000000000000000000","b":"222222222222222222222","deviceNo":"033","c":"000000000000000000000333"}`},
		},
	}
	for name, test := range tests {
		for _, v := range versions {
			var k keep
			o := v.send(t.Context(), newTestTask(t, test.prefix, test.first, test.devices, test.payloads, test.replacements), &k)
			if !slices.Equal(k.messages, test.want) || o.err != nil || o.acked.Load() != int64(len(test.want)) || o.failed.Load() != 0 {
				t.Errorf("%s: %s: %d acknowledged, %v\ngot  %q\nwant %q", name, v.name, o.acked.Load(), o.err, k.messages, test.want)
			}
		}
	}
}

// FuzzVersions checks that all versions make the same messages.
func FuzzVersions(f *testing.F) {
	f.Add(samplePayloads, "device.name", "device.model", "_", "dev-", int64(1))
	f.Add(`{"a":{"b":"<\u2028"}}`, "a.b", "a", "deviceNo", `"`, int64(99))
	f.Add(`{"deviceNo":{"x":1}}`, "deviceNo.x", "deviceNo", "deviceNo.x", "{", int64(0))
	f.Add(`{"0":"00000000000000000000"}`, "0", "0", "deviceNo", "0", int64(1000))
	f.Add(`{"a":[{}]}`, "a.0.b", "a.0", "x", "\xff", int64(1)<<62)
	f.Fuzz(func(t *testing.T, payload, path, part1, part2, prefix string, first int64) {
		if manyDigits.MatchString(path) {
			t.Skip("sjson makes a list as long as that")
		}
		replacements, err := json.Marshal(map[string][]string{path: {part1, part2}, "z": {"deviceNo", part2, path}})
		if err != nil {
			t.Fatal(err)
		}
		task, err := newTask(prefix, first, 2, payload, string(replacements))
		if err != nil {
			t.Skip(err)
		}
		var want keep
		for i, v := range versions {
			var got keep
			o := v.send(t.Context(), task, &got)
			if i == 0 {
				want = got
			}
			if o.err != nil || !slices.Equal(got.messages, want.messages) {
				t.Errorf("%s: %v\ngot  %q\nwant %q", v.name, o.err, got.messages, want.messages)
			}
		}
	})
}

var manyDigits = regexp.MustCompile("[0-9]{4}")

// A late producer holds messages back, and then acknowledges all it has, the last
// first.
type late struct {
	t    *testing.T
	most int // it holds

	mu    sync.Mutex
	held  []func()
	texts map[string]bool
	ended sync.WaitGroup
}

func (l *late) Produce(_ context.Context, r *kgo.Record, promise func(*kgo.Record, error)) {
	text := string(r.Value)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts[text] = true
	l.held = append(l.held, func() {
		if string(r.Value) != text {
			l.t.Errorf("%q has become %q before it was acknowledged", text, r.Value)
		}
		promise(r, nil)
	})
	if len(l.held) == l.most {
		l.release()
	}
}

func (l *late) release() {
	held := l.held
	l.held = nil
	l.ended.Go(func() {
		for _, ack := range slices.Backward(held) {
			ack()
		}
	})
}

func (l *late) Flush(context.Context) error {
	l.mu.Lock()
	l.release()
	l.mu.Unlock()
	l.ended.Wait()
	return nil
}

// TestHeldBack: until a message is acknowledged nothing becomes of its text, and
// who waits for an acknowledgement gets on.
func TestHeldBack(t *testing.T) {
	const devices = 3*maxParcels*parcelSize/2 + 7
	for _, v := range versions {
		l := &late{t: t, most: maxParcels * parcelSize, texts: map[string]bool{}}
		o := v.send(t.Context(), newTestTask(t, "d", 1, devices, "{}\n{\"a\":1}", "{}"), l)
		if o.acked.Load() != 2*devices || len(l.texts) != 2*devices || o.err != nil {
			t.Errorf("%s: %d messages of %d acknowledged, %d different ones, %v", v.name, o.acked.Load(), 2*devices, len(l.texts), o.err)
		}
	}
}

// never acknowledges nothing, and has had enough after some messages.
type never struct {
	discard
	messages int
	enough   func()
}

func (n *never) Produce(context.Context, *kgo.Record, func(*kgo.Record, error)) {
	if n.messages++; n.messages == maxParcels*parcelSize {
		n.enough()
	}
}

// TestTooMany: without acknowledgements no more is sent than may be under way.
func TestTooMany(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := &never{enough: cancel}
	o := sendTuned(ctx, newTestTask(t, "d", 1, 1<<40, "{}", "{}"), n)
	if !errors.Is(o.err, context.Canceled) || n.messages != maxParcels*parcelSize || o.acked.Load() != 0 {
		t.Errorf("%d messages were sent, %v", n.messages, o.err)
	}
}

var errThird = errors.New("it was the third")

// refuse refuses each third message.
type refuse struct {
	discard
	messages int
}

func (r *refuse) Produce(_ context.Context, record *kgo.Record, promise func(*kgo.Record, error)) {
	r.messages++
	if r.messages%3 == 0 {
		promise(record, errThird)
		return
	}
	promise(record, nil)
}

// TestReport checks what is printed: what failed is counted, and the first says why.
func TestReport(t *testing.T) {
	for _, v := range versions {
		for _, test := range []struct {
			to   producer
			want result
		}{
			{discard{}, result{SuccessCount: 1000, ParseFail: []string{"line 2: null is not an object"}, Msg: "success"}},
			{new(refuse), result{SuccessCount: 667, FailCount: 333, ParseFail: []string{"line 2: null is not an object"}, Msg: errThird.Error()}},
		} {
			var out strings.Builder
			task := newTestTask(t, "d", 1, 1000, "{}\nnull", "{}")
			err := report(&out, task, func() *tally { return v.send(t.Context(), task, test.to) })
			got := readResult(t, out.String())
			if got.Elapsed == "" {
				t.Errorf("%s: no time in %s", v.name, &out)
			}
			got.Elapsed = ""
			if !slices.Equal(got.ParseFail, test.want.ParseFail) || got.SuccessCount != test.want.SuccessCount || got.FailCount != test.want.FailCount ||
				got.Msg != test.want.Msg || (err != nil) != (test.want.FailCount > 0) {
				t.Errorf("%s: %+v, %v; want %+v", v.name, got, err, test.want)
			}
		}
	}
}

func readResult(t *testing.T, text string) result {
	t.Helper()
	var r result
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return r
}

// TestTask: what can't be sent is told, each payload on its own.
func TestTask(t *testing.T) {
	task := newTestTask(t, "d", 1, 1, "{\"a\":[]}\n{\n[]\n\n{\"a\":{}}\n", `{"a.b":["x"]}`)
	want := []string{
		"line 1: a.b: cannot set array element for non-numeric key 'b'",
		"line 2: unexpected end of JSON input",
		"line 3: json: cannot unmarshal array into Go value of type map[string]interface {}",
	}
	if !slices.Equal(task.parseFail, want) || len(task.payloads) != 1 {
		t.Errorf("%d payloads, and %q", len(task.payloads), task.parseFail)
	}
	for want, test := range map[string]struct {
		first, devices int64
		replacements   string
	}{
		`invalid path "a.#"`: {0, 1, `{"a.#":["x"]}`},
		`invalid path ""`:    {0, 1, `{"":["x"]}`},
		"replacements: ":     {0, 1, `["x"]`},
		"not negative":       {-1, 1, `{}`},
		"63 bits":            {1, 1<<63 - 1, `{}`},
	} {
		if _, err := newTask("", test.first, test.devices, "{}", test.replacements); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestArguments: nothing is sent where the arguments make no sense.
func TestArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "payloads")
	if err := os.WriteFile(file, []byte("{\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		`unknown version "x"`:     {"-version", "x"},
		`unknown acks "x"`:        {"-acks", "x"},
		`unknown compression "x"`: {"-compression", "x"},
		"no payload to send":      {"-payloads", file},
		"not negative":            {"-n", "-1"},
		"invalid path":            {"-replace", `{"*":[]}`},
		"no such file":            {"-payloads", file + "x"},
		"replacements: invalid":   {"-replace", "x"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", args, err, want)
		}
	}
}

// BenchmarkSend measures a message.
func BenchmarkSend(b *testing.B) {
	for _, v := range versions {
		b.Run(v.name, func(b *testing.B) { benchmark(b, v.send) })
	}
}

// BenchmarkInUse measures a message of the version in use.
func BenchmarkInUse(b *testing.B) { benchmark(b, send) }

func benchmark(b *testing.B, send func(context.Context, *task, producer) *tally) {
	t := sampleTask(b, int64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	if o := send(b.Context(), t, discard{}); o.acked.Load() != int64(b.N) {
		b.Fatal(o.err)
	}
}
