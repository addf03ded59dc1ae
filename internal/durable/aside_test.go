package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Whatever is in the place of a file, it is moved and never overwritten.
func TestLoad(t *testing.T) {
	bad := errors.New("bad")
	parse := func(data []byte) error {
		switch string(data) {
		case "good":
			return nil
		case "newer":
			return fmt.Errorf("%w: a newer one", ErrKeep)
		}
		return bad
	}
	path := filepath.Join(t.TempDir(), "file")
	if found, damage, err := Load(path, 10, parse); found || damage != nil || err != nil {
		t.Errorf("no file: %v, %v, %v", found, damage, err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good")
	if found, damage, err := Load(path, 10, parse); !found || damage != nil || err != nil {
		t.Errorf("a good file: %v, %v, %v", found, damage, err)
	}
	write("newer")
	if found, damage, err := Load(path, 10, parse); found || damage != nil || !errors.Is(err, ErrKeep) {
		t.Errorf("a file of a newer version: %v, %v, %v", found, damage, err)
	}
	aside := path + ".damaged"
	for i, text := range []string{"", "half", "far too large", "/"} {
		if os.Remove(path); text == "/" {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		} else {
			write(text)
		}
		if i > 0 {
			aside = fmt.Sprintf("%s.damaged-%d", path, i+1)
		}
		found, damage, err := Load(path, 10, parse)
		if found || err != nil || damage == nil || damage.Aside != aside {
			t.Fatalf("%q: %v, %v, %v, want it at %s", text, found, damage, err, aside)
		}
		if got, err := os.ReadFile(aside); text != "/" && (err != nil || string(got) != text) {
			t.Errorf("%q: aside is %q, %v", text, got, err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%q is still there", text)
		}
	}
}
