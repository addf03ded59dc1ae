package rules

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// TestWaits has rules about waiting look at profiles of the benchmarks in testdata/waits. What they say is in a file
// next to the profile.
func TestWaits(t *testing.T) {
	const data = "testdata/waits"
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(data, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source in %s: %v", data, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/waits\n\ngo 1.25\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, profiles := range []string{"Logger.mutex", "Logger.mutex Logger.cpu", "Server.mutex", "Table.mutex", "Table.block", "Cache.wall", "Sum.block", "SumInChunks.block", "Turns.wall"} {
		var inputs []advice.Input
		for name := range strings.FieldsSeq(profiles) {
			text, err := os.ReadFile(filepath.Join(data, name+".pb.gz"))
			if err != nil {
				t.Fatal(err)
			}
			p, err := profile.DecodeBytes(text, profile.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			_, kind, _ := strings.Cut(name, ".")
			inputs = append(inputs, advice.Input{Profile: p, Kind: kind})
		}
		report, err := advice.Advise(t.Context(), inputs, advice.Options{Dir: dir, Rules: waiting()})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := report.WriteText(&got, dir); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join(data, strings.ReplaceAll(profiles, " ", "+")+".txt")
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: %v; the advice is\n%s", golden, err, got.Bytes())
		}
	}
}

// waiting are the rules about waiting.
func waiting() (all []*advice.Rule) {
	for _, r := range lineRules {
		if r.Waits || r.AlsoWaits {
			all = append(all, r)
		}
	}
	return all
}
