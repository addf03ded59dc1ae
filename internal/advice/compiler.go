package advice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/temporary"
	"github.com/hone-go/hone/profile"
)

// lineOf is a line of a file.
type lineOf struct {
	file string
	line int
}

// Diagnostics has the compiler's messages by file and line: what escapes to the heap, and what is
// copied.
type Diagnostics map[lineOf][]string

// Add adds a message about a line.
func (d Diagnostics) Add(file string, line int, message string) {
	if at := (lineOf{file, line}); !slices.Contains(d[at], message) {
		d[at] = append(d[at], message)
	}
}

// MarkCompiled marks a file as compiled: all messages about it are there.
func (d Diagnostics) MarkCompiled(file string) { d[lineOf{file, 0}] = nil }

// Compiled reports whether the compiler has compiled a file: if it doesn't say that a value escapes,
// the value stays in its function.
func (d Diagnostics) Compiled(file string) bool {
	_, ok := d[lineOf{file, 0}]
	return ok
}

// Escapes reports whether something on a line escapes to the heap, or may, because the compiler was
// not asked.
func (d Diagnostics) Escapes(file string, line int) bool {
	return d == nil || slices.ContainsFunc(d[lineOf{file, line}], func(message string) bool { return strings.Contains(message, "escapes to heap") })
}

// compile compiles packages with -json=0,DIR. The compiler then writes
// its decisions, one file per source file, in the language server's format, but with lines and columns
// that start at 1:
//
//	{"version":0,"package":"example.com/m","goos":"linux",…,"file":"/src/m/m.go"}
//	{"range":{"start":{"line":7,"character":2},…},"code":"escape",…,"message":"x escapes to heap","relatedInformation":[…]}
//	{"range":{"start":{"line":7,"character":2},…},"code":"escape",…,"message":""}
//	…
//
// For inlined code the position is the call in the outermost function; the first related locations,
// with the message "inlineLoc", lead inwards to the line that profiles have.
//
// A folder of its own makes the command line unique, so that packages are compiled and don't come from
// the build cache. Packages that don't compile are left out. done is told how many there are so far.
func compile(ctx context.Context, dir string, flags []string, pkgs []*compiled, done func(packages int)) error {
	if len(pkgs) == 0 {
		return nil
	}
	tmp, err := temporary.Make()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	told := filepath.Join(tmp.Path, "told") // apart from what the go command keeps for a while
	args := slices.Concat([]string{"list", "-e", "-buildvcs=false", "-export", "-gcflags=-json=0," + told, "-f", "{{.ImportPath}}\t{{.BuildID}}"}, flags, []string{"--"})
	for _, p := range pkgs {
		args = append(args, p.pattern)
	}
	stop := countFolders(told, done)
	out, err := gocmd.Command{Dir: dir, Args: args, Run: tmp.Run}.Output(ctx)
	stop()
	if err != nil {
		return fmt.Errorf("compiler diagnostics are missing: %w", err)
	}
	ids := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		path, id, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		ids[path] = id
	}
	for _, p := range pkgs {
		p.id = ids[p.path]
	}
	return readTold(told, func(folder, file string) *compiled { return packageOf(pkgs, folder, file) })
}

// compileTests is compile for the tests of packages. They have instances of generic functions that the packages don't have, and
// only of instances does the compiler say anything.
func compileTests(ctx context.Context, dir string, flags []string, pkgs []*compiled) error {
	tmp, err := temporary.Make()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	told := filepath.Join(tmp.Path, "told")
	args := slices.Concat([]string{"test", "-c", "-o", os.DevNull, "-gcflags=-json=0," + told}, flags)
	for _, p := range pkgs {
		args = append(args, p.pattern)
	}
	if _, err := (gocmd.Command{Dir: dir, Args: args, Run: tmp.Run}).Output(ctx); err != nil {
		return fmt.Errorf("compiler diagnostics of tests are missing: %w", err)
	}
	return readTold(told, func(_, file string) *compiled {
		if i := slices.IndexFunc(pkgs, func(p *compiled) bool { return p.has(file) }); i >= 0 {
			return pkgs[i]
		}
		return nil
	})
}

