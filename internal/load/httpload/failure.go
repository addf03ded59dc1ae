package httpload

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hone-go/hone/internal/load"
)

// prefixed returns err with prefix before its text. A *load.Failure keeps its class.
func prefixed(prefix string, err error) error {
	var f *load.Failure
	if errors.As(err, &f) {
		return &load.Failure{Class: f.Class, Text: prefix + f.Text}
	}
	return fmt.Errorf("%s%w", prefix, err)
}

const (
	classNotHTTP2 = "not HTTP/2"
	classGoAway   = "goaway"
)

// What net/http says where an error of HTTP/2 has neither a type nor a value that others can
// ask for. TestTextsOfHTTP2 gets each error from net/http, and fails when a text changes.
const (
	textGoAway         = "GOAWAY"                                      // the server went away, and didn't answer
	textUnusable       = "http2: client conn not usable"               // it went away before: nothing was sent
	textNotEstablished = "http2: client conn could not be established" // … before the first request
)

func says(err error, text string) bool { return strings.Contains(err.Error(), text) }

// A streamError is an error of one stream. net/http's own type is unexported; it fills
// one that has the same fields.
type streamError struct {
	StreamID uint32
	Code     uint32 // RFC 9113, 7
	Cause    error
}

func (e streamError) Error() string {
	return fmt.Sprintf("stream %d: error code %d", e.StreamID, e.Code)
}

const codeRefused = 0x7

// classed gives errors of HTTP/2 the class of their cause.
func classed(err error) error {
	var stream streamError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &stream) && stream.Code == codeRefused:
		return &load.Failure{Class: "refused stream", Text: err.Error()}
	case errors.As(err, &stream):
		return &load.Failure{Class: "stream reset", Text: err.Error()}
	case says(err, textGoAway):
		return &load.Failure{Class: classGoAway, Text: err.Error()}
	case says(err, textUnusable), says(err, textNotEstablished):
		return fmt.Errorf("%w: %w", err, io.ErrUnexpectedEOF)
	}
	return err
}
