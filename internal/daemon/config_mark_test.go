package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfigOfWindows: a byte order mark is skipped, and UTF-16 is named.
func TestConfigOfWindows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hone.toml")
	for text, want := range map[string]string{"\ufefflisten = \"127.0.0.1:4601\"\r\n": "", "\xff\xfel\x00": "the text is UTF-16"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := ReadConfig(t.Context(), file)
		switch {
		case want == "" && (err != nil || c.Listen != "127.0.0.1:4601"):
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v", text, err)
		}
	}
}