// readTold reads what the compiler wrote to a folder. of returns the package that a file in a folder is about, nil for none.
func readTold(told string, of func(folder, file string) *compiled) error {
	return filepath.WalkDir(told, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := readRemarks(name, text)
		if err != nil {
			return err
		}
		if p := of(filepath.Base(filepath.Dir(name)), file.Name); p != nil {
			p.files = append(p.files, file)
		}
		return nil
	})
}

// packageOf returns the package that a file written by the compiler is about. The file's folder is named after the package. Commands share
// the folder main, and are told apart by the source file.
func packageOf(pkgs []*compiled, folder, file string) (of *compiled) {
	for _, p := range pkgs {
		switch {
		case url.PathEscape(p.path) == folder && !p.main:
			return p
		case p.main && folder == "main" && (of == nil || p.has(file)):
			of = p
		}
	}
	return of
}

// countFolders calls a function every half second with the number of folders in a folder, until it is stopped. The compiler
// makes one for each package.
func countFolders(dir string, count func(int)) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				entries, _ := os.ReadDir(dir) // it may not be there yet
				count(len(entries))
			}
		}
	}()
	return func() { close(end); <-ended }
}

// readRemarks reads a file that the compiler wrote, whose name is name.
func readRemarks(name string, text []byte) (file compiledFile, err error) {
	in := json.NewDecoder(bytes.NewReader(text))
	var header struct{ File string }
	if err := in.Decode(&header); err != nil {
		return file, fmt.Errorf("%s: %w", name, err)
	}
	file.Name = header.File
	for {
		var m remark
		if err := in.Decode(&m); errors.Is(err, io.EOF) {
			return file, nil
		} else if err != nil {
			return file, fmt.Errorf("%s: offset %d: %w", name, in.InputOffset(), err)
		}
		file.add(&m)
	}
}

// A remark is one of the compiler's diagnostics.
type remark struct {
	Range              span
	Code, Message      string
	RelatedInformation []struct {
		Location struct {
			URI   string
			Range span
		}
		Message string
	}
}

type span struct{ Start struct{ Line int } }

// place is the innermost line that a remark in a file is about. file is "" if that is the file of the remark.
func (r *remark) place() (file string, line int) {
	line = r.Range.Start.Line
	for _, i := range r.RelatedInformation {
		if i.Message != "inlineLoc" {
			break // those that follow are of steps that explain it
		}
		file, line = fileName(i.Location.URI), i.Location.Range.Start.Line
	}
	return file, line
}

// fileName is the path in a file's address.
func fileName(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" {
		return address
	}
	name := u.Host + u.Path // a path that isn't absolute has its first part as the host
	if filepath.Separator == '\\' {
		name = strings.TrimPrefix(name, "/") // before the drive's letter
	}
	return filepath.FromSlash(name)
}

// mainFolders returns the folders of the modules' commands, if the profiles have frames that are only
// known to belong to a command.
func mainFolders(ctx context.Context, dir string, mods []module, flags []string, inputs []Input) ([]string, error) {
	isMain := func(p *profile.Profile) bool {
		return slices.ContainsFunc(p.Functions, func(f profile.Function) bool {
			return strings.HasPrefix(p.Strings[f.Name], "main.") && !strings.HasSuffix(p.Strings[f.File], "_testmain.go")
		})
	}
	if !slices.ContainsFunc(inputs, func(in Input) bool { return isMain(in.Profile) }) {
		return nil, nil
	}
	args := append([]string{"list", "-e", "-find", "-f", `{{if eq .Name "main"}}{{.Dir}}{{end}}`}, flags...)
	if moduleAround(mods, dir) != nil {
		args = append(args, "./...")
	} else { // the folder of a workspace, in which ./... means nothing
		for _, m := range mods {
			if !m.replaces {
				args = append(args, filepath.Join(m.Dir, "..."))
			}
		}
	}
	out, err := gocmd.Command{Dir: dir, Args: args}.Output(ctx)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			dirs = append(dirs, line)
		}
	}
	return dirs, nil
}
