package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hone-go/hone/internal/infile"
)

// A CorruptError says what is wrong with a run directory, and where.
type CorruptError struct {
	File   string // path as opened
	Line   int    // from 1; 0 if unknown
	Offset int64  // in bytes; −1 if unknown
	Cause  error
}

func (e *CorruptError) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Cause)
	case errors.As(e.Cause, new(*infile.SizeError)), errors.Is(e.Cause, infile.ErrNotRegular):
		return e.Cause.Error() // which begins with the file
	case e.Offset >= 0:
		return fmt.Sprintf("%s: offset %d: %v", e.File, e.Offset, e.Cause)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Cause)
}

func (e *CorruptError) Unwrap() error { return e.Cause }

// unread is the error of a file that could not be read: of what lies there instead, it is
// one of the run.
func unread(file string, err error) error {
	if errors.As(err, new(*infile.SizeError)) || errors.Is(err, infile.ErrNotRegular) {
		return &CorruptError{file, 0, -1, err}
	}
	return err
}

// unmarshal reads a file's JSON; an error has the line.
func unmarshal(file string, text []byte, v any) error {
	err := json.Unmarshal(text, v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return corruptAt(file, text, syntax.Offset, err)
	case errors.As(err, &kind):
		return corruptAt(file, text, kind.Offset, err)
	}
	return corruptAt(file, text, 0, err)
}

func corruptAt(file string, text []byte, offset int64, err error) error {
	line := 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
	return &CorruptError{file, line, offset, err}
}
