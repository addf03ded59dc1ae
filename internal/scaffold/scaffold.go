// Package scaffold sets a module up for hone: objectives by measurements, a workflow for CI, and what
// coding agents read.
//
//	module.go      where the module and its repository are
//	objectives.go  hone.toml, by what benchmarks measured
//	scaffold.go    the files, and what exists of them
//	write.go       writes them, never over anything
package scaffold

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
)

//go:embed files
var files embed.FS

// A CI is a service that runs the gate.
type CI string

const (
	GitHub CI = "github"
	GitLab CI = "gitlab"
	NoCI   CI = "none"
)

// An Action says what happens to a file.
type Action string

const (
	Create Action = "create"
	Append Action = "append"
	Keep   Action = "keep" // it is there, and stays as it is
)

// A File is one that the setup consists of.
type File struct {
	Name   string `json:"name"` // relative to the module, with slashes
	Action Action `json:"action"`
	// Why tells why a file is kept.
	Why string `json:"why,omitempty"`

	old, text string // of all of the file; text is what it would have
}

// Diff is the change as a patch for git apply; of a kept file what it lacks, or "".
func (f *File) Diff() string {
	switch {
	case f.text == "" || f.text == f.old:
		return ""
	case f.old == "":
		lines := strings.SplitAfter(strings.TrimSuffix(f.text, "\n"), "\n")
		return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n+%[3]s\n", f.Name, len(lines), strings.Join(lines, "+"))
	}
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n", f.Name) + udiff.Unified("a/"+f.Name, "b/"+f.Name, f.old, f.text)
}

// Plan returns the files that set a module up. series are measurements of its benchmarks; without any,
// there is no hone.toml.
func Plan(ctx context.Context, m *Module, ci CI, series []experiment.Series) ([]File, error) {
	root, err := os.OpenRoot(m.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var all []File
	add := func(f File, err error) error {
		if err == nil && f.Name != "" {
			all = append(all, f)
		}
		return err
	}
	skill := ".agents/skills/hone/SKILL.md"
	skills := []string{skill}
	if exists(root, ".claude") || exists(root, "CLAUDE.md") {
		skills = append(skills, ".claude/skills/hone/SKILL.md")
	}
	if len(series) > 0 {
		if err := add(objectivesFile(root, series)); err != nil {
			return nil, err
		}
	}
	if name := workflowName(ci); name != "" && m.Repository == "." {
		if err := add(whole(root, name, m.workflow(ci), "your workflow stays as it is")); err != nil {
			return nil, err
		}
	}
	if err := add(section(root, "AGENTS.md", strings.ReplaceAll(text("agents.md"), "SKILL", skill))); err != nil {
		return nil, err
	}
	for _, name := range skills {
		if err := add(whole(root, name, text("skill.md"), "it is there already")); err != nil {
			return nil, err
		}
	}
	return all, ctx.Err()
}

func text(name string) string {
	b, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

func workflowName(ci CI) string {
	switch ci {
	case GitHub:
		return ".github/workflows/benchmarks.yml"
	case GitLab:
		return ".gitlab-ci.yml"
	}
	return ""
}

// workflow is that of doc/ci.md with the packages and the Go version of this module.
func (m *Module) workflow(ci CI) string {
	w := text(string(ci) + ".yml")
	w = strings.ReplaceAll(w, "./...", strings.Join(m.Packages, " "))
	return strings.ReplaceAll(w, "go-version-file: go.mod", "go-version-file: "+m.File)
}

// whole is a file that is created, unless there is one.
func whole(root *os.Root, name, text, why string) (File, error) {
	old, found, err := read(root, name)
	switch {
	case err != nil:
		return File{}, err
	case !found:
		return File{Name: name, Action: Create, text: text}, nil
	case old == text:
		return File{Name: name, Action: Keep, Why: "it is up to date", old: old, text: text}, nil
	}
	return File{Name: name, Action: Keep, Why: why, old: old}, nil
}

// objectivesFile is hone.toml. One that is there is kept, with what it lacks as its Diff.
func objectivesFile(root *os.Root, series []experiment.Series) (File, error) {
	f, err := whole(root, objective.FileName, Objectives(series), "it covers the benchmarks")
	if err != nil || f.Action != Keep {
		return f, err
	}
	have, err := objective.Parse(f.Name, []byte(f.old))
	if err != nil {
		f.Why = "it has an error, which hone check shows"
		return f, nil
	}
	if missing := Missing(series, have); missing != "" {
		f.Why, f.text = "your objectives stay as they are; this is what could be added", strings.TrimRight(f.old, "\n")+"\n\n"+missing
	}
	return f, nil
}

// The lines around a section in a file of the user.
const (
	sectionStart = "<!-- hone init -->\n"
	sectionEnd   = "<!-- end of hone init -->\n"
)

// section is a file with a section of ours, which is added at the end.
func section(root *os.Root, name, text string) (File, error) {
	old, found, err := read(root, name)
	text = sectionStart + text + sectionEnd
	switch {
	case err != nil:
		return File{}, err
	case !found:
		return File{Name: name, Action: Create, text: "# For coding agents\n\n" + text}, nil
	case strings.Contains(strings.ReplaceAll(old, "\r\n", "\n"), sectionStart):
		return File{Name: name, Action: Keep, Why: "it has the section already", old: old}, nil
	}
	gap := "\n"
	if !strings.HasSuffix(old, "\n") && old != "" {
		gap = "\n\n"
	}
	return File{Name: name, Action: Append, old: old, text: old + gap + text}, nil
}

// maxFile is how much of a file of the user is read.
const maxFile = 1 << 20

// read reads a file of the module. A link that leads out of the module is an error.
func read(root *os.Root, name string) (text string, found bool, err error) {
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A link to nothing is there, and creating a file through it is not what anyone expects.
		for at := name; at != "."; at = path.Dir(at) {
			if link, err := root.Lstat(at); err == nil && link.Mode()&fs.ModeSymlink != 0 {
				return "", false, fmt.Errorf("%s is a link to nothing: remove it, or create what it names", at)
			}
		}
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("%s: %w; hone init writes only inside of the module", name, err)
	case !info.Mode().IsRegular():
		return "", false, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > maxFile:
		return "", false, fmt.Errorf("%s has more than %d MB", name, maxFile>>20)
	}
	b, err := root.ReadFile(name)
	return string(b), true, err
}
