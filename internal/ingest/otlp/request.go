package otlp

import (
	"encoding/base64"
	"fmt"

	profiles "go.opentelemetry.io/proto/otlp/profiles/v1development"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/wire"
)

// A request is an encoded ExportProfilesServiceRequest.
type request struct {
	data []byte
	json bool // it was JSON before

	share *ingest.Share // of memory; nil counts nothing
}

// maxObjects bounds the messages of a request in JSON: each takes some hundred
// bytes until it is encoded.
const maxObjects = 1 << 20

// unmarshalJSON reads a request in JSON. ProfilesData has the fields of the
// request.
func (r *request) unmarshalJSON(data []byte) error {
	m := &profiles.ProfilesData{}
	if err := wire.UnmarshalJSON(data, m, maxObjects); err != nil {
		return err
	}
	var err error
	r.data, err = proto.Marshal(m)
	r.json = true
	return err
}

// id returns the text of an ID. In JSON they are hexadecimal, where other bytes
// are base64: they were read as such.
func (r *request) id(b []byte) string {
	if r.json {
		return base64.StdEncoding.EncodeToString(b)
	}
	for _, c := range b {
		if c != 0 {
			return fmt.Sprintf("%x", b)
		}
	}
	return "" // an ID of zeros is none
}
