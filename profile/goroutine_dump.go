package profile

import (
	"fmt"
	"strconv"
	"strings"
)

// Goroutine dumps are text in one of two formats, shown in goroutine_debug1.go and
// goroutine_debug2.go. This file has the common code.

// RuntimeFrame is the name of frames that a goroutine dump with debug=1 omits: those of
// the Go runtime at the leaf. A symbolizer may replace it.
const RuntimeFrame = "[runtime]"

// Names for frames that a goroutine dump omits.
const (
	elidedFrame      = "[elided]"            // "...12 frames elided..." between the ends of a deep stack
	unavailableFrame = "[stack unavailable]" // of a goroutine that ran on another thread
)

// maxDumpWarnings limits the warnings of one dump.
const maxDumpWarnings = 10

// A lineReader iterates over the lines of a text.
type lineReader struct {
	text string
	n    int // number of the current line, from 1
	at   int // its offset
	end  int // offset of the next one

	unterminated bool // the current line has no newline: the text may be truncated
}

func (r *lineReader) next() (line string, ok bool) {
	if r.end >= len(r.text) {
		return "", false
	}
	r.n++
	r.at = r.end
	line, _, ok = strings.Cut(r.text[r.at:], "\n")
	r.unterminated = !ok
	r.end = r.at + len(line) + 1
	return strings.TrimSuffix(line, "\r"), true
}

func (r *lineReader) errorf(format string, args ...any) error {
	return &SyntaxError{int64(r.at), fmt.Sprintf("line %d: ", r.n) + fmt.Sprintf(format, args...)}
}

// here describes the position of the current line.
func (r *lineReader) here() string { return fmt.Sprintf("line %d (byte %d)", r.n, r.at) }

// A dumpBuilder builds the profile of a dump.
type dumpBuilder struct {
	*Builder
	lim      Limits
	warnings []string
	skipped  int // warnings not in warnings

	stack  []uint32
	lines  []Line
	labels []Label
}

func newDumpBuilder(kind string, lim Limits) *dumpBuilder {
	b := &dumpBuilder{Builder: NewBuilder(ValueType{kind, "count"}), lim: lim}
	b.in.p.PeriodType = ValueType{kind, "count"}
	b.in.p.Period = 1
	return b
}

func (b *dumpBuilder) warn(format string, args ...any) {
	if len(b.warnings) == maxDumpWarnings {
		b.skipped++
		return
	}
	b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
}

// function returns the function of a frame. It has the same name in the protobuf
// profile.
func (b *dumpBuilder) function(name, file string) uint32 {
	return b.Builder.Function(name, name, file, 0)
}

func (b *dumpBuilder) stringLabel(key, value string) {
	b.labels = append(b.labels, Label{Key: b.String(key), Str: b.String(value)})
}

func (b *dumpBuilder) numericLabel(key string, value int64, unit string) {
	b.labels = append(b.labels, Label{Key: b.String(key), Numeric: true, Num: value, Unit: b.String(unit)})
}

// add adds count goroutines with the collected stack and labels.
func (b *dumpBuilder) add(count int64) error {
	b.Sample(b.stack, b.labels, count)
	p := b.in.p
	switch {
	case len(p.Stacks) > b.lim.Samples:
		return &LimitError{"samples", int64(b.lim.Samples)}
	case len(p.Frames) > b.lim.Frames:
		return &LimitError{"frames", int64(b.lim.Frames)}
	case len(p.Locations) > b.lim.Locations:
		return &LimitError{"locations", int64(b.lim.Locations)}
	case len(p.Lines) > b.lim.Lines:
		return &LimitError{"lines", int64(b.lim.Lines)}
	case len(p.Functions) > b.lim.Functions:
		return &LimitError{"functions", int64(b.lim.Functions)}
	case len(p.Strings) > b.lim.Strings:
		return &LimitError{"strings", int64(b.lim.Strings)}
	case len(p.Labels) > b.lim.Labels:
		return &LimitError{"distinct labels", int64(b.lim.Labels)}
	}
	return nil
}

func (b *dumpBuilder) profile() *Profile {
	p := b.Builder.Profile()
	for _, w := range b.warnings {
		p.Comments = append(p.Comments, warning("%s", w))
	}
	if b.skipped > 0 {
		p.Comments = append(p.Comments, warning("%d more problems", b.skipped))
	}
	return p
}

// parseLabels calls add for the labels in list, such as `"key":"value", key: value`, up
// to a closing brace. Keys and values are quoted as in Go, or words of letters, digits,
// ".", "/" and "_", or empty. A space may follow the colon. rest is the text after the
// brace.
func parseLabels(list string, add func(key, value string)) (rest string, ok bool) {
	for i := 0; ; i++ {
		if strings.HasPrefix(list, "}") && i == 0 {
			return list[1:], true
		}
		var pair [2]string
		for j := range pair {
			if pair[j], list, ok = labelWord(list); !ok {
				return "", false
			}
			if j == 0 {
				if list, ok = strings.CutPrefix(list, ":"); !ok {
					return "", false
				}
				list = strings.TrimPrefix(list, " ")
			}
		}
		add(pair[0], pair[1])
		if rest, ok = strings.CutPrefix(list, "}"); ok {
			return rest, true
		}
		if list, ok = strings.CutPrefix(list, ", "); !ok {
			return "", false
		}
	}
}

// labelWord returns the key or value that s begins with, and what follows it.
func labelWord(s string) (word, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		n := strings.IndexFunc(s, func(r rune) bool {
			return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '/' || r == '_')
		})
		if n < 0 {
			n = len(s)
		}
		return s[:n], s[n:], true
	}
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", false
	}
	word, err = strconv.Unquote(quoted)
	return word, s[len(quoted):], err == nil
}

// cutFileLine splits "file:line".
func cutFileLine(s string) (file string, line int64, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9' {
		return "", 0, false
	}
	line, err := strconv.ParseInt(s[i+1:], 10, 64)
	return s[:i], line, err == nil
}

// parseHex parses "0x1f".
func parseHex(s string) (uint64, bool) {
	if len(s) < 3 || s[0] != '0' || s[1] != 'x' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:], 16, 64)
	return v, err == nil
}

// digits returns the decimal number s begins with and what follows it.
func digits(s string) (v int64, rest string, ok bool) {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(s[:n], 10, 64)
	return v, s[n:], err == nil
}
