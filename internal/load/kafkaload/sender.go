package kafkaload

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/template"
)

// A Sender sends messages to a topic. Send, Flood and Close are for one goroutine.
type Sender struct {
	opts     Options
	values   *template.Values
	tracker  *tracker // of what is sent and arrives; nil if nothing consumes
	consumer *consumer

	client *kgo.Client
	last   lastError       // of its connections
	ctx    context.Context // of the run; when it ends, so does what is under way
	unhook func() bool
	gaveUp *atomic.Bool // ctx ended while messages were under way: the client is closed
	closed sync.WaitGroup

	free     []*pendingMessage // of the sending goroutine
	returned struct {
		sync.Mutex
		messages []*pendingMessage
	}

	flood    bool
	messages atomic.Int64   // under way
	bytes    atomic.Int64   // of them
	calls    sync.WaitGroup // of done that have not returned
	acked    atomic.Int64   // messages that were acknowledged
	waiting  atomic.Bool    // a flood, for room
	room     chan struct{}  // tells it that a message ended
}

// New opens connections and looks for the topic. If a broker can't be reached or the topic
// doesn't exist, it returns an error, and nothing is sent.
func New(ctx context.Context, o Options) (*Sender, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Sender{opts: o, values: template.NewValues(o.Seed, 0), room: make(chan struct{}, 1)}
	if err := s.open(); err != nil {
		return nil, err
	}
	offsets, err := o.topic(ctx, s.client)
	if err == nil && o.Consume {
		s.tracker = newTracker(o.Warmup)
		s.consumer, err = o.consume(offsets, s.tracker)
	}
	if err != nil {
		s.client.Close()
		return nil, err
	}
	return s, nil
}

func (s *Sender) open() error {
	client, err := kgo.NewClient(append(s.opts.producer(), kgo.WithHooks(&s.last))...)
	if err != nil {
		return fmt.Errorf("settings for Kafka: %w", err)
	}
	s.client, s.gaveUp = client, new(atomic.Bool)
	return nil
}

// A pendingMessage waits for its acknowledgement. It is reused once that came.
type pendingMessage struct {
	kgo.Record
	sender  *Sender
	finish  func(*kgo.Record, error) // its method finished, bound once
	text    []byte                   // what key, value and headers are parts of
	headers []kgo.RecordHeader
	number  uint64 // as the tracker counts
	request load.Request
	sent    time.Duration
	clock   load.Clock
	done    func(load.Request, load.Outcome)
}

// Send hands a message to the client, which sends it in a batch. It never blocks: if too
// many messages wait for their acknowledgement, the message fails.
func (s *Sender) Send(ctx context.Context, clock load.Clock, r load.Request, done func(load.Request, load.Outcome)) {
	if ctx != s.ctx {
		s.begin(ctx)
	}
	if s.flood {
		r.Due = clock.Now()
	}
	m := s.message()
	m.request, m.clock, m.done, m.sent = r, clock, done, r.Due
	if !s.flood {
		m.sent = clock.Now()
	}
	m.fill(s)
	full := s.over(1, 1)
	s.calls.Add(1)
	s.messages.Add(1)
	s.bytes.Add(int64(len(m.text)))
	if full && !s.flood {
		m.end(errBacklog, 0)
		return
	}
	if ctx.Err() != nil {
		m.end(errGaveUp, 0)
		return
	}
	s.client.Produce(context.Background(), &m.Record, m.finish)
}

// begin takes the context of a run.
func (s *Sender) begin(ctx context.Context) {
	s.end()
	s.ctx = ctx
	client, gaveUp := s.client, s.gaveUp
	s.closed.Add(1)
	s.unhook = context.AfterFunc(ctx, func() {
		defer s.closed.Done()
		// Closing the client is the one way to end what was sent and not answered.
		if s.messages.Load() > 0 {
			gaveUp.Store(true)
			client.Close()
		}
	})
}

// end parts with the context of a run, and with the client if that had to be closed.
func (s *Sender) end() {
	if s.unhook != nil && s.unhook() {
		s.closed.Done()
	}
	s.unhook = nil
	s.closed.Wait()
	if s.gaveUp.Load() {
		_ = s.open() // as it did before
	}
}

func (s *Sender) limit() int64 {
	switch {
	case s.opts.Buffer > 0:
		return int64(s.opts.Buffer)
	case s.flood:
		return defaultFlood
	}
	return defaultBuffer
}

// over reports whether as much is under way as may be, or num/den of it.
func (s *Sender) over(num, den int64) bool {
	return s.messages.Load() >= max(1, s.limit()*num/den) || s.bytes.Load() >= max(1, int64(s.opts.BufferBytes)*num/den)
}

// refill is how many quarters of the limit are under way when a flood that was waiting for
// room goes on. Waking up for each message would cost more than sending it.
const refill = 3

