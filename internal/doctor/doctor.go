// Package doctor checks what hone needs on this machine, and what makes measurements unreliable here.
package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/workspace"
)

// A Check is the result of one check, a line of hone doctor.
type Check struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Found string `json:"found"`
	Means string `json:"means,omitempty"` // and what to do; empty if there is nothing to say
}

// A State is how urgent a check is.
type State string

// The states of a check.
const (
	OK   State = "ok"
	Note State = "note" // measurements are less exact, or a part of hone does less
	Fail State = "fail" // some verbs don't work
)

// Failed reports whether any of the checks failed.
func Failed(checks []Check) bool {
	return slices.ContainsFunc(checks, func(c Check) bool { return c.State == Fail })
}

// A Machine is what the checks ask of hone's surroundings.
type Machine struct {
	Getenv   func(string) string
	Terminal bool                                       // hone prints to one
	Browsers []string                                   // commands that may open a page
	Free     func(dir string) (bytes uint64, err error) // room on the disk of a folder
}

// Run makes all checks that apply to this system.
func Run(ctx context.Context, m Machine) []Check {
	c := checker{
		Machine: m, look: exec.LookPath, root: "/",
		env: experiment.ReadEnvironment(""), others: workspace.CoresInUse,
	}
	return c.checks(ctx)
}

// checker is where the checks look.
type checker struct {
	Machine
	look   func(program string) (path string, err error)
	root   string // of /proc and /sys
	env    experiment.Environment
	others func(context.Context) (used, cores float64, err error) // as workspace.CoresInUse
}

func (m *checker) checks(ctx context.Context) []Check {
	return slices.DeleteFunc([]Check{
		m.goTool(ctx), m.git(), m.processors(), m.clock(), m.load(ctx), m.perf(), m.screen(), m.browser(),
		m.room("temp", os.TempDir(), "benchmarks and rewrites are built there: set TMPDIR to a folder with more space"),
		m.room("folder", ".", "runs are kept there: remove some with hone runs rm"),
	}, func(c Check) bool { return c.Name == "" })
}

