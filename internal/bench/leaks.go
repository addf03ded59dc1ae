package bench

import (
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/gocmd"
)

// Leaked goroutines are a profile of Go 1.27, for which package testing has no
// flag. So test binaries for it get one more file, laid over the package: with
// a benchmark that runs behind all others and writes the profile.
const (
	leakKind = "goroutineleak"
	// The go command orders files by name, and benchmarks by files, those of
	// package NAME_test last.
	leakFile      = "zzzz_hone_goroutineleak_test.go"
	leakBenchmark = "BenchmarkHoneGoroutineLeak"
)

// checkLeakProfile reports whether a version of Go has the profile.
func checkLeakProfile(goVersion string, getenv func(string) string) error {
	if version.IsValid(goVersion) && version.Compare(version.Lang(goVersion), "go1.27") < 0 &&
		!strings.Contains(getenv("GOEXPERIMENT"), "goroutineleakprofile") {
		return fmt.Errorf("profile kind %s: %s doesn't have it; it needs Go 1.27, such as with GOTOOLCHAIN=go1.27.1", leakKind, goVersion)
	}
	return nil
}

// leakOverlay writes the file for a package, and the overlay with it for the go command,
// which also has what replaces other files of the package.
func leakOverlay(p *benchPackage, dir, profile string, theirs map[string]string) (overlay string, err error) {
	source := filepath.Join(dir, leakFile)
	text := fmt.Sprintf(`package %s_test

import (
	"os"
	"runtime/pprof"
	"sync"
	"testing"
)

var honeGoroutineLeakOnce sync.Once

func %s(b *testing.B) {
	honeGoroutineLeakOnce.Do(func() {
		f, err := os.Create(%q)
		if err != nil {
			b.Fatal(err)
		}
		if err := pprof.Lookup(%q).WriteTo(f, 0); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	})
}
`, p.name, leakBenchmark, profile, leakKind)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, gocmd.WriteOverlay(overlay, theirs, p.replace, map[string]string{filepath.Join(p.dir, leakFile): source})
}
