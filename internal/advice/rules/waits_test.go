package rules

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
)

// TestWaits has rules about waiting look at profiles of the benchmarks in testdata/waits. What they say is in a file
// next to the profile.
func TestWaits(t *testing.T) {
	const data = "testdata/waits"
	dir := recordedModule(t, data, "module example.com/waits\n\ngo 1.25\n")
	for _, profiles := range []string{"Logger.mutex", "Logger.mutex Logger.cpu", "Server.mutex", "Table.mutex", "Table.block", "Cache.wall", "Sum.block", "SumInChunks.block", "Turns.wall"} {
		var inputs []advice.Input
		for name := range strings.FieldsSeq(profiles) {
			_, kind, _ := strings.Cut(name, ".")
			inputs = append(inputs, advice.Input{Profile: recordedProfile(t, filepath.Join(data, name+".pb.gz")), Kind: kind})
		}
		report, err := advice.Advise(t.Context(), inputs, advice.Options{Dir: dir, Rules: waiting()})
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, filepath.Join(data, strings.ReplaceAll(profiles, " ", "+")+".txt"), report, dir)
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
