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

// Who asks a question of a newer version with a condition that this one doesn't know
// has to be told: an answer without it looks like one with it. Pushes are another
// thing: what agents tell besides is left out.

// QueryOptions is Options for handlers of questions: what is unknown in a request in
// JSON is kept for Unsupported.
func QueryOptions(lim ingest.Limits) []connect.HandlerOption {
	o := Options(lim, 0)
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

// Unsupported returns an error that names a field of a message, or of one in it, that
// hone doesn't know; nil without any. names are what such fields of a message may be
// called in versions that have them.
func Unsupported(m proto.Message, names map[protoreflect.FullName]string) error {
	return unsupported(m.ProtoReflect(), names)
}

func unsupported(m protoreflect.Message, names map[protoreflect.FullName]string) (found error) {
	if b := m.GetUnknown(); len(b) > 0 {
		number, _, n := protowire.ConsumeTag(b)
		if text, ok := protowire.ConsumeString(b[max(n, 0):]); number == unknownJSON && ok > 0 {
			return errors.New("hone does not support this: " + text)
		}
		also := ""
		if name := names[m.Descriptor().FullName()]; name != "" {
			also = ", such as " + name + ","
		}
		return fmt.Errorf("hone does not support field %d%s of %s", number, also, m.Descriptor().FullName())
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for i := 0; i < v.List().Len() && found == nil; i++ {
				found = unsupported(v.List().Get(i).Message(), names)
			}
		default:
			found = unsupported(v.Message(), names)
		}
		return found == nil
	})
	return found
}
