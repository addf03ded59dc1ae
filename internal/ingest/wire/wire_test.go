package wire

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
)

func body(t *testing.T, data []byte, encoding string, limit int64) ([]byte, error) {
	t.Helper()
	r := httptest.NewRequest("POST", "/", bytes.NewReader(data))
	r.Header.Set("Content-Encoding", encoding)
	return Body(httptest.NewRecorder(), r, limit)
}

func TestBodyLimits(t *testing.T) {
	data := []byte(strings.Repeat("profile ", 128)) // 1024 bytes
	for _, limit := range []int64{0, 1024, 1025} {
		if got, err := body(t, data, "", limit); err != nil || !bytes.Equal(got, data) {
			t.Errorf("limit %d: %d bytes, %v", limit, len(got), err)
		}
	}
	var e *ingest.Error
	if _, err := body(t, data, "", 1023); !errors.As(err, &e) || e.Reason != ingest.TooLarge {
		t.Errorf("limit 1023: %v", err)
	}
	// Small as it is sent, and not when decompressed.
	z, _ := zstd.NewWriter(nil)
	packed := z.EncodeAll(data, nil)
	if got, err := body(t, packed, "zstd", 1024); err != nil || !bytes.Equal(got, data) {
		t.Errorf("zstd: %d bytes, %v", len(got), err)
	}
	if _, err := body(t, packed, "zstd", 1023); !errors.As(err, &e) || e.Reason != ingest.TooLarge {
		t.Errorf("zstd, limit 1023: %v", err)
	}
	// A frame that wants a window of 64 MiB from its decoder.
	wide, err := zstd.NewWriter(nil, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	wide.Reset(&b)
	for range 40 {
		wide.Write(make([]byte, 1<<20))
	}
	wide.Close()
	if _, err := body(t, b.Bytes(), "zstd", 100<<20); !errors.As(err, &e) || e.Reason != ingest.TooLarge {
		t.Errorf("wide window: %v", err)
	}
}

// TestUnknownLength: a body that doesn't tell its length is limited all the same.
func TestUnknownLength(t *testing.T) {
	r := httptest.NewRequest("POST", "/", struct{ *bytes.Reader }{bytes.NewReader(make([]byte, 2000))})
	if r.ContentLength != -1 {
		t.Fatalf("length %d", r.ContentLength)
	}
	var e *ingest.Error
	if _, err := Body(httptest.NewRecorder(), r, 1000); !errors.As(err, &e) || e.Reason.HTTP() != http.StatusRequestEntityTooLarge {
		t.Errorf("%v", err)
	}
}

func TestTranslate(t *testing.T) {
	v := Vocabulary{Service: []string{"svc", "job"}, Version: []string{"rev"}, Instance: []string{"pod"}, Synonyms: []string{"svc", "rev"},
		Dropped: func(name string) bool { return strings.HasPrefix(name, "__") }}
	for in, want := range map[string]string{
		"svc=a rev=1 pod=p":       `{instance="p", pod="p", service="a", version="1"}`,
		"job=b":                   `{job="b", service="b"}`,
		"svc=a job=b service=odd": `{job="b", service="a"}`,
		"service=c":               `{service="c"}`,
		"__x__=1 team=t kind=k":   `{exported_kind="k", team="t"}`,
		"svc= job=b":              `{job="b", service="b"}`,
	} {
		var labels []store.Label
		for _, pair := range strings.Fields(in) {
			name, value, _ := strings.Cut(pair, "=")
			labels = append(labels, store.Label{Name: name, Value: value})
		}
		got, err := store.NewLabels(v.Translate(labels)...)
		if err != nil || got.String() != want {
			t.Errorf("%s: %v, %v; want %s", in, got, err, want)
		}
	}
}

func TestCountFields(t *testing.T) {
	field := func(b []byte, inner []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), inner)
	}
	inner := field(field(nil, nil), nil)                   // 2 fields
	message := field(field(field(nil, inner), nil), inner) // 3, and 4 inside
	for _, test := range []struct {
		depth, fields int
		ok            bool
	}{{0, 3, true}, {0, 2, false}, {1, 7, true}, {1, 6, false}, {2, 7, true}} {
		left := test.fields
		if err := countFields(message, test.depth, &left); (err == nil) != test.ok {
			t.Errorf("%d fields down to %d: %v", test.fields, test.depth, err)
		}
	}
	for _, broken := range [][]byte{{0x0a}, {0x0a, 5}, {0xff}, {0x0f}} {
		left := 100
		if countFields(broken, 1, &left) == nil {
			t.Errorf("% x: no error", broken)
		}
	}
}
