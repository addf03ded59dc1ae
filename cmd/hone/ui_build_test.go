package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/profile"
)

// profileOf writes a profile of a program and returns its path.
func profileOf(t *testing.T, program, buildID string) string {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	m := b.Mapping(profile.Mapping{Start: 0x1000, Limit: 0x100000, File: program, BuildID: buildID})
	f := b.Function("main.work", "main.work", "/src/main.go", 3)
	b.Sample([]uint32{b.Location(0x2000, m, profile.Line{Function: f, Line: 3})}, nil, 1)
	var data bytes.Buffer
	if err := b.Profile().Encode(&data); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	if err := os.WriteFile(file, data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestUIBuild asks what is known of the code of a profile, whose program is there, is
// another one, or isn't one.
func TestUIBuild(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := func(file string) *api.Build {
		site := newUISite(t, false, file)
		var got struct{ Build *api.Build }
		if err := json.Unmarshal([]byte(site.get("/api/v1/profiles/"+site.list[0].ID+"/build")), &got); err != nil {
			t.Fatal(err)
		}
		return got.Build
	}
	// Go 1.27 ends the path of a test binary in .test.
	if b := build(profileOf(t, program, "")); b == nil || strings.TrimSuffix(b.Package, ".test") != "github.com/hone-go/hone/cmd/hone" || b.Module != "github.com/hone-go/hone" || b.Go == "" {
		t.Errorf("the program says %+v", b)
	}
	if b := build(profileOf(t, program, "0123456789abcdef")); b != nil {
		t.Errorf("another program says %+v", b)
	}
	if b := build(profileOf(t, text, "")); b != nil {
		t.Errorf("a text says %+v", b)
	}
}
