package clickhouse_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store/clickhouse"
)

func TestParseURL(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("s3 cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text string
		want clickhouse.Config
	}{
		{"clickhouse://localhost", clickhouse.Config{Addresses: []string{"localhost:8123"}, Database: "hone"}},
		{"clickhouse://a:9,b,[::1]:7/profiles?cluster=main", clickhouse.Config{Addresses: []string{"a:9", "b:8123", "[::1]:7"}, Database: "profiles", Cluster: "main"}},
		{"clickhouse://hone:p%40ss@a/x", clickhouse.Config{Addresses: []string{"a:8123"}, Database: "x", User: "hone", Password: "p@ss"}},
		{"clickhouse://hone@a/?password-file=" + file, clickhouse.Config{Addresses: []string{"a:8123"}, Database: "hone", User: "hone", Password: "s3 cret"}},
		{"clickhouse://a/?interval=1s&timeout=2m&retention=720h", clickhouse.Config{Addresses: []string{"a:8123"}, Database: "hone",
			Interval: time.Second, Timeout: 2 * time.Minute, Retention: 720 * time.Hour}},
	} {
		got, err := clickhouse.ParseURL(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if test.want.Interval == 0 {
			test.want.Interval, test.want.Timeout = clickhouse.DefaultInterval, clickhouse.DefaultTimeout
		}
		got.Now, got.Log = nil, nil
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.text, got, test.want)
		}
	}
	if c, err := clickhouse.ParseURL("clickhouse://a/?tls=1"); err != nil || c.TLS == nil {
		t.Errorf("tls=1: got %+v, %v", c, err)
	}
	for text, want := range map[string]string{
		"http://a":                          "begins with clickhouse://",
		"clickhouse://":                     "an empty host",
		"clickhouse://a,,b":                 "an empty host",
		"clickhouse://a/x;DROP":             "invalid database name",
		"clickhouse://a/x?cluster=a'b":      "invalid cluster name",
		"clickhouse://a/x?clutser=b":        "unknown option",
		"clickhouse://a/x?timeout=soon":     "option timeout",
		"clickhouse://u:se%ret@a/x":         "can't be read",
		"clickhouse://a/?password-file=/no": "option password-file",
		"clickhouse://a/?ca=" + file:        "no certificate",
	} {
		_, err := clickhouse.ParseURL(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "se%ret") {
			t.Errorf("%s: got error %v, want one with %q", text, err, want)
		}
	}
}
