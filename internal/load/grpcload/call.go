package grpcload

import (
	"context"
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2/hpack"

	"github.com/hone-go/hone/internal/load"
)

// A call is a request that was sent, and what has arrived of its answer. Its connection
// owns it from begin until the taker gets it.
type call struct {
	taker  taker
	path   *route
	fields []byte // of headers that differ from call to call, compressed; may be empty
	body   []byte // messages, each with the five bytes before it
	keep   bool   // the answer's messages, in kept

	// While it is sent: see conn.begin.
	id       uint32
	rest     []byte    // of body, not sent yet
	window   int       // of what the server takes on this stream
	blocked  bool      // rest waits for the window
	deadline time.Time // zero: none

	// The answer.
	taken    int     // bytes of DATA, since the window was last opened
	lead     [5]byte // before a message
	leading  int     // how many of them came
	left     int     // of the present message
	messages int
	bytes    int // of messages
	status   answerStatus
	kept     []byte

	// What a Sender or Client needs; the connection doesn't look at it.
	pending
}

// A taker receives calls that have ended. err says why there is no complete answer.
type taker interface {
	take(k *call, err error)
}

// A job is a request of a load, with whom to tell its outcome.
type job struct {
	ctx    context.Context
	clock  load.Clock
	number load.Request
	done   func(load.Request, load.Outcome)
	waited bool
}

// A pending holds what a Sender or Client needs to know about a call.
type pending struct {
	job
	sent   time.Duration
	values *requestValues
}

func newCall(t taker, r *route) *call {
	return &call{taker: t, path: r, pending: pending{values: newRequestValues()}}
}

// renew resets a call to its state before it was sent.
func (k *call) renew() {
	k.id, k.rest, k.window, k.blocked = 0, nil, 0, false
	k.taken, k.leading, k.left, k.messages, k.bytes = 0, 0, 0, 0, 0
	k.status, k.kept = answerStatus{}, nil
}

// An answerStatus is what the headers and trailers of an answer say.
type answerStatus struct {
	http      int
	content   string // its type
	grpc      int
	has       bool // a grpc-status
	message   string
	size      int // of the headers
	malformed bool
}

func (s *answerStatus) field(name, value string) {
	switch name {
	case ":status":
		s.http, _ = strconv.Atoi(value)
	case "content-type":
		s.content = value
	case "grpc-status":
		n, err := strconv.Atoi(value)
		s.grpc, s.has, s.malformed = n, true, err != nil
	case "grpc-message":
		s.message = value
	}
}

// merge adds what trailers say to what headers did.
func (s *answerStatus) merge(o answerStatus) {
	if o.http != 0 {
		s.http = o.http
	}
	if o.content != "" {
		s.content = o.content
	}
	if o.has {
		s.grpc, s.has, s.malformed, s.message = o.grpc, true, o.malformed, o.message
	}
}

// maxKept is how many bytes of an answer are kept at most, where they are.
const maxKept = 256 << 20

func (s *answerStatus) speaksGRPC() bool { return strings.HasPrefix(s.content, "application/grpc") }

// data counts the messages of a piece of the answer.
func (k *call) data(b []byte, most int) error {
	if k.keep {
		if k.kept = append(k.kept, b...); len(k.kept) > maxKept {
			return failure("message too large", "the answer is longer than %d bytes", maxKept)
		}
	}
	if k.status.http != 200 || !k.status.speaksGRPC() {
		return nil // verdict says so
	}
	for len(b) > 0 {
		if k.left > 0 {
			n := min(k.left, len(b))
			k.left -= n
			b = b[n:]
			continue
		}
		n := copy(k.lead[k.leading:], b)
		k.leading += n
		b = b[n:]
		if k.leading < len(k.lead) {
			return nil
		}
		size := binary.BigEndian.Uint32(k.lead[1:])
		if k.lead[0] > 1 {
			return failure("bad answer", "invalid message: its first byte is %#x, not 0 or 1", k.lead[0])
		}
		if int64(size) > int64(most) {
			return failure("message too large", "the answer has a message of %d bytes; the limit is %d", size, most)
		}
		k.leading, k.left = 0, int(size)
		k.messages++
		k.bytes += int(size)
	}
	return nil
}

// verdict returns an error unless a complete answer is a success.
func (k *call) verdict() error {
	s := &k.status
	switch {
	case s.http != 200 && !s.has:
		return failure("status "+strconv.Itoa(s.http), "HTTP status %d, content type %q, and no gRPC status", s.http, s.content)
	case !s.has || s.malformed:
		return failure("bad answer", "the answer has no grpc-status (content type %q)", s.content)
	case s.grpc != 0:
		name := "grpc " + statusName(s.grpc)
		if s.message == "" {
			return &load.Failure{Class: name, Text: name}
		}
		return failure(name, "%s: %s", name, unescape(s.message))
	case !s.speaksGRPC():
		return failure("bad answer", "invalid content type %q: want application/grpc", s.content)
	case k.left > 0 || k.leading > 0:
		return failure("bad answer", "the answer ended in the middle of a message")
	case k.messages != 1 && !k.path.manyAnswers:
		return failure("bad answer", "the answer has %d messages instead of 1", k.messages)
	}
	return nil
}

// appendMessage appends a message with the five bytes before it: whether it is
// compressed, and its length.
func appendMessage(dst []byte, compressed bool, message []byte) []byte {
	flag := byte(0)
	if compressed {
		flag = 1
	}
	return append(binary.BigEndian.AppendUint32(append(dst, flag), uint32(len(message))), message...)
}

// A route is what all calls of a method have in common.
type route struct {
	fields      []hpack.HeaderField
	manyAnswers bool
}
