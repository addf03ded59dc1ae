package capture

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

func TestShares(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		n     int
		want  []int
	}{
		{[]int64{1, 1, 1, 1}, 2, []int{0, 2, 4}},
		{[]int64{1, 1, 1, 97}, 2, []int{0, 3, 4}},
		{[]int64{97, 1, 1, 1}, 2, []int{0, 1, 4}},
		{[]int64{1, 9}, 4, []int{0, 1, 1, 2, 2}},
		{[]int64{0, 0, 0}, 2, []int{0, 0, 3}},
		{[]int64{5}, 1, []int{0, 1}},
	} {
		got := shares(c.sizes, c.n)
		if !slices.Equal(got, c.want) {
			t.Errorf("shares(%v, %d) = %v, want %v", c.sizes, c.n, got, c.want)
		}
	}
}

// TestLoadFiles checks that loading many files is merging them in their order.
func TestLoadFiles(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cpu.*.pb.gz")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	var ps []*profile.Profile
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.DecodeBytes(data, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	text := func(p *profile.Profile) string {
		var b strings.Builder
		if err := p.WriteRaw(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	aligned, err := profile.Align(ps)
	if err != nil {
		t.Fatal(err)
	}
	want, err := profile.Merge(aligned...)
	if err != nil {
		t.Fatal(err)
	}
	var warned []error
	l := &Loader{Fetcher: &Fetcher{}, Warn: func(err error) { warned = append(warned, err) }}
	got, err := l.Load(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	if text(got) != text(want) {
		t.Error("loading files isn't merging them")
	}

	// A broken file is left out with a warning, and others still count.
	broken := filepath.Join(t.TempDir(), "broken.pb.gz")
	if err := os.WriteFile(broken, []byte("\x1f\x8b not gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err = l.Load(context.Background(), append([]string{broken}, files...))
	if err != nil {
		t.Fatal(err)
	}
	if text(got) != text(want) {
		t.Error("a broken file changed the sum")
	}
	if len(warned) != 2 || !strings.HasPrefix(warned[0].Error(), broken+": ") {
		t.Errorf("warnings %v", warned)
	}
	if _, err := l.Load(context.Background(), []string{broken, broken}); err == nil {
		t.Error("loaded nothing but broken files")
	}

	// Profiles of different types have their common types summed up.
	mixed := []string{"../../testdata/heap.generics.pb.gz", "../../testdata/cpu.generics.pb.gz"}
	if _, err := l.Load(context.Background(), mixed); err == nil || !strings.Contains(err.Error(), "no sample type in common") {
		t.Errorf("merging heap and cpu: %v", err)
	}
}
