package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDoctorHere: on the machine of the tests, where Go is, nothing fails.
func TestDoctorHere(t *testing.T) {
	text := succeed(t, "doctor")
	var checks []checkup
	if err := json.Unmarshal([]byte(succeed(t, "doctor", "-json")), &checks); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go", "git", "cpu", "clock", "terminal", "browser", "temp", "folder"} {
		i := slices.IndexFunc(checks, func(c checkup) bool { return c.Name == name })
		if i < 0 || !slices.Contains([]string{"ok", "note"}, checks[i].State) || checks[i].Found == "" {
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

// TestDoctor: what is told of machines of other kinds.
func TestDoctor(t *testing.T) {
	// What package experiment and package capture find is given here as files, too.
	const (
		governor = "governor"
		others   = "cores in use, of how many"
	)
	load := func(m *machine) checkup { return m.load(t.Context()) }
	for _, c := range []struct {
		name  string
		files map[string]string
		env   map[string]string
		check func(*machine) checkup
		state string
		text  string // in what was found, or what it means
	}{
		{"saves power", map[string]string{governor: "powersave"}, nil, (*machine).clock, "note", `governor "powersave"`},
		{"steady", map[string]string{governor: "performance"}, nil, (*machine).clock, "ok", "constant"},
		{"turbo", map[string]string{governor: "performance", "sys/devices/system/cpu/intel_pstate/no_turbo": "0\n"}, nil, (*machine).clock, "note", "turbo is on"},
		{"boost", map[string]string{governor: "performance", "sys/devices/system/cpu/cpufreq/boost": "1\n"}, nil, (*machine).clock, "note", "turbo is on"},
		{"virtual", map[string]string{"proc/cpuinfo": "flags\t: fpu hypervisor\n"}, nil, (*machine).clock, "note", "a virtual machine"},
		{"unknown", nil, nil, (*machine).clock, "ok", "unknown on this system"},
		{"busy", map[string]string{others: "1.3 2"}, nil, load, "note", "other programs use 1.3 of 2 cores"},
		{"idle", map[string]string{others: "0.1 2"}, nil, load, "ok", "0.1 of 2"},
		{"no load", map[string]string{others: "0 0"}, nil, load, "", ""},
		{"no git", nil, nil, (*machine).git, "note", "-against"},
		{"no browser", nil, nil, (*machine).browser, "note", "set BROWSER"},
		{"a browser", nil, map[string]string{"BROWSER": "known -new"}, (*machine).browser, "ok", "/bin/known"},
		{"dumb", nil, map[string]string{"TERM": "dumb"}, (*machine).screen, "note", "no line editing"},
		{"no folder", nil, nil, func(m *machine) checkup { return m.room("folder", filepath.Join(m.Browsers, "gone"), "") }, "fail", "gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &machine{Browsers: t.TempDir(), terminal: true, Getenv: func(name string) string { return c.env[name] },
				look: func(program string) (string, error) {
					if program != "known" {
						return "", errors.New("not found")
					}
					return "/bin/known", nil
				}}
			m.env.Governor = c.files[governor]
			m.Free = func(context.Context) (used, cores float64, err error) {
				_, err = fmt.Sscan(c.files[others], &used, &cores)
				return used, cores, err
			}
			for name, text := range c.files {
				file := filepath.Join(m.Browsers, name)
				os.MkdirAll(filepath.Dir(file), 0o777)
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got := c.check(m)
			if got.State != c.state || !strings.Contains(got.Found+" "+got.Means, c.text) {
				t.Errorf("%+v, want %s with %q", got, c.state, c.text)
			}
		})
	}
}