// message returns one that is not under way.
func (s *Sender) message() *pendingMessage {
	if len(s.free) == 0 {
		s.returned.Lock()
		s.free, s.returned.messages = s.returned.messages, s.free
		s.returned.Unlock()
	}
	if n := len(s.free); n > 0 {
		m := s.free[n-1]
		s.free = s.free[:n-1]
		return m
	}
	m := &pendingMessage{sender: s}
	m.finish = m.finished
	return m
}

// fill writes the message's key, value and headers.
func (m *pendingMessage) fill(s *Sender) {
	o := &s.opts
	n := m.request.N
	s.values.N, s.values.Row = n, o.Feed.Row(n)
	text := m.text[:0]
	if o.Key != nil {
		text = o.Key.Append(text, s.values)
	}
	key := len(text)
	text = o.Values[uint64(n)%uint64(len(o.Values))].Append(text, s.values)
	value := len(text)
	headers := m.headers[:0]
	for _, h := range o.Headers {
		from := len(text)
		text = h.Value.Append(text, s.values)
		headers = append(headers, kgo.RecordHeader{Key: h.Name, Value: text[from:]})
	}
	if s.tracker != nil {
		from := len(text)
		text, m.number = s.tracker.appendMark(text, m.clock.Start(), m.request.Due)
		headers = append(headers, kgo.RecordHeader{Key: markName, Value: text[from:]})
	}
	at := value // Now that text doesn't move any more.
	for i := range headers {
		n := len(headers[i].Value)
		headers[i].Value = text[at : at+n]
		at += n
	}
	m.text, m.headers = text, headers
	m.Record = kgo.Record{
		Value: text[key:value], Headers: headers, Partition: int32(o.Partition),
		Timestamp: m.clock.Start().Add(m.sent),
	}
	if o.Key != nil {
		m.Key = text[:key]
	}
}

// finished is called by the client when the message was acknowledged, or failed.
func (m *pendingMessage) finished(_ *kgo.Record, err error) {
	if err != nil {
		m.end(failure(err, len(m.text), m.sender.opts.BatchBytes, m.sender.last.get()), 0)
		return
	}
	m.end(nil, len(m.Key)+len(m.Value))
}

// end reports the outcome of the message, and frees it for another one.
func (m *pendingMessage) end(f *load.Failure, bytes int) {
	s, r, done := m.sender, m.request, m.done
	o := load.Outcome{Sent: m.sent, Done: m.clock.Now(), Bytes: bytes, Failure: f}
	if s.tracker != nil && f == nil {
		s.tracker.acked(m.number)
	}
	size := int64(len(m.text))
	m.done = nil
	s.returned.Lock()
	s.returned.messages = append(s.returned.messages, m)
	s.returned.Unlock()
	s.bytes.Add(-size)
	s.messages.Add(-1)
	if f == nil {
		s.acked.Add(1)
	}
	if s.waiting.Load() && !s.over(refill, 4) && s.waiting.CompareAndSwap(true, false) {
		select {
		case s.room <- struct{}{}:
		default: // It has been told.
		}
	}
	done(r, o)
	s.calls.Done()
}

// Close ends the messages under way and the consumer. When it returns, all calls of done
// have returned.
func (s *Sender) Close() error {
	if s.unhook != nil && s.unhook() {
		s.closed.Done()
	}
	s.closed.Wait()
	s.client.Close()
	s.calls.Wait()
	if s.consumer != nil {
		s.consumer.close()
	}
	return nil
}

// Delivery waits until the consumer has read the topic to its end, and returns what it
// read. Lost messages are then counted as failures in r, which may be nil. Without a
// consumer it returns nil. Call it after the run and before Close.
func (s *Sender) Delivery(ctx context.Context, r *load.Result) *Delivery {
	if s.consumer == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Drain)
	defer cancel()
	err := s.consumer.drain(ctx)
	d := s.tracker.delivery()
	for s.opts.Acks == "none" && err == nil && d.Lost > 0 {
		// What nobody acknowledged may still be on its way to the broker.
		select {
		case <-time.After(settleTime):
			err = s.consumer.drain(ctx)
		case <-ctx.Done():
			err = ctx.Err()
		}
		before := d.Arrived
		if d = s.tracker.delivery(); d.Arrived == before {
			break
		}
	}
	if err != nil {
		d.incomplete(fmt.Sprintf("the consumer did not reach the end of the topic: %v", err))
	}
	text := "the message was acknowledged, but is not in the topic"
	if s.opts.Acks == "none" {
		text = "the message was sent without acknowledgement (-acks none), and is not in the topic"
	}
	if r != nil {
		r.Lose(d.Lost, load.Failure{Class: "lost", Text: text})
	}
	return d
}

// settleTime is how long nothing arrives until missing messages count as lost, if messages
// are not acknowledged.
const settleTime = time.Second
