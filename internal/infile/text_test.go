package infile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "text")
	for text, want := range map[string]string{"\ufeffa\n": "a\n", "": "", "a": "a", "\xef\xbb": "\xef\xbb", "\xff\xfea\x00": "UTF-16", "\xfe\xff\x00a": "UTF-16"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadText(t.Context(), name, 100)
		lines, lerr := OpenText(t.Context(), name, 100)
		if want == "UTF-16" {
			if !errors.Is(err, ErrUTF16) || !errors.Is(lerr, ErrUTF16) || !strings.Contains(err.Error(), name) {
				t.Errorf("%q: %v, %v", text, err, lerr)
			}
			continue
		}
		if err != nil || lerr != nil || string(got) != want {
			t.Errorf("%q: %q, %v, %v", text, got, err, lerr)
			continue
		}
		if got, err := io.ReadAll(lines); err != nil || string(got) != want {
			t.Errorf("%q, read bit by bit: %q, %v", text, got, err)
		}
		lines.Close()
	}
}
