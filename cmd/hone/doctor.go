package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store/disk"
	"github.com/hone-go/hone/internal/workspace"
)

const doctorHelp = `usage: hone doctor [-json]

Check what hone needs on this machine, and what makes measurements unreliable
here. Each line says what was found, what it means, and what to do about it.

  ok      nothing to do
  note    measurements are less exact, or a part of hone does less
  fail    some verbs don't work

The exit code is 1 if a line says fail.

  -json       write the checks as JSON

Examples:

  hone doctor
  hone doctor -json
`

// A checkup is one line of hone doctor.
type checkup struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, note or fail
	Found string `json:"found"`
	Means string `json:"means,omitempty"` // and what to do; empty if there is nothing to say
}

func runDoctor(ctx context.Context, a *app, args []string) error {
	flags := newFlags("doctor")
	asJSON := flags.Bool("json", false, "")
	rest, err := parseArgs(flags, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return &shell.UsageError{Verb: "doctor", Err: fmt.Errorf("unexpected argument %q", rest[0])}
	}
	m := machine{
		Getenv: a.getenv, look: exec.LookPath, terminal: isTerminal(a.stdout), Browsers: "/",
		env: experiment.ReadEnvironment(""), Free: workspace.CoresInUse,
	}
	checks := m.checkups(ctx)
	if *asJSON {
		err = writeJSON(a.stdout, checks)
	} else {
		err = printChecks(a.stdout, checks)
	}
	if err == nil && slices.ContainsFunc(checks, func(c checkup) bool { return c.State == "fail" }) {
		err = errors.New("something that hone needs is missing: see the lines that say fail")
	}
	return err
}

