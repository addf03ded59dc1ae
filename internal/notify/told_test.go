package notify

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestMemory opens the file again after each step: what was told is known, and old records are
// forgotten.
func TestMemory(t *testing.T) {
	file := write(t, "{")
	logged := ""
	open := func() *memory { return &memory{file: file, log: func(line string) { logged += line }} }
	if told, err := open().of("x"); err != nil || len(told) != 0 || !strings.Contains(logged, "may be sent again") {
		t.Errorf("a damaged file: %v, %v, logged %q", told, err, logged)
	}
	day := int64(24 * time.Hour)
	for _, step := range []struct {
		id    string
		ended bool
		at    int64
		want  string
	}{{"a", true, 0, "a"}, {"b", false, day, "ab"}, {"c", true, 50 * day, "abc"}, {"d", true, 101 * day, "bcd"}, {"e", true, 1002 * day, "e"}} {
		if err := open().note("x", map[string]record{step.id: {Ended: step.ended, At: step.at}}, step.at); err != nil {
			t.Fatal(err)
		}
		told, err := open().of("x")
		got := ""
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			if _, ok := told[id]; ok {
				got += id
			}
		}
		if got != step.want || err != nil {
			t.Errorf("after %s: %q, %v, want %q", step.id, got, err, step.want)
		}
	}
	if told, err := open().of("y"); err != nil || len(told) != 0 {
		t.Errorf("another target: %v, %v", told, err)
	}
	const newer = `{"version": 2}`
	if err := os.WriteFile(file, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	err := open().note("x", map[string]record{"f": {}}, 0)
	if data, rerr := os.ReadFile(file); err == nil || rerr != nil || string(data) != newer {
		t.Errorf("the file of a newer hone: %v, now %q", err, data)
	}
}
