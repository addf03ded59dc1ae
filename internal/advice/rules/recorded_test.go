package rules

import (
	"bytes"
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
	dir := recordedModule(t, filepath.Join(data, "capture", "app"), "module example.com/app\n\ngo 1.26\n")
	for _, c := range []struct{ profile, want string }{
		// A deferred Unlock is where the function returns, or in a function of its own.
		{"mutex.accounts", "mutex-contention account.deposit defer a.mu.Unlock(); mutex-contention account.drain a.mu.Unlock()"},
		{"mutex.rwmutex", "mutex-contention cache.put defer c.mu.Unlock()"},
		{"block.channels", "waiting-line channels stages.Wait(); waiting-line produce select {; waiting-line squared to <- n * n"},
		{"block.rwmutex", "mutex-contention cache.get c.mu.RLock(); mutex-contention cache.put c.mu.Lock(); waiting-line rwmutexes workers.Wait()"},
		{"block.accounts", "mutex-contention account.deposit a.mu.Lock(); mutex-contention account.drain a.mu.Lock(); waiting-line mutexes workers.Wait()"},
	} {
		kind, _, _ := strings.Cut(c.profile, ".")
		report, err := advice.Advise(t.Context(), []advice.Input{{Profile: recordedProfile(t, filepath.Join(data, c.profile+".pb.gz")), Kind: kind}}, advice.Options{Dir: dir, Rules: All()})
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

// recordedModule copies a folder with source and recorded profiles of it, and makes a module of that.
func recordedModule(t *testing.T, folder, goMod string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// recordedProfile reads a recorded profile.
func recordedProfile(t *testing.T, file string) *profile.Profile {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(text, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkText compares a report, with paths from dir, with a golden file.
func checkText(t *testing.T, golden string, report *advice.Report, dir string) {
	t.Helper()
	var got bytes.Buffer
	if err := report.WriteText(&got, dir); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s: %v; the advice is\n%s", golden, err, got.Bytes())
	}
}
