package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// perPackage is how many benchmarks a package of the module has that is measured for its
// time.
const perPackage = 20

// writeMany writes a module of so many benchmarks, by packages.
func (t *trial) writeMany(n int, m module) error {
	for p := 0; p*perPackage < n; p++ {
		name := fmt.Sprintf("known%d", p)
		var test strings.Builder
		test.WriteString("package known\n\nimport \"testing\"\n\nfunc TestNote(t *testing.T) { t.Log(Note(\"a\")) }\n\n")
		for i := p * perPackage; i < min(n, (p+1)*perPackage); i++ {
			work := benchmarkNames[i%len(benchmarkNames)]
			fmt.Fprintf(&test, "func Benchmark%s%02d(b *testing.B) {\n\tfor b.Loop() {\n\t\t%s()\n\t}\n}\n\n", work, i, work)
		}
		if err := os.MkdirAll(filepath.Join(t.dir, name), 0o777); err != nil {
			return err
		}
		for file, text := range map[string]string{"known.go": m.code, "known_test.go": test.String()} {
			if err := os.WriteFile(filepath.Join(t.dir, name, file), []byte(text), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// tellTiming compares a module of n benchmarks with itself, every function elsewhere, and
// prints how long hone said that it would take, and how long it took.
func (t *trial) tellTiming(ctx context.Context, w io.Writer, n int) error {
	scratch, err := os.MkdirTemp("", "hone-truth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := t.findHone(ctx, scratch); err != nil {
		return err
	}
	t.dir = filepath.Join(scratch, "module")
	if err := t.makeModule(ctx, func() error { return t.writeMany(n, source(none, 0, "")) }); err != nil {
		return err
	}
	if err := t.writeMany(n, source(none, 0, "function")); err != nil {
		return err
	}
	begin := time.Now()
	// The code is the same, and with flags for the compiler measured nevertheless.
	out, err := t.runHone(ctx, "bench", "-against", "HEAD", "-json", "-gcflags=", "./...")
	if err != nil {
		return err
	}
	var report struct {
		Timing struct{ Expected, Took float64 }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return fmt.Errorf("hone bench -json: %w", err)
	}
	said := report.Timing
	if said.Expected <= 0 {
		return fmt.Errorf("hone bench -json does not say how long it was to take: %.200s", out)
	}
	_, err = fmt.Fprintf(w, "%d benchmarks: %.0f s were expected, and it took %.0f s, %+.1f %%; with building and calibrating %.0f s\n",
		n, said.Expected, said.Took, 100*(said.Took/said.Expected-1), time.Since(begin).Seconds())
	return err
}
