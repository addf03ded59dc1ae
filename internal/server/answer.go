package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/klauspost/compress/gzip"
)

// An answer is the body of a response with what is to be said of it. Answers
// are shared between requests: they don't change.
type Answer struct {
	contentType string
	body        []byte
	etag        string
	compressed  func() []byte // nil if that is not worth it
}

const (
	TypeJSON = "application/json"
	TypeText = "text/plain; charset=utf-8"
)

// worthCompressing is about what fits a packet.
const worthCompressing = 1400

func NewAnswer(contentType string, body []byte) *Answer {
	sum := sha256.Sum256(body)
	a := &Answer{contentType: contentType, body: body, etag: hex.EncodeToString(sum[:12])}
	switch contentType {
	case "image/png", "application/pdf", "application/octet-stream":
		return a
	}
	if len(body) > worthCompressing {
		a.compressed = sync.OnceValue(func() []byte { return compress(body, gzip.DefaultCompression) })
	}
	return a
}

func compress(body []byte, level int) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(body)
	w.Close()
	return b.Bytes()
}

// Cost is about what an answer takes in memory, compressed body included.
func (a *Answer) Cost() int64 { return int64(len(a.body)) * 5 / 4 }

// JSONAnswer returns a value as an answer.
func JSONAnswer(v any) (*Answer, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return NewAnswer(TypeJSON, b.Bytes()), nil
}

// Revalidate lets browsers keep an answer but ask whether it still holds: it
// depends on hone's version and on source files too.
const Revalidate = "private, no-cache"

// Write sends an answer, or says that the client has it.
func (a *Answer) Write(w http.ResponseWriter, r *http.Request, status int, cacheControl string) error {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", cacheControl)
	body, etag := a.body, `"`+a.etag+`"`
	if a.compressed != nil {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			body, etag = a.compressed(), `"`+a.etag+`-gzip"`
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("ETag", etag)
	if status == http.StatusOK && (r.Method == http.MethodGet || r.Method == http.MethodHead) && matchesETag(r, etag) {
		h.Del("Content-Type")
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) // an error means that the client is gone
	}
	return nil
}

func acceptsGzip(r *http.Request) bool {
	for _, field := range r.Header.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(field, ",") {
			coding, params, _ := strings.Cut(part, ";")
			if coding = strings.TrimSpace(coding); coding != "gzip" && coding != "*" {
				continue
			}
			weight, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			if q, err := strconv.ParseFloat(weight, 64); !ok || err == nil && q > 0 {
				return true
			}
		}
	}
	return false
}

func matchesETag(r *http.Request, etag string) bool {
	for _, field := range r.Header.Values("If-None-Match") {
		for part := range strings.SplitSeq(field, ",") {
			if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// Attach makes the response a file with a name, by RFC 6266.
func Attach(h http.Header, name string) {
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": SafeFileName(name)}))
}

// SafeFileName keeps of a name what every system takes as one: it is made of
// what a profile or a user says.
func SafeFileName(name string) string {
	clean := strings.Map(func(c rune) rune {
		switch {
		case c < ' ', c == 0x7f, strings.ContainsRune(`/\:*?"<>|%`, c), unicode.Is(unicode.Bidi_Control, c), c == 0xfffd:
			return '_'
		}
		return c
	}, name)
	clean = strings.Trim(clean, ". ")
	const most = 100
	if len(clean) > most {
		clean = strings.ToValidUTF8(clean[:most], "")
	}
	if clean == "" {
		return "profile"
	}
	return clean
}

// WriteJSON answers with a value that may be another one the next time.
func WriteJSON(w http.ResponseWriter, r *http.Request, v any) error {
	a, err := JSONAnswer(v)
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, Revalidate)
}
