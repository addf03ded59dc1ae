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

const classNotHTTP2 = "not HTTP/2"

// classed gives errors that package http has in words alone the class of their cause.
func classed(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, class := range []struct{ word, name string }{
		{"REFUSED_STREAM", "refused stream"}, {"GOAWAY", "goaway"}, {"stream error", "stream reset"},
	} {
		if strings.Contains(text, class.word) {
			return &load.Failure{Class: class.name, Text: text}
		}
	}
	if strings.Contains(text, "http2: client connection lost") || strings.Contains(text, "client conn could not be established") || strings.Contains(text, unusable) {
		return fmt.Errorf("%w: %w", err, io.ErrUnexpectedEOF)
	}
	return err
}
