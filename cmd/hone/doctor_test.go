package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/doctor"
)

// TestDoctorHere: on the machine of the tests, where Go is, nothing fails.
func TestDoctorHere(t *testing.T) {
	text := succeed(t, "doctor")
	var checks []doctor.Check
	if err := json.Unmarshal([]byte(succeed(t, "doctor", "-json")), &checks); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go", "git", "cpu", "clock", "terminal", "browser", "temp", "folder"} {
		i := slices.IndexFunc(checks, func(c doctor.Check) bool { return c.Name == name })
		if i < 0 || !slices.Contains([]doctor.State{doctor.OK, doctor.Note}, checks[i].State) || checks[i].Found == "" {
			t.Errorf("%s: %+v", name, checks)
		}
		if !strings.Contains(text, " "+name+" ") {
			t.Errorf("no line about %s in\n%s", name, text)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if o := hone(t, "doctor"); o.code != exitFailure || !strings.Contains(o.stdout, "fail  go         not found") {
		t.Errorf("without Go: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}
