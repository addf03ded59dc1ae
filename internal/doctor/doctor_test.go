package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

// TestDoctor: what is told of machines of other kinds.
func TestDoctor(t *testing.T) {
	// What package experiment and package capture find is given here as files, too.
	const (
		governor = "governor"
		others   = "cores in use, of how many"
	)
	load := func(m *checker) Check { return m.load(t.Context()) }
	for _, c := range []struct {
		name  string
		files map[string]string
		env   map[string]string
		check func(*checker) Check
		state State
		text  string // in what was found, or what it means
	}{
		{"saves power", map[string]string{governor: "powersave"}, nil, (*checker).clock, Note, `governor "powersave"`},
		{"steady", map[string]string{governor: "performance"}, nil, (*checker).clock, OK, "constant"},
		{"turbo", map[string]string{governor: "performance", "sys/devices/system/cpu/intel_pstate/no_turbo": "0\n"}, nil, (*checker).clock, Note, "turbo is on"},
		{"boost", map[string]string{governor: "performance", "sys/devices/system/cpu/cpufreq/boost": "1\n"}, nil, (*checker).clock, Note, "turbo is on"},
		{"virtual", map[string]string{"proc/cpuinfo": "flags\t: fpu hypervisor\n"}, nil, (*checker).clock, Note, "a virtual machine"},
		{"unknown", nil, nil, (*checker).clock, OK, "unknown on this system"},
		{"busy", map[string]string{others: "1.3 2"}, nil, load, Note, "other processes use 1.3 of 2 cores"},
		{"very busy", map[string]string{others: "2 2", "proc/loadavg": "32.41 20.01 9.00 33/812 4711\n"}, nil, load, Note, "other processes use 2.0 of 2 cores (load average 32)"},
		{"not too busy", map[string]string{others: "1 2", "proc/loadavg": "1.1 1 1 2/812 4711\n"}, nil, load, Note, "use 1.0 of 2 cores stop"},
		{"idle", map[string]string{others: "0.1 2"}, nil, load, OK, "0.1 of 2"},
		{"no load", map[string]string{others: "0 0"}, nil, load, "", ""},
		{"no git", nil, nil, (*checker).git, Note, "-against"},
		{"no browser", nil, nil, (*checker).browser, Note, "set BROWSER"},
		{"a browser", nil, map[string]string{"BROWSER": "known -new"}, (*checker).browser, OK, "/bin/known"},
		{"dumb", nil, map[string]string{"TERM": "dumb"}, (*checker).screen, Note, "no line editing"},
		{"no folder", nil, nil, func(m *checker) Check { return m.room("folder", filepath.Join(m.root, "gone"), "") }, Fail, "gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &checker{root: t.TempDir(), Machine: Machine{
				Terminal: true, Getenv: func(name string) string { return c.env[name] },
				Free: func(dir string) (uint64, error) { return 0, errors.New("no such folder") },
			},
				look: func(program string) (string, error) {
					if program != "known" {
						return "", errors.New("not found")
					}
					return "/bin/known", nil
				}}
			if b := c.env["BROWSER"]; b != "" {
				m.Browsers = []string{b}
			}
			m.env.Governor = c.files[governor]
			m.others = func(context.Context) (used, cores float64, err error) {
				_, err = fmt.Sscan(c.files[others], &used, &cores)
				return used, cores, err
			}
			gittest.Write(t, m.root, c.files)
			got := c.check(m)
			if got.State != c.state || !strings.Contains(got.Found+" "+got.Means, c.text) {
				t.Errorf("%+v, want %s with %q", got, c.state, c.text)
			}
		})
	}
}
