// Package benchtext reads the text of benchmark results: what go test prints, in any
// encoding, with or without -json.
package benchtext

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"
)

// maxText is how large a file of benchmark results may be.
const maxText = 256 << 20

// Read reads a file of benchmark results, whatever wrote it: UTF-16, as
// PowerShell's > writes it, a byte order mark and the events of go test -json are
// taken away.
func Read(file string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxText+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxText:
		return nil, fmt.Errorf("%s has more than %d MB: benchmark results were expected", file, maxText>>20)
	}
	if text, err = utf8Text(text); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return withoutEvents(text), nil
}

// LongestLine is what benchfmt reads of a line, in bytes.
const LongestLine = bufio.MaxScanTokenSize - 1

// NewReader reads results. benchfmt reads nothing more after a longer line, whatever it is:
// here it is empty to benchfmt. tooLong has those that may be part of the results; others are
// output of the tests.
func NewReader(text []byte, file string) (in *benchfmt.Reader, tooLong []*benchfmt.SyntaxError) {
	var short []byte // text up to where nothing was shortened, nil without a longer line
	n, kept := 0, 0
	for at := 0; at < len(text); n++ {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		if line := text[at:end]; len(line) > LongestLine {
			short = append(short, text[kept:at]...)
			kept = end
			if partOfResults(line) {
				tooLong = append(tooLong, &benchfmt.SyntaxError{FileName: file, Line: n + 1, Msg: fmt.Sprintf("the line has %d bytes, more than the %d that a line of results may have", len(line), LongestLine)})
			}
		}
		at = end + 1
	}
	if kept > 0 {
		text = append(short, text[kept:]...)
	}
	return benchfmt.NewReader(bytes.NewReader(text), file), tooLong
}

// partOfResults reports whether benchfmt would look at a line: for a result, a unit, or
// "key: value".
func partOfResults(line []byte) bool {
	if bytes.HasPrefix(line, []byte("Benchmark")) || bytes.HasPrefix(line, []byte("Unit ")) {
		return true
	}
	key, _, ok := bytes.Cut(line[:min(len(line), 100)], []byte(":"))
	first, _ := utf8.DecodeRune(key)
	return ok && unicode.IsLower(first) && !bytes.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsUpper(r) })
}

// utf8Text decodes UTF-16 and UTF-8 with a byte order mark. UTF-16 without a mark is
// known by the zeros that ASCII has in it.
func utf8Text(text []byte) ([]byte, error) {
	ascii := func(zero int) bool { // whose zeros are in the even or odd bytes
		return len(text) >= 4 && text[zero] == 0 && text[zero+2] == 0 && text[1-zero] != 0 && text[3-zero] != 0
	}
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(text, []byte("\x00\x00\xfe\xff")):
		return nil, errors.New("the text is UTF-32: save it as UTF-8")
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return text[3:], nil
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		return fromUTF16(text[2:], 0), nil
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		return fromUTF16(text[2:], 1), nil
	case ascii(1):
		return fromUTF16(text, 0), nil
	case ascii(0):
		return fromUTF16(text, 1), nil
	}
	return text, nil
}

// fromUTF16 decodes UTF-16; low is where a unit's low byte is. Half a unit at the end
// is left out.
func fromUTF16(text []byte, low int) []byte {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = uint16(text[2*i+low]) | uint16(text[2*i+1-low])<<8
	}
	return []byte(string(utf16.Decode(units)))
}

// withoutEvents returns what go test would have printed without -json; other text is
// returned as it is. The events of packages may be interleaved, and of a line there may
// be several.
func withoutEvents(text []byte) []byte {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte(`{"`)) {
		return text
	}
	var order []string
	printed := make(map[string]*strings.Builder)
	add := func(pkg, output string) {
		if printed[pkg] == nil {
			printed[pkg] = new(strings.Builder)
			order = append(order, pkg)
		}
		printed[pkg].WriteString(output)
	}
	events := 0
	for line := range bytes.Lines(text) {
		// As cmd/test2json and go help buildjson document it.
		var e struct{ Action, Package, Test, ImportPath, Output string }
		if json.Unmarshal(line, &e) != nil || e.Action == "" {
			add("", string(line)) // what else wrote to the same file
			continue
		}
		events++
		pkg := e.Package
		if pkg == "" {
			pkg, _, _ = strings.Cut(e.ImportPath, " ") // p [p.test]
		}
		switch ended := e.Test == "" && e.Package != ""; {
		case e.Output != "":
			add(pkg, e.Output)
		case ended && e.Action == "fail":
			add(pkg, "\nFAIL\t"+pkg+"\n")
		case ended && e.Action == "pass":
			add(pkg, "\nok  \t"+pkg+"\n")
		}
	}
	if events == 0 {
		return text
	}
	var b bytes.Buffer
	for _, pkg := range order {
		b.WriteString(printed[pkg].String())
		b.WriteByte('\n')
	}
	return b.Bytes()
}
