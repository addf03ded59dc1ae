package rules

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// TestHotLineRecorded has the rule look at real profiles, with what the compiler says of the source: alone,
// with each line, and with all other rules, as users see it. The profiles are of
//
//	go test -bench . -cpuprofile cpu.pb.gz -memprofile mem.pb.gz -memprofilerate 65536
func TestHotLineRecorded(t *testing.T) {
	const data = "testdata/hot-line-recorded"
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/hotlines\n\ngo 1.24\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var inputs []advice.Input
	for _, kind := range []string{"cpu", "mem"} {
		text, err := os.ReadFile(filepath.Join(data, kind+".pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.DecodeBytes(text, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, advice.Input{Profile: p, Kind: kind, Subject: "All"})
	}
	for _, c := range []struct {
		golden string
		o      advice.Options
	}{
		{"alone.txt", advice.Options{Rules: []*advice.Rule{hotLineAlone}, MinHotLine: 0.01, MaxHotLines: -1}},
		{"two.txt", advice.Options{Rules: All(), MaxHotLines: 2}},
		{"hottest.txt", advice.Options{Rules: All(), MinHotLine: 0.2}},
	} {
		c.o.Dir, c.o.Compiler = dir, true
		report, err := advice.Advise(t.Context(), inputs, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := report.WriteText(&got, dir); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join(data, c.golden)
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: %v; got\n%s", golden, err, got.Bytes())
		}
	}
}