// file returns the text of a file in /proc or /sys, or "" if there is none.
func (m *checker) file(name string) string {
	text, err := os.ReadFile(filepath.Join(m.root, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func (m *checker) goTool(ctx context.Context) Check {
	c := Check{Name: "go", State: Fail, Found: "not found", Means: "bench, fix, tune, pgo and the compiler's advice need Go: https://go.dev/dl"}
	path, err := m.look("go")
	if err != nil {
		return c
	}
	out, err := gocmd.Command{Args: []string{"version"}}.Output(ctx)
	if err != nil {
		c.Found = path + " doesn't run: " + err.Error()
		return c
	}
	return Check{Name: "go", State: OK, Found: strings.TrimPrefix(strings.TrimSpace(string(out)), "go version ") + ", " + path}
}

func (m *checker) git() Check {
	path, err := m.look("git")
	if err != nil {
		return Check{Name: "git", State: Note, Found: "not found", Means: "-against and hone tune need it"}
	}
	return Check{Name: "git", State: OK, Found: path}
}

func (m *checker) processors() Check {
	e := m.env
	c := Check{Name: "cpu", State: OK, Found: strconv.Itoa(e.Cores) + " cores"}
	if e.CPU != "" {
		c.Found += ", " + e.CPU
	}
	if limit := runtime.GOMAXPROCS(0); limit < e.Cores {
		c.State = Note
		c.Found += fmt.Sprintf("; hone may use %d of them", limit)
		c.Means = "a container limit or GOMAXPROCS: programs that need more are throttled, and their times vary"
	} else if e.Cores == 1 {
		c.State, c.Means = Note, "with one core, hone and the measured program share it: times vary more"
	}
	return c
}

// clock checks whether the processor's clock rate is constant.
func (m *checker) clock() Check {
	c := Check{Name: "clock", State: OK, Found: "constant"}
	governor := m.env.Governor
	turbo := m.file("sys/devices/system/cpu/intel_pstate/no_turbo") == "0" || m.file("sys/devices/system/cpu/cpufreq/boost") == "1"
	switch {
	case governor != "" && governor != "performance":
		c.State, c.Found = Note, "governor "+strconv.Quote(governor)
		c.Means = `the clock rate changes during measurements: to keep it constant, run "cpupower frequency-set -g performance"`
	case turbo:
		c.State, c.Found = Note, "turbo is on"
		c.Means = "the clock rate falls as the processor gets warm. hone interleaves both sides, so comparisons hold; single figures vary"
	case governor == "" && strings.Contains(m.file("proc/cpuinfo"), "hypervisor"):
		c.State, c.Found = Note, "a virtual machine"
		c.Means = "the host controls the clock rate, and other machines share the processor: expect more noise, and take more samples (-count)"
	case governor == "":
		c.Found = "unknown on this system"
	}
	return c
}

// load checks whether other processes would disturb a measurement.
func (m *checker) load(ctx context.Context) Check {
	used, cores, err := m.others(ctx)
	if err != nil || cores == 0 {
		return Check{} // unknown on this system
	}
	c := Check{Name: "load", State: OK, Found: fmt.Sprintf("other processes use %.1f of %.0f cores", used, cores)}
	if used > cores/4 {
		c.State, c.Means = Note, "stop them before you measure"
	}
	// Use is at most the number of cores. The average tells how many processes want one.
	average, _, _ := strings.Cut(m.file("proc/loadavg"), " ")
	if waiting, err := strconv.ParseFloat(average, 64); err == nil && waiting > cores {
		c.Found += fmt.Sprintf(" (load average %.0f)", waiting)
	}
	return c
}

// perf checks whether hone can read perf.data, and users can record it.
func (m *checker) perf() Check {
	if runtime.GOOS != "linux" {
		return Check{}
	}
	c := Check{Name: "perf", State: OK}
	path, err := m.look("perf")
	if err != nil {
		c.State, c.Found, c.Means = Note, "not found", "hone needs it to read perf.data: install linux-perf, or linux-tools on Ubuntu"
		return c
	}
	c.Found = path
	if level, err := strconv.Atoi(m.file("proc/sys/kernel/perf_event_paranoid")); err == nil && level > 2 && os.Geteuid() != 0 {
		c.State = Note
		c.Found += fmt.Sprintf(", kernel.perf_event_paranoid is %d", level)
		c.Means = `users can't record: to allow it for their own programs, run "sysctl kernel.perf_event_paranoid=2"`
	}
	return c
}

func (m *checker) screen() Check {
	switch {
	case !m.Terminal:
		return Check{Name: "terminal", State: OK, Found: "none: output goes to a file or another program, without colors"}
	case m.Getenv("NO_COLOR") != "":
		return Check{Name: "terminal", State: OK, Found: "without colors, because NO_COLOR is set"}
	case m.Getenv("TERM") == "dumb":
		return Check{Name: "terminal", State: Note, Found: `TERM is "dumb"`, Means: "no colors and no line editing in hone pprof"}
	}
	return Check{Name: "terminal", State: OK, Found: m.Getenv("TERM")}
}

func (m *checker) browser() Check {
	for _, program := range m.Browsers {
		if name, _, _ := strings.Cut(program, " "); name != "" {
			if path, err := m.look(name); err == nil {
				return Check{Name: "browser", State: OK, Found: path}
			}
		}
	}
	return Check{Name: "browser", State: Note, Found: "none found",
		Means: "open the address that hone ui prints, or set BROWSER. From another machine, use an SSH tunnel"}
}

// room checks how much space a folder has.
func (m *checker) room(name, dir, means string) Check {
	const enough = 1 << 30
	free, err := m.Free(dir)
	if err != nil {
		return Check{Name: name, State: Fail, Found: dir + ": " + err.Error(), Means: means}
	}
	c := Check{Name: name, State: OK, Found: fmt.Sprintf("%.1f GB free in %s", float64(free)/1e9, dir)}
	if free < enough {
		c.State, c.Means = Note, means
	}
	return c
}
