// Package doc_test keeps the pages of this folder true: programs they quote
// are the files, and commands they show print what they show. Run with
// -update to write what is true into the pages.
package doc_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var (
	update  = flag.Bool("update", false, "write quoted files and command output into the pages")
	honeBin = flag.String("hone", "", "run this hone `binary`; empty: build one")
)

const root = ".."

// A quotation is a comment that names a file of this repository, and the code
// block below it, which has the whole file, or the declarations named:
//
//	<!-- file: examples/x/main.go main (*server).stop -->
//	```go
//	func main() {
//	```
var quotation = regexp.MustCompile("(?ms)^(<!-- file: (\\S+)((?: \\S+)*) -->\n```\\w+\n)(.*?)^```$")

// A console block shows commands, each after a $, and what they print on
// standard output, run in the root of the repository. A line with only …
// takes the place of lines that the page leaves out.
var console = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

func TestQuotedFiles(t *testing.T) {
	quoted := make(map[string]bool)
	for _, page := range pages(t) {
		rewrite(t, page, quotation, func(m []string) string {
			opening, file, names, code := m[1], m[2], strings.Fields(m[3]), m[4]
			quoted[file] = true
			want, err := quote(filepath.Join(root, filepath.FromSlash(file)), names)
			if err != nil {
				t.Fatalf("%s: %v", page, err)
			}
			if !*update && code != want {
				t.Errorf("%s: the code differs from %s; go test ./doc -update copies it", page, file)
			}
			return opening + want + "```"
		})
	}
	programs, err := filepath.Glob(filepath.Join(root, "examples/collect/*/main.go"))
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs under examples/collect: %v", err)
	}
	for _, p := range programs {
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		linked := func(page string) bool { return strings.Contains(read(t, page), "(../"+rel+")") }
		if !quoted[rel] && !slices.ContainsFunc(pages(t), linked) {
			t.Errorf("no page quotes %s or has a link to it", rel)
		}
	}
}

// quote returns a file, or the named declarations of it with their comments.
func quote(file string, names []string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil || len(names) == 0 {
		return string(text), err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	known := map[string]string{}
	for _, d := range f.Decls {
		name, begin := "import", d.Pos()
		switch d := d.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
			if d.Recv != nil {
				name = "(" + types.ExprString(d.Recv.List[0].Type) + ")." + name
			}
			if d.Doc != nil {
				begin = d.Doc.Pos()
			}
		case *ast.GenDecl:
			if spec, ok := d.Specs[0].(*ast.TypeSpec); ok {
				name = spec.Name.Name
			}
			if d.Doc != nil {
				begin = d.Doc.Pos()
			}
		}
		known[name] = string(text[set.Position(begin).Offset:set.Position(d.End()).Offset]) + "\n"
	}
	var quoted []string
	for _, name := range names {
		if known[name] == "" {
			return "", fmt.Errorf("%s declares no %s", file, name)
		}
		quoted = append(quoted, known[name])
	}
	return strings.Join(quoted, "\n"), nil
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if dir := builtDir; dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

var builtDir string // of what build made

// build builds hone as make build does.
var build = sync.OnceValues(func() (name string, err error) {
	if builtDir, err = os.MkdirTemp("", "hone-doc-"); err != nil {
		return "", err
	}
	name = filepath.Join(builtDir, "hone")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", name, "../cmd/hone").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building hone: %w\n%s", err, out)
	}
	return name, nil
})

func honeBinary(t *testing.T) string {
	t.Helper()
	if *honeBin != "" {
		return *honeBin
	}
	name, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCommands(t *testing.T) {
	hone := honeBinary(t)
	for _, page := range pages(t) {
		rewrite(t, page, console, func(m []string) string {
			var b strings.Builder
			b.WriteString("```console\n")
			for _, command := range commands(m[1]) {
				got := execute(t, hone, command.args)
				if shows(command.output, got) {
					got = command.output
				} else if !*update {
					t.Errorf("%s: $ hone %s\nprints\n%s\nthe page shows\n%s", page, strings.Join(command.args, " "), got, command.output)
				}
				b.WriteString(command.line + "\n" + got)
			}
			b.WriteString("```")
			return b.String()
		})
	}
}

// shows reports whether a page shows what a command printed, except for lines that it leaves out.
func shows(page, printed string) bool {
	pattern := `\A`
	for line := range strings.Lines(page) {
		if line == "…\n" {
			pattern += `(?:.*\n)+`
		} else {
			pattern += regexp.QuoteMeta(line)
		}
	}
	return regexp.MustCompile(pattern + `\z`).MatchString(printed)
}

func TestShows(t *testing.T) {
	const printed = "one\ntwo\nthree\nfour\n"
	for _, page := range []string{printed, "…\n", "one\n…\n", "…\nfour\n", "one\n…\nfour\n", "one\n…\nthree\n…\n", "…\ntwo\n…\nfour\n"} {
		if !shows(page, printed) {
			t.Errorf("%q shows %q", page, printed)
		}
	}
	for _, page := range []string{"", "one\n", "on\n…\n", "…\nour\n", "…\nthree\n", "one\n…\nfive\n…\n", "…\nthree\n…\ntwo\n…\n", "one\ntwo\n…\ntwo\n…\n", "…\nwo\n…\n"} {
		if shows(page, printed) {
			t.Errorf("%q doesn't show %q", page, printed)
		}
	}
}

type command struct {
	line   string   // as shown, with its $
	args   []string // without hone itself
	output string
}

var word = regexp.MustCompile(`'[^']*'|\S+`)

func commands(block string) []command {
	var all []command
	for line := range strings.Lines(block) {
		if rest, ok := strings.CutPrefix(line, "$ hone "); ok {
			var args []string
			for _, w := range word.FindAllString(rest, -1) {
				args = append(args, strings.Trim(w, "'"))
			}
			all = append(all, command{line: strings.TrimRight(line, "\n"), args: args})
		} else if len(all) > 0 {
			all[len(all)-1].output += line
		}
	}
	return all
}

// execute returns a command's standard output, without the blanks that some
// reports leave at the end of a line.
func execute(t *testing.T, hone string, args []string) string {
	t.Helper()
	cmd := exec.Command(hone, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "TZ=UTC")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("hone %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	var b strings.Builder
	for line := range strings.Lines(stdout.String()) {
		fmt.Fprintln(&b, strings.TrimRight(line, " \t\r\n"))
	}
	return b.String()
}

func pages(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "reference/*.md", filepath.Join(root, "examples/*/README.md")} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no pages %s: %v", pattern, err)
		}
		names = append(names, found...)
	}
	return names
}

// rewrite calls f with every match of re in a page and, with -update, writes
// the page back with each match replaced by what f returned.
func rewrite(t *testing.T, page string, re *regexp.Regexp, f func(m []string) string) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := re.ReplaceAllStringFunc(string(data), func(match string) string {
		return f(re.FindStringSubmatch(match))
	})
	if *update && text != string(data) {
		if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
