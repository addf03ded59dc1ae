// Package wire is what the protocols have in common: bodies read within limits,
// and errors told in HTTP, gRPC and Connect.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/hone-go/hone/internal/ingest"
)

// Body reads the body of a request and decompresses it according to its Content-Encoding:
// gzip, zstd or none. It may have at most limit bytes, as sent and decompressed; 0 is no
// limit. The caller owns the result. Errors are of type *ingest.Error.
func Body(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = math.MaxInt64 - 1
	}
	if r.ContentLength > limit {
		// Not read at all: the connection can't be used again.
		w.Header().Set("Connection", "close")
		return nil, tooLarge("", limit)
	}
	share := ingest.ShareOf(r.Context())
	before := int64(0)
	if share != nil {
		before = share.Used()
	}
	sent := &counted{Reader: http.MaxBytesReader(w, r.Body, limit)}
	var body io.Reader
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
		body = sent
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(sent)
		if err != nil {
			return nil, unreadable(r, err, limit)
		}
		body = share.Charged(&expanding{z, sent, 0})
	case "zstd":
		z, err := unzstd(r.Context(), sent)
		if err != nil {
			return nil, unreadable(r, err, limit)
		}
		defer z.Close()
		body = share.Charged(&expanding{z, sent, 0})
	default:
		return nil, ingest.Errorf(ingest.Malformed, "unsupported Content-Encoding %.40q: use gzip, zstd or none", encoding)
	}
	length := int64(0)
	if body == io.Reader(sent) {
		length = r.ContentLength
	}
	b, err := readAll(io.LimitReader(body, limit+1), length, nil)
	if err != nil {
		return nil, unreadable(r, err, limit)
	}
	if int64(len(b)) > limit {
		return nil, tooLarge(" when decompressed", limit)
	}
	if share != nil { // buffers that it was copied from, and what it was decompressed from, are gone
		share.Give(max(0, share.Used()-before-int64(cap(b))))
	}
	return b, nil
}

// unzstd returns a decoder of zstd data, which takes the memory of its window: a head of
// some bytes alone has a decoder allocate that.
func unzstd(ctx context.Context, sent io.Reader) (*zstd.Decoder, error) {
	const least, most = 1 << 20, 8 << 20
	in := bufio.NewReader(sent)
	head, err := in.Peek(zstd.HeaderMaxSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	window := uint64(most)
	var h zstd.Header
	if h.Decode(head) == nil && !h.Skippable {
		if window = h.WindowSize; h.SingleSegment {
			window = h.FrameContentSize
		}
	}
	if window > most {
		return nil, zstd.ErrWindowSizeExceeded
	}
	// Frames that follow may not have larger windows than what is taken.
	window = max(window, least)
	if err := ingest.TakeFor(ctx, int64(window)); err != nil {
		return nil, err
	}
	return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
}

// readAll reads r to its end and appends it to b. If length isn't 0 it is how many bytes
// are said to come: the buffer, which grows as bytes really come, gets no larger than that.
func readAll(r io.Reader, length int64, b []byte) ([]byte, error) {
	const first = 1 << 20
	size, whole := len(b)+bytes.MinRead, math.MaxInt
	if length > 0 {
		whole = len(b) + int(min(length, 1<<30)) + 1 // the end comes with a read of its own
		size = min(whole, first)
	}
	b = slices.Grow(b, size-len(b))
	for {
		if len(b) == cap(b) {
			if len(b) >= whole {
				whole = math.MaxInt // it was not true
			}
			grown := make([]byte, len(b), min(2*cap(b), whole))
			copy(grown, b)
			b = grown
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}

// The decompressed size of a message is limited by what was sent of it so far. Messages of
// agents compress four to ten times; one that compresses a thousand times is an attack.
const (
	expandTo  = 4 << 20
	expansion = 64
)

// counted counts what is read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// expanding fails when far more is decompressed than was sent.
type expanding struct {
	io.Reader
	sent *counted
	n    int64
}

func (e *expanding) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if e.n += int64(n); e.n > expandTo+expansion*e.sent.n {
		return 0, ingest.Errorf(ingest.TooLarge, "the request is larger than %d bytes when decompressed, which is the limit for the %d bytes sent", expandTo+expansion*e.sent.n, e.sent.n)
	}
	return n, err
}

func tooLarge(when string, limit int64) error {
	return ingest.Errorf(ingest.TooLarge, "the request is larger than %d bytes%s", limit, when)
}

func unreadable(r *http.Request, err error, limit int64) error {
	var over *http.MaxBytesError
	var refused *ingest.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &over):
		return tooLarge("", limit)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return ingest.Errorf(ingest.TooLarge, "decompressing the body needs too much memory: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ingest.Errorf(ingest.Malformed, "the body ended early: %w", err)
	}
	if e := r.Header.Get("Content-Encoding"); e != "" {
		return ingest.Errorf(ingest.Malformed, "can't decode the body (Content-Encoding %.40s): %w", e, err)
	}
	return ingest.Errorf(ingest.Malformed, "can't read the body: %w", err)
}

// Error returns the *ingest.Error that err is or wraps. Any other error is the server's
// fault: the result is an internal error, without its text, which is not for clients.
func Error(err error) *ingest.Error {
	var e *ingest.Error
	if errors.As(err, &e) {
		if e.Reason != ingest.Internal {
			return e
		}
	}
	return &ingest.Error{Reason: ingest.Internal, Err: errInternal}
}

var errInternal = errors.New("the server could not store the profiles; see its log")

// RetryAfter returns the value of a Retry-After header, in seconds, or "".
func RetryAfter(e *ingest.Error) string {
	if e.RetryAfter <= 0 {
		return ""
	}
	return strconv.FormatInt(int64((e.RetryAfter+time.Second-1)/time.Second), 10)
}

// Refuse answers a request with an error as JSON, with the given status or, if
// that is 0, that of its reason:
//
//	{"error": "the request is larger than 1024 bytes", "reason": "too_large"}
func Refuse(w http.ResponseWriter, err error, status int) {
	e := Error(err)
	if status == 0 {
		status = e.Reason.HTTP()
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	if after := RetryAfter(e); after != "" {
		h.Set("Retry-After", after)
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct { // the client is gone if this fails
		Error  string `json:"error"`
		Reason string `json:"reason"`
	}{e.Error(), e.Reason.String()})
}

// Time reads a time: ns since 1970 as an integer, or RFC 3339.
func Time(s string) (int64, error) {
	if ns, err := strconv.ParseInt(s, 10, 64); err == nil {
		return ns, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return 0, fmt.Errorf("invalid time %.60q: use nanoseconds since 1970 or 2006-01-02T15:04:05Z", s)
	}
	if t.Year() < 1678 || t.Year() > 2261 { // what ns since 1970 reach
		return 0, fmt.Errorf("invalid time %.60q of a profile: it is before 1970 or too far in the future", s)
	}
	return t.UnixNano(), nil
}
