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
	json bool // it was converted from JSON

	share *ingest.Share // of memory; nil: memory isn't counted
}

// maxObjects limits the messages of a request in JSON. Each takes a few hundred
// bytes until it is encoded.
const maxObjects = 1 << 20

// unmarshalJSON reads a request in JSON. The message ProfilesData has the same
// fields as the request.
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

// id returns the text of an ID. In JSON, IDs are hexadecimal and other bytes are
// base64. The decoder took IDs for base64 too, which id reverses.
func (r *request) id(b []byte) string {
	if r.json {
		return base64.StdEncoding.EncodeToString(b)
	}
	for _, c := range b {
		if c != 0 {
			return fmt.Sprintf("%x", b)
		}
	}
	return "" // zeros mean that there is no ID
}
