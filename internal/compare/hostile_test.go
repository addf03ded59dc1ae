package compare

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/hostile"
)

// TestHostileProfiles: what a comparison of runs with profiles says of their functions, and its
// flame graph, have the same parts whatever the profiles' texts are.
func TestHostileProfiles(t *testing.T) {
	parts := func(bad string) map[hostile.Form][]string {
		dir := t.TempDir()
		e := &explanation{key: experiment.Key{Benchmark: "A" + bad, Unit: "sec/op"}, sampleType: "cpu", unit: "sec/op", base: 1, head: 2, change: bounded{1, 1, 1}}
		file := func(name string, times int64) string {
			p := hostile.Profile(bad, times)
			p.DropFrames, p.KeepFrames = "", "" // no regular expressions, which is told
			return encoded(t, p, filepath.Join(dir, name))
		}
		if err := e.read(file("base", 1), file("head", 5)); err != nil {
			t.Fatal(err)
		}
		out := map[hostile.Form][]string{}
		for form, write := range map[hostile.Form]func(*bytes.Buffer) error{
			hostile.HTML: e.writeHTML,
			hostile.CI: func(b *bytes.Buffer) error {
				e.writeText(b, 20, 20)
				return nil
			},
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			var err error
			if out[form], err = hostile.Parts(form, b.String()); err != nil {
				t.Errorf("%s of %.60q: %v", form, bad, err)
			}
		}
		return out
	}
	want := parts(hostile.Plain)
	for _, bad := range hostile.Texts {
		for form, got := range parts(bad) {
			if !slices.Equal(got, want[form]) {
				t.Errorf("%s of %.60q: %d parts, want %d", form, bad, len(got), len(want[form]))
			}
		}
	}
}
