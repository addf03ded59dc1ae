package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
)

// OpenRPC replaces the body of a request of gRPC, gRPC-Web or Connect by one that takes
// memory from the request's share. It is decompressed here, so that its size is counted
// while it grows; Connect would hold all of it first. A message may have limit bytes, as
// sent and decompressed. OpenRPC returns when the first message has arrived. Errors are
// of type *ingest.Error.
func OpenRPC(w http.ResponseWriter, r *http.Request, limit int64) error {
	if limit <= 0 {
		limit = math.MaxInt64 - 1
	}
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	encoding := ""
	switch {
	case strings.HasPrefix(kind, "application/grpc"):
		encoding = r.Header.Get("Grpc-Encoding")
	case strings.HasPrefix(kind, "application/connect+"):
		encoding = r.Header.Get("Connect-Content-Encoding")
	default: // a message alone
		body, err := Body(w, r, limit)
		if err != nil {
			return err
		}
		// Connect copies it.
		if err := ingest.TakeFor(r.Context(), int64(len(body))); err != nil {
			return err
		}
		if err := TakeBuilt(r, body); err != nil {
			return err
		}
		r.Header.Del("Content-Encoding")
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return nil
	}
	e := &envelopes{body: r.Body, share: ingest.ShareOf(r.Context()), limit: limit, gzip: encoding == "gzip"}
	r.Body, r.ContentLength = e, -1
	if e.share != nil {
		e.before = e.share.Used()
	}
	if e.next(); e.err != nil && e.err != io.EOF {
		var refused *ingest.Error
		if errors.As(e.err, &refused) {
			return refused
		}
	}
	if err := TakeBuilt(r, e.rest); err != nil {
		return err
	}
	if s, ok := e.body.(interface{ Started() }); ok {
		s.Started()
	}
	return nil
}

// TakeBuilt takes the memory for the message that is built from an encoded one. That can
// be a hundred bytes for a few of the encoding.
func TakeBuilt(r *http.Request, message []byte) error {
	const most = 64 << 20
	built := min(16*int64(len(message)), most)
	if strings.Contains(r.Header.Get("Content-Type"), "json") {
		built = builtFromJSON(message)
	}
	return ingest.TakeFor(r.Context(), built)
}

// builtFromJSON returns about how much memory is needed to build messages from JSON: a
// copy of its texts and of what they decode to, its messages, and the elements of its
// lists while those grow by copies.
func builtFromJSON(text []byte) int64 {
	const perObject, perElement = 200, 24
	return 2*int64(len(text)) + perObject*int64(bytes.Count(text, []byte("{"))) + perElement*int64(bytes.Count(text, []byte(",")))
}

// ReadJSON reads the body of a request, as Body does, and builds a message of at most the
// given number of objects from it. Errors are of type *ingest.Error.
func ReadJSON(w http.ResponseWriter, r *http.Request, limit int64, m proto.Message, objects int) error {
	body, err := Body(w, r, limit)
	if err != nil {
		return err
	}
	if err := ingest.TakeFor(r.Context(), builtFromJSON(body)); err != nil {
		return err
	}
	if err := UnmarshalJSON(body, m, objects); err != nil {
		return ingest.Errorf(ingest.Malformed, "the request is not a %s in JSON: %w", m.ProtoReflect().Descriptor().Name(), err)
	}
	return nil
}

// envelopes is a body of messages, each
//
//	0      flags, of which 1 is "compressed"
//	1      length, big endian
//	5      message
//
// of which those compressed with gzip are read as if they weren't.
type envelopes struct {
	body   io.ReadCloser
	share  *ingest.Share // nil counts nothing
	before int64         // what it had without a message
	limit  int64
	gzip   bool
	rest   []byte // of the message being read, with its head
	err    error  // behind it
}

func (e *envelopes) Close() error { return e.body.Close() }

func (e *envelopes) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		if e.share != nil {
			e.share.Give(e.share.Used() - e.before) // the message before is done with
		}
		e.next()
		if len(e.rest) == 0 {
			return 0, e.err
		}
	}
	n := copy(p, e.rest)
	if e.rest = e.rest[n:]; len(e.rest) == 0 {
		e.rest = nil // the reader has all of the message: it is not to be kept twice
	}
	return n, nil
}

// next reads a message. What is cut off is for the reader to complain about.
func (e *envelopes) next() {
	head := make([]byte, 5)
	if n, err := io.ReadFull(e.body, head); err != nil {
		e.rest, e.err = head[:n], err
		return
	}
	n := int64(binary.BigEndian.Uint32(head[1:]))
	if n > e.limit {
		e.rest, e.err = nil, tooLarge("", e.limit)
		return
	}
	body := io.LimitReader(e.body, n)
	if !e.gzip || head[0]&1 == 0 {
		e.rest, e.err = readAll(body, n, head)
		return
	}
	sent := &counted{Reader: body}
	b := head
	z, err := gzip.NewReader(sent)
	if err == nil {
		b, err = readAll(io.LimitReader(e.share.Charged(&expanding{z, sent, 0}), e.limit+1), 0, head)
	}
	var refused *ingest.Error
	switch {
	case err == nil && int64(len(b)) > 5+e.limit:
		err = tooLarge(" when decompressed", e.limit)
	case err != nil && !errors.As(err, &refused):
		err = ingest.Errorf(ingest.Malformed, "can't decompress a message: %w", err)
	case err == nil:
		_, err = io.Copy(io.Discard, body) // behind the end of the gzip data
	}
	if err != nil {
		e.rest, e.err = nil, err
		return
	}
	if e.share != nil {
		e.share.Give(2 * sent.n) // nothing of it is kept
	}
	e.rest = b
	e.rest[0] &^= 1
	binary.BigEndian.PutUint32(e.rest[1:], uint32(len(e.rest)-5))
}