func printChecks(w io.Writer, checks []checkup) error {
	var b strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&b, "%-5s %-10s %s\n", c.State, c.Name, c.Found)
		if c.Means != "" {
			fmt.Fprintf(&b, "%17s%s\n", "", c.Means)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// machine is where the checks look.
type machine struct {
	Getenv   func(string) string
	look     func(program string) (path string, err error)
	Browsers string // of /proc and /sys
	terminal bool   // what hone prints goes to one
	env      experiment.Environment
	Free     func(context.Context) (used, cores float64, err error) // as workspace.OtherPrograms
}

func (m *machine) checkups(ctx context.Context) []checkup {
	return slices.DeleteFunc([]checkup{
		m.goTool(ctx), m.git(), m.processors(), m.clock(), m.load(ctx), m.perf(), m.screen(), m.browser(),
		m.room("temp", os.TempDir(), "benchmarks and rewrites are built there: set TMPDIR to a folder with more room"),
		m.room("folder", ".", "runs are kept below it: remove some with hone runs rm"),
	}, func(c checkup) bool { return c.Name == "" })
}

// file returns a file of /proc or /sys, "" where there is none.
func (m *machine) file(name string) string {
	text, err := os.ReadFile(filepath.Join(m.Browsers, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func (m *machine) goTool(ctx context.Context) checkup {
	c := checkup{Name: "go", State: "fail", Found: "not found", Means: "bench, fix, tune, pgo and advice of the compiler need Go: https://go.dev/dl"}
	path, err := m.look("go")
	if err != nil {
		return c
	}
	out, err := exec.CommandContext(ctx, path, "version").Output()
	if err != nil {
		c.Found = path + " doesn't run: " + err.Error()
		return c
	}
	return checkup{Name: "go", State: "ok", Found: strings.TrimPrefix(strings.TrimSpace(string(out)), "go version ") + ", " + path}
}

func (m *machine) git() checkup {
	path, err := m.look("git")
	if err != nil {
		return checkup{Name: "git", State: "note", Found: "not found", Means: "-against and hone tune need it"}
	}
	return checkup{Name: "git", State: "ok", Found: path}
}

func (m *machine) processors() checkup {
	e := m.env
	c := checkup{Name: "cpu", State: "ok", Found: strconv.Itoa(e.Cores) + " cores"}
	if e.CPU != "" {
		c.Found += ", " + e.CPU
	}
	if limit := runtime.GOMAXPROCS(0); limit < e.Cores {
		c.State = "note"
		c.Found += fmt.Sprintf("; hone may use %d of them", limit)
		c.Means = "a container's limit or GOMAXPROCS: a program that needs more is stopped in between, and its times vary"
	} else if e.Cores == 1 {
		c.State, c.Means = "note", "with one core, hone and what it measures take turns: times vary more"
	}
	return c
}

// clock tells whether the processor's clock rate changes.
func (m *machine) clock() checkup {
	c := checkup{Name: "clock", State: "ok", Found: "constant"}
	governor := m.env.Governor
	turbo := m.file("sys/devices/system/cpu/intel_pstate/no_turbo") == "0" || m.file("sys/devices/system/cpu/cpufreq/boost") == "1"
	switch {
	case governor != "" && governor != "performance":
		c.State, c.Found = "note", "governor "+strconv.Quote(governor)
		c.Means = `the clock rate changes while hone measures: "cpupower frequency-set -g performance" keeps it up`
	case turbo:
		c.State, c.Found = "note", "turbo is on"
		c.Means = "the clock rate falls as the processor gets warm. hone measures both sides in turn, so comparisons hold; single figures vary"
	case governor == "" && strings.Contains(m.file("proc/cpuinfo"), "hypervisor"):
		c.State, c.Found = "note", "a virtual machine"
		c.Means = "its host decides on the clock rate, and other machines share the processor: expect more noise, and let hone take more samples (-count)"
	case governor == "":
		c.Found = "unknown on this system"
	}
	return c
}

// load tells whether other programs would disturb a measurement.
func (m *machine) load(ctx context.Context) checkup {
	used, cores, err := m.Free(ctx)
	if err != nil || cores == 0 {
		return checkup{} // not known on this system
	}
	c := checkup{Name: "load", State: "ok", Found: fmt.Sprintf("other programs use %.1f of %.0f cores", used, cores)}
	if used > cores/4 {
		c.State, c.Means = "note", "stop them before you measure"
	}
	return c
}

// perf tells whether hone can read perf.data, and a user may record it.
func (m *machine) perf() checkup {
	if runtime.GOOS != "linux" {
		return checkup{}
	}
	c := checkup{Name: "perf", State: "ok"}
	path, err := m.look("perf")
	if err != nil {
		c.State, c.Found, c.Means = "note", "not found", "hone reads perf.data by it: install linux-perf, or linux-tools on Ubuntu"
		return c
	}
	c.Found = path
	if level, err := strconv.Atoi(m.file("proc/sys/kernel/perf_event_paranoid")); err == nil && level > 2 && os.Geteuid() != 0 {
		c.State = "note"
		c.Found += fmt.Sprintf(", kernel.perf_event_paranoid is %d", level)
		c.Means = `users may not record: "sysctl kernel.perf_event_paranoid=2" lets them, for their own programs`
	}
	return c
}

func (m *machine) screen() checkup {
	switch {
	case !m.terminal:
		return checkup{Name: "terminal", State: "ok", Found: "none: the output goes to a file or another program, without colours"}
	case m.Getenv("NO_COLOR") != "":
		return checkup{Name: "terminal", State: "ok", Found: "without colours, as NO_COLOR is set"}
	case m.Getenv("TERM") == "dumb":
		return checkup{Name: "terminal", State: "note", Found: `TERM is "dumb"`, Means: "no colours and no line editing in hone pprof"}
	}
	return checkup{Name: "terminal", State: "ok", Found: m.Getenv("TERM")}
}

func (m *machine) browser() checkup {
	for _, program := range shell.Browsers(m.Getenv) {
		if name, _, _ := strings.Cut(program, " "); name != "" {
			if path, err := m.look(name); err == nil {
				return checkup{Name: "browser", State: "ok", Found: path}
			}
		}
	}
	return checkup{Name: "browser", State: "note", Found: "none that hone could start",
		Means: "hone ui prints its address: open it yourself, or set BROWSER. From another machine, use an SSH tunnel"}
}

// room tells how much can be written to a folder.
func (m *machine) room(name, dir, means string) checkup {
	const enough = 1 << 30
	free, err := disk.Available(dir)
	if err != nil {
		return checkup{Name: name, State: "fail", Found: dir + ": " + err.Error(), Means: means}
	}
	c := checkup{Name: name, State: "ok", Found: fmt.Sprintf("%.1f GB free in %s", float64(free)/1e9, dir)}
	if free < enough {
		c.State, c.Means = "note", means
	}
	return c
}
