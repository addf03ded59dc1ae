package experiment

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/git"
)

// An Environment is what numbers depend on besides the code. Empty fields are
// not known on this platform.
type Environment struct {
	GOOS       string `json:"goos"`
	GOARCH     string `json:"goarch"`
	CPU        string `json:"cpu,omitempty"`
	Cores      int    `json:"cores"`
	Governor   string `json:"governor,omitempty"` // of the first core's clock
	Load       string `json:"load,omitempty"`     // over 1, 5 and 15 minutes, before measuring
	Go         string `json:"go,omitempty"`       // version of the toolchain that built the benchmarks
	GOGC       string `json:"gogc,omitempty"`
	GOMEMLIMIT string `json:"gomemlimit,omitempty"`
	GOMAXPROCS string `json:"gomaxprocs,omitempty"`
	GODEBUG    string `json:"godebug,omitempty"`
	GOFLAGS    string `json:"goflags,omitempty"`
}

// ReadEnvironment looks at the machine; goVersion is the toolchain's.
func ReadEnvironment(goVersion string) Environment {
	return Environment{
		GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Cores: runtime.NumCPU(), Go: goVersion,
		CPU:      cpuModel(),
		Governor: firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		Load:     load(),
		GOGC:     os.Getenv("GOGC"), GOMEMLIMIT: os.Getenv("GOMEMLIMIT"), GOMAXPROCS: os.Getenv("GOMAXPROCS"),
		GODEBUG: os.Getenv("GODEBUG"), GOFLAGS: os.Getenv("GOFLAGS"),
	}
}

// Warnings says what of the environment makes numbers doubtful. The load isn't part of
// it: it counts hone's own work of the last minutes, such as building the benchmarks.
func (e Environment) Warnings() []string {
	var w []string
	if e.Governor != "" && e.Governor != "performance" {
		w = append(w, "the CPU governor is "+strconv.Quote(e.Governor)+", not \"performance\", so the clock rate varies")
	}
	return w
}

func firstLine(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "" // not on this platform
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

func load() string {
	fields := strings.Fields(firstLine("/proc/loadavg"))
	if len(fields) < 3 {
		return ""
	}
	return strings.Join(fields[:3], " ")
}

func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// A Revision is the state of the code measured.
type Revision struct {
	Name   string `json:"name,omitempty"` // as the user said it: "main", "HEAD~"
	Commit string `json:"commit,omitempty"`
	Dirty  bool   `json:"dirty,omitempty"` // measured with changes not committed
	// Branch is the one that was checked out, Subject the first line of the commit's message.
	Branch  string `json:"branch,omitempty"`
	Subject string `json:"subject,omitempty"`
}

// ReadRevision asks git for the state of a folder. Outside a repository, or
// without git, the revision is empty.
func ReadRevision(ctx context.Context, dir string) Revision {
	ask := func(args ...string) (string, bool) {
		out, err := git.Run(ctx, dir, nil, nil, args...)
		return strings.TrimSpace(string(out)), err == nil
	}
	commit, ok := ask("rev-parse", "--verify", "HEAD")
	if !ok {
		return Revision{}
	}
	changes, ok := ask("status", "--porcelain", "--untracked-files=no")
	branch, _ := ask("symbolic-ref", "--quiet", "--short", "HEAD") // none if a commit is checked out
	return Revision{Commit: commit, Dirty: ok && changes != "", Branch: branch, Subject: ReadSubject(ctx, dir, commit)}
}

// maxSubject limits the subjects that are kept, in characters: some tools write whole
// messages into the first line.
const maxSubject = 200

// ReadSubject asks git for the subject of a commit, "" if it can't tell.
func ReadSubject(ctx context.Context, dir, commit string) string {
	out, err := git.Run(ctx, dir, nil, nil, "log", "-1", "--no-show-signature", "--format=%s", commit, "--")
	if err != nil {
		return ""
	}
	subject := []rune(strings.ToValidUTF8(strings.TrimSpace(string(out)), "\uFFFD"))
	if len(subject) > maxSubject {
		subject = append(subject[:maxSubject-1], '…')
	}
	return string(subject)
}
