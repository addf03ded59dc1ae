//go:build unix

//lint:file-ignore SA6002,SA6005 These are the forms that rules replace.

package rules

//lint:file-ignore SA1019 what is measured is what is better not used

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

//lint:file-ignore SA1019 what is measured is what is better not used

//lint:file-ignore SA1019 what is measured is what is better not used

const sentence = "The quick brown fox jumps over the lazy dog, and says so to whoever asks. "

var (
	paragraph      = strings.Repeat(sentence, 10)
	paragraphBytes = []byte(paragraph)
	someWords      = strings.Fields(paragraph)
)

func joined() map[string]versus {
	x, y, z := make([]int, 100), make([]int, 100), make([]int, 100)
	var builder strings.Builder
	user, host, port := "user", "example.com", 8080
	return map[string]versus{
		"append-chain": {func() { madeInts = append(append(append([]int{}, x...), y...), z...) }, func() { madeInts = slices.Concat(x, y, z) }},
		"concat-into-buffer": {
			func() { builder.Reset(); builder.Grow(128); builder.WriteString(sentence + host) },
			func() { builder.Reset(); builder.Grow(128); builder.WriteString(sentence); builder.WriteString(host) },
		},
		"join-literal": {func() { madeText = strings.Join([]string{user, host, "path"}, "/") }, func() { madeText = user + "/" + host + "/path" }},
		"slice-to-join": {
			func() {
				var parts []string
				for i := range 20 {
					parts = append(parts, strconv.Itoa(i+1000))
				}
				madeText = strings.Join(parts, ",")
			},
			func() {
				text := make([]byte, 0, 128)
				for i := range 20 {
					if i > 0 {
						text = append(text, ',')
					}
					text = strconv.AppendInt(text, int64(i+1000), 10)
				}
				madeText = string(text)
			},
		},
		"sprintf-simple": {func() { madeText = fmt.Sprintf("%s:%d", host, port) }, func() { madeText = host + ":" + strconv.Itoa(port) }},
		"bytes-sprintf":  {func() { madeBytes = []byte(fmt.Sprintf("%s@%s:%d", user, host, port)) }, func() { madeBytes = fmt.Appendf(nil, "%s@%s:%d", user, host, port) }},
		"string-concat-loop": {
			func() {
				text := ""
				for _, w := range someWords[:50] {
					text += w
				}
				madeText = text
			},
			func() {
				var text strings.Builder
				for _, w := range someWords[:50] {
					text.WriteString(w)
				}
				madeText = text.String()
			},
		},
		"string-concat-loop/statements": {
			func() {
				text := ""
				text += user
				text += "@"
				text += host
				text += ":"
				text += someWords[1]
				text += "/"
				text += someWords[2]
				text += "?"
				madeText = text
			},
			func() {
				var text strings.Builder
				text.WriteString(user)
				text.WriteString("@")
				text.WriteString(host)
				text.WriteString(":")
				text.WriteString(someWords[1])
				text.WriteString("/")
				text.WriteString(someWords[2])
				text.WriteString("?")
				madeText = text.String()
			},
		},
	}
}

func buffered() map[string]versus {
	fill := func(b interface{ WriteString(string) (int, error) }) {
		for _, w := range someWords[:60] {
			b.WriteString(w)
		}
	}
	return map[string]versus{
		"buffer-grow": {
			func() { var b bytes.Buffer; fill(&b); madeBytes = b.Bytes() },
			func() { var b bytes.Buffer; b.Grow(300); fill(&b); madeBytes = b.Bytes() },
		},
		"buffer-to-builder": {
			func() { var b bytes.Buffer; b.Grow(64); b.WriteString(sentence[:60]); madeText = b.String() },
			func() { var b strings.Builder; b.Grow(64); b.WriteString(sentence[:60]); madeText = b.String() },
		},
		"pool-candidate": {
			func() { madeBytes = append(make([]byte, 0, 4096), sentence...) },
			func() {
				p := pages.Get().(*[]byte)
				*p = append((*p)[:0], sentence...)
				pages.Put(p)
			},
		},
		"pool-empty": {
			func() { p := new([4096]byte); madeAny = p },
			func() { p := blocks.Get().(*[4096]byte); madeAny = p; blocks.Put(p) },
		},
		"pool-value": {
			func() { p := pageValues.Get().([]byte); pageValues.Put(p[:0]) },
			func() { p := pages.Get().(*[]byte); pages.Put(p) },
		},
		"encoder-per-call": {
			func() { w := gzip.NewWriter(io.Discard); io.WriteString(w, paragraph); w.Close() },
			func() {
				w := zippers.Get().(*gzip.Writer)
				w.Reset(io.Discard)
				io.WriteString(w, paragraph)
				w.Close()
				zippers.Put(w)
			},
		},
		"callee-allocates": {
			func() { madeText = strconv.FormatInt(int64(madeInt)+12345678, 10) },
			func() { madeBytes = strconv.AppendInt(madeBytes[:0], int64(madeInt)+12345678, 10) },
		},
		"hot-allocation": {
			func() { p := &point{1, 2, 3}; madeAny = p },
			func() { p := point{1, 2, 3}; madeFloat = p.x },
		},
	}
}

type point struct{ x, y, z float64 }

