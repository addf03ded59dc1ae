package wire

import (
	"errors"
	"fmt"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hone-go/hone/internal/ingest"
)

// A query from a newer client may have a condition that this version doesn't know. It
// gets an error, since an answer that ignores the condition looks like one that heeds it.
// In pushes, unknown fields are ignored.

// QueryOptions returns the options of handlers for queries. They are PushOptions, but keep
// the unknown fields of requests in JSON for Unsupported.
func QueryOptions(lim ingest.Limits) []connect.HandlerOption {
	o := PushOptions(lim, 0)
	for _, name := range []string{"json", "json; charset=utf-8"} {
		o = append(o, connect.WithCodec(questionCodec{jsonCodec{name, Objects(lim)}}))
	}
	return o
}

type questionCodec struct{ jsonCodec }

// unknownJSON is the number of a field that no message has. It holds what is wrong with
// a message in JSON.
const unknownJSON = protowire.MaxValidNumber

func (c questionCodec) Unmarshal(data []byte, v any) error {
	if err := c.jsonCodec.Unmarshal(data, v); err != nil {
		return err
	}
	m := v.(proto.Message)
	if err := protojson.Unmarshal(data, proto.Clone(m)); err != nil {
		_, what, _ := strings.Cut(err.Error(), "): ") // behind the place
		m.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, unknownJSON, protowire.BytesType), what))
	}
	return nil
}

// Unsupported returns an error that names an unknown field of a message, or of a message
// in it. Without any it returns nil.
func Unsupported(m proto.Message) error { return findUnknown(m.ProtoReflect()) }

func findUnknown(m protoreflect.Message) (found error) {
	if b := m.GetUnknown(); len(b) > 0 {
		number, _, n := protowire.ConsumeTag(b)
		if text, ok := protowire.ConsumeString(b[max(n, 0):]); number == unknownJSON && ok > 0 {
			return errors.New("hone does not support this: " + text)
		}
		return fmt.Errorf("hone does not support field %d of %s", number, m.Descriptor().FullName())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for i := 0; i < v.List().Len() && found == nil; i++ {
				found = findUnknown(v.List().Get(i).Message())
			}
		default:
			found = findUnknown(v.Message())
		}
		return found == nil
	})
	return found
}
