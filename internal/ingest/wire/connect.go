package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hone-go/hone/internal/ingest"
)

// ConnectError returns a Receiver's error as an error of Connect and gRPC. It says when
// to try again in both ways that clients know: in a Retry-After header, and in a
// google.rpc.RetryInfo among the details.
func ConnectError(err error) *connect.Error {
	e := Error(err)
	c := connect.NewError(connect.Code(e.Reason.GRPC()), e)
	if after := RetryAfter(e); after != "" {
		c.Meta().Set("Retry-After", after)
		if detail, err := connect.NewErrorDetail(RetryInfo(e.RetryAfter)); err == nil {
			c.AddDetail(detail)
		}
	}
	return c
}

// RetryInfo returns a google.rpc.RetryInfo { Duration retry_delay = 1 }. It is encoded
// here because the Go package of that message has many dependencies
// (https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto).
func RetryInfo(after time.Duration) *anypb.Any {
	delay, err := proto.Marshal(durationpb.New(after))
	if err != nil {
		panic(err) // two numbers
	}
	info := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), delay)
	return &anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.RetryInfo", Value: info}
}

// PushOptions returns the options of handlers for pushes. They limit requests to
// lim.BodyBytes, as sent and decompressed. A request whose messages would take far more
// memory than its bytes is refused before it is built. For that, fields are counted down
// to depth: 0 counts the fields of the request, 1 also those of its messages.
func PushOptions(lim ingest.Limits, depth int) []connect.HandlerOption {
	fields := Objects(lim)
	o := []connect.HandlerOption{
		connect.WithCodec(protoCodec{fields, depth}),
		connect.WithCodec(jsonCodec{"json", fields}),
		connect.WithCodec(jsonCodec{"json; charset=utf-8", fields}),
	}
	if lim.BodyBytes > 0 {
		o = append(o, connect.WithReadMaxBytes(int(min(lim.BodyBytes, math.MaxInt))))
	}
	return o
}

// Objects returns the largest number of messages in a request within limits: a profile
// has up to a few tens of labels.
func Objects(lim ingest.Limits) int {
	if lim.Pushes <= 0 || lim.Pushes > 1e6 {
		return math.MaxInt
	}
	return 1000 + 64*lim.Pushes
}

// Raw is an answer that is encoded already, so that its message need not be built. For
// JSON it is decoded into Message first.
type Raw struct {
	Encoded []byte
	Message proto.Message
}

type protoCodec struct{ fields, depth int }

func (protoCodec) Name() string   { return "proto" }
func (protoCodec) IsBinary() bool { return true }

func (c protoCodec) Unmarshal(data []byte, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("unexpected type %T of a message", v)
	}
	left := c.fields
	if err := countFields(data, c.depth, &left); err != nil {
		return err
	}
	return proto.Unmarshal(data, m)
}

func (protoCodec) Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case *Raw:
		return m.Encoded, nil
	case proto.Message:
		return proto.Marshal(m)
	}
	return nil, fmt.Errorf("unexpected type %T of a message", v)
}

func (c protoCodec) MarshalStable(v any) ([]byte, error) { return c.Marshal(v) }

var errFields = errors.New("too many fields for the profiles that a request may have")

// countFields takes the number of fields of an encoded message from left, and
// those of its fields down to a depth.
func countFields(b []byte, depth int, left *int) error {
	for len(b) > 0 {
		if *left--; *left < 0 {
			return errFields
		}
		_, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		n = protowire.ConsumeFieldValue(1, typ, b)
		if typ == protowire.BytesType && n >= 0 && depth > 0 {
			inner, _ := protowire.ConsumeBytes(b)
			if err := countFields(inner, depth-1, left); err != nil {
				return err
			}
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
	}
	return nil
}

type jsonCodec struct {
	name   string
	fields int
}

func (c jsonCodec) Name() string { return c.name }
func (jsonCodec) IsBinary() bool { return false }

func (c jsonCodec) Unmarshal(data []byte, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("unexpected type %T of a message", v)
	}
	return UnmarshalJSON(data, m, c.fields)
}

// UnmarshalJSON reads a message of at most the given number of objects.
func UnmarshalJSON(data []byte, m proto.Message, objects int) error {
	if bytes.Count(data, []byte("{")) > objects { // text of labels has few
		return errFields
	}
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, m)
}

func (c jsonCodec) Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case *Raw:
		message := proto.Clone(m.Message)
		if err := proto.Unmarshal(m.Encoded, message); err != nil {
			return nil, err
		}
		return protojson.Marshal(message)
	case proto.Message:
		return protojson.Marshal(m)
	}
	return nil, fmt.Errorf("unexpected type %T of a message", v)
}

func (c jsonCodec) MarshalStable(v any) ([]byte, error) { return c.Marshal(v) }
