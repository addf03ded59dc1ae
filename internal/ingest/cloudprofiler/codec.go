package cloudprofiler

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
)

// A codec reads messages of bounded memory: a label of few bytes takes many
// times as much once it is in a map, so labels are counted before.
type codec struct{}

func (codec) Name() string                          { return "proto" }
func (codec) IsBinary() bool                        { return true }
func (codec) Marshal(v any) ([]byte, error)         { return proto.Marshal(v.(proto.Message)) }
func (c codec) MarshalStable(v any) ([]byte, error) { return c.Marshal(v) }

func (codec) Unmarshal(data []byte, v any) error {
	var err error
	switch v.(type) {
	case *profilerpb.UpdateProfileRequest:
		err = fewFields(data, 1, 3)
	case *profilerpb.CreateOfflineProfileRequest:
		err = fewFields(data, 2, 3)
	case *profilerpb.CreateProfileRequest:
		err = fewFields(data, 1)
	}
	if err != nil {
		return err
	}
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("unexpected type %T of a message", v)
	}
	return proto.Unmarshal(data, m)
}

// maxFields is far more than a message has that labels are within their limit.
const maxFields = 4 * maxLabels

// fewFields returns an error if a message has too many fields, or one that is
// its field path[0], or that one's field path[1], and so on.
func fewFields(b []byte, path ...protowire.Number) error {
	for n := 0; len(b) > 0; n++ {
		if n == maxFields {
			return errors.New("the message has too many fields")
		}
		number, typ, tag := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(number, typ, b[max(tag, 0):])
		if tag < 0 || size < 0 {
			return protowire.ParseError(min(tag, size))
		}
		if typ == protowire.BytesType && len(path) > 0 && number == path[0] {
			inner, _ := protowire.ConsumeBytes(b[tag:])
			if err := fewFields(inner, path[1:]...); err != nil {
				return err
			}
		}
		b = b[tag+size:]
	}
	return nil
}
