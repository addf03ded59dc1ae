package runs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

func TestDerived(t *testing.T) {
	root := t.TempDir()
	var entries []experiment.Entry
	write := func(text string, path ...string) {
		file := filepath.Join(append([]string{root}, path...)...)
		err := os.MkdirAll(filepath.Dir(file), 0o777)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		write("1", name, "run.json")
		entries = append(entries, experiment.Entry{Dir: filepath.Join(root, name)})
	}
	var d derived[int]
	made := 0
	of := func(run int, besides string) {
		if _, err := d.of(entries[run], besides, func() (int, error) { made++; return made, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		what string
		do   func()
		want int // how often the value is made
	}{
		{"the first time", func() { of(0, "") }, 1},
		{"again", func() { of(0, "") }, 0},
		{"another run", func() { of(1, "") }, 1},
		{"the first run still", func() { of(0, "") }, 0},
		{"other objectives", func() { of(0, "max") }, 1},
		{"a file that grew", func() { write("12", "a", "run.json"); of(0, "max") }, 1},
		{"a file more", func() { write("", "a", "profiles", "cpu"); of(0, "max") }, 1},
		{"another run was removed", func() { d.forget(entries[:1]); of(0, "max") }, 0},
		{"the run itself was removed", func() { d.forget(entries[1:]); of(0, "max") }, 1},
	} {
		made = 0
		if step.do(); made != step.want {
			t.Errorf("%s: made %d times, want %d", step.what, made, step.want)
		}
	}
	if len(d.runs) != 1 {
		t.Errorf("%d runs are kept, want the one that there is", len(d.runs))
	}

	bad := errors.New("cannot be read")
	for range 2 {
		called := false
		if _, err := d.of(entries[1], "", func() (int, error) { called = true; return 0, bad }); err != bad || !called {
			t.Errorf("an error was kept: %v, %v", err, called)
		}
	}
	os.RemoveAll(entries[1].Dir)
	if _, err := d.of(entries[1], "", nil); err == nil {
		t.Error("a run that is gone has no error")
	}
}