var (
	pages      = sync.Pool{New: func() any { p := make([]byte, 0, 4096); return &p }}
	pageValues = sync.Pool{New: func() any { return make([]byte, 0, 4096) }}
	blocks     = sync.Pool{New: func() any { return new([4096]byte) }}
	zippers    = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
)

func converted() map[string]versus {
	re := regexp.MustCompile(`[a-z]+`)
	sum := sha256.New()
	line, room := paragraph[:len(sentence)], len(paragraph)
	other := strings.ToUpper(sentence)
	return map[string]versus{
		"string-bytes-conversion": {func() { madeBool = strings.Contains(string(paragraphBytes), "lazy") }, func() { madeBool = bytes.Contains(paragraphBytes, []byte("lazy")) }},
		"text-copied":             {func() { madeText = string(paragraphBytes) }, func() { madeBytes = paragraphBytes }},
		"text-copied/collected": {
			func() {
				text := make([]byte, 0, room)
				for range 10 {
					text = append(text, sentence...)
				}
				madeText = string(text)
			},
			func() {
				var text strings.Builder
				text.Grow(room)
				for range 10 {
					text.WriteString(sentence)
				}
				madeText = text.String()
			},
		},
		"text-copied/rune":   {func() { runes := []rune(line); madeBool = len(runes) > 0 && runes[0] == 'T' }, func() { r, _ := utf8.DecodeRuneInString(line); madeBool = r == 'T' }},
		"tolower-equal":      {func() { madeBool = strings.ToLower(sentence) == strings.ToLower(other) }, func() { madeBool = strings.EqualFold(sentence, other) }},
		"split-for-one-part": {func() { madeText = strings.Split("key=value", "=")[1] }, func() { _, madeText, _ = strings.Cut("key=value", "=") }},
		"materialise-to-count": {
			func() { madeInt = len(strings.Split(paragraph, " ")) },
			func() { madeInt = strings.Count(paragraph, " ") + 1 },
		},
		"contains-any":  {func() { madeBool = strings.ContainsAny(paragraph, "<>") }, func() { madeBool = strings.IndexByte(paragraph, '<') >= 0 || strings.IndexByte(paragraph, '>') >= 0 }},
		"hash-sum":      {func() { madeBytes = append(madeBytes[:0], sum.Sum(nil)...) }, func() { madeBytes = sum.Sum(madeBytes[:0]) }},
		"regexp-engine": {func() { madeBool = fixed.MatchString(sentence) }, func() { madeBool = strings.Contains(sentence, "nowhere") }},
		"regexp-engine/loop": {
			func() { madeBool = re.MatchString("20261127 0815") },
			func() {
				madeBool = strings.ContainsFunc("20261127 0815", func(r rune) bool { return 'a' <= r && r <= 'z' })
			},
		},
		"scanner-text": {
			func() {
				lines := bufio.NewScanner(strings.NewReader(paragraph))
				lines.Buffer(lineBuffer[:], len(lineBuffer))
				lines.Split(bufio.ScanWords)
				for lines.Scan() {
					if keep(lines.Text()) {
						madeInt++
					}
				}
			},
			func() {
				lines := bufio.NewScanner(strings.NewReader(paragraph))
				lines.Buffer(lineBuffer[:], len(lineBuffer))
				lines.Split(bufio.ScanWords)
				for lines.Scan() {
					if keep(lines.Bytes()) {
						madeInt++
					}
				}
			},
		},
	}
}

var (
	fixed      = regexp.MustCompile(`nowhere`)
	lineBuffer [4096]byte
)

//go:noinline
func keep[T string | []byte](word T) bool { return len(word) > 3 }

var errStatic = errors.New("not found")

type badNumber struct{ n int }

func (e *badNumber) Error() string { return fmt.Sprintf("bad number %d", e.n) }

type unknownOption struct{ name string }

func (e *unknownOption) Error() string { return "unknown option " + e.name }

func failed() map[string]versus {
	var err error
	wrapped := fmt.Errorf("reading: %w", &os.PathError{Op: "open", Path: "x", Err: errStatic})
	layouts := []string{time.RFC3339, time.RFC1123, time.ANSIC, time.DateTime}
	const date = "2026-02-03 04:05:06"
	return map[string]versus{
		"error-discarded":              {func() { _, err = strconv.Atoi("x12"); madeBool = err == nil }, func() { madeBool = "x12"[0] >= '0' && "x12"[0] <= '9' }},
		"error-formatted":              {func() { err = fmt.Errorf("bad number %d", madeInt&127) }, func() { err = &badNumber{madeInt & 127} }},
		"error-formatted/concatenated": {func() { err = errors.New("unknown option " + someWords[1]) }, func() { err = &unknownOption{someWords[1]} }},
		"errorf-static":                {func() { err = fmt.Errorf("not found") }, func() { err = errStatic }},
		"errors-as": {
			func() { var p *os.PathError; madeBool = errors.As(wrapped, &p) && p.Op != "" },
			func() { p, ok := errors.AsType[*os.PathError](wrapped); madeBool = ok && p.Op != "" },
		},
		"tries-in-turn": {
			func() {
				for _, l := range layouts {
					if t, err := time.Parse(l, date); err == nil {
						madeInt = t.Day()
						break
					}
				}
			},
			func() { t, _ := time.Parse(time.DateTime, date); madeInt = t.Day() },
		},
	}
}
