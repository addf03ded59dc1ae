package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/profile"
)

// encodedOf returns a profile of a function in a file.
func encodedOf(t *testing.T, file string) []byte {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	f := b.Function("main.work", "main.work", file, 3)
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: f, Line: 3})}, nil, 1)
	var data bytes.Buffer
	if err := b.Profile().Encode(&data); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// TestUIRecordedSource checks that the page shows source at the path that a profile of the
// command line records, and not what an upload names.
func TestUIRecordedSource(t *testing.T) {
	dir := t.TempDir()
	source := func(name string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("package main\n\nfunc work() {} // "+name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	cpu := filepath.Join(dir, "cpu.pb.gz")
	if err := os.WriteFile(cpu, encodedOf(t, source("own.go")), 0o600); err != nil {
		t.Fatal(err)
	}
	site := newUISite(t, false, cpu)
	if got := site.report("source", map[string][]string{"match": {"work"}}); !strings.Contains(got, "// own.go") {
		t.Errorf("the source at its recorded path isn't shown: %s", got)
	}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/profiles?name=theirs", bytes.NewReader(encodedOf(t, source("theirs.go"))))
	r.Host = uiHost
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	var about api.Profile
	if err := json.Unmarshal(w.Body.Bytes(), &about); err != nil || about.ID == "" {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if got := site.get("/api/v1/report/source?match=work&profile=" + about.ID); strings.Contains(got, "// theirs.go") {
		t.Errorf("an upload has a file of this machine shown: %s", got)
	}
}
