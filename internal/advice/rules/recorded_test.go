package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// TestRecorded has rules about waiting look at real profiles, of the program in
// testdata/capture.
func TestRecorded(t *testing.T) {
	const data = "../../../testdata"
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(data, "capture", "app"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/app\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ profile, want string }{
		// A deferred Unlock is where the function returns, or in a function of its own.
		{"mutex.accounts", "mutex-contention account.deposit defer a.mu.Unlock(); mutex-contention account.drain a.mu.Unlock()"},
		{"mutex.rwmutex", "mutex-contention cache.put defer c.mu.Unlock()"},
		{"block.channels", "waiting-line channels stages.Wait(); waiting-line produce select {; waiting-line squared to <- n * n"},
		{"block.rwmutex", "mutex-contention cache.get c.mu.RLock(); mutex-contention cache.put c.mu.Lock(); waiting-line rwmutexes workers.Wait()"},
		{"block.accounts", "mutex-contention account.deposit a.mu.Lock(); mutex-contention account.drain a.mu.Lock(); waiting-line mutexes workers.Wait()"},
	} {
		text, err := os.ReadFile(filepath.Join(data, c.profile+".pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.DecodeBytes(text, profile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(c.profile, ".")
		report, err := advice.Advise(t.Context(), []advice.Input{{Profile: p, Kind: kind}}, advice.Options{Dir: dir, Rules: All()})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range report.Findings {
			all = append(all, fmt.Sprintf("%s %s %s", f.Rule, f.Function, f.Text))
		}
		slices.Sort(all)
		if got := strings.Join(all, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.profile, got, c.want)
		}
	}
}
