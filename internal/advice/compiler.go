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
	"path"
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

// compilerDiagnostics compiles packages with -json=0,DIR. The compiler then writes
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
// the build cache. Packages that don't compile are left out. compiled is told how many there are so far.
func compilerDiagnostics(ctx context.Context, dir string, flags, patterns []string, compiled func(packages int)) (Diagnostics, Decisions, error) {
	if len(patterns) == 0 {
		return nil, nil, nil
	}
	tmp, err := temporary.Make()
	if err != nil {
		return nil, nil, err
	}
	defer tmp.Remove()
	told := filepath.Join(tmp.Path, "told") // apart from what the go command keeps for a while
	args := slices.Concat([]string{"list", "-e", "-buildvcs=false", "-export", "-gcflags=-json=0," + told, "-f", "{{.ImportPath}}\t{{.Dir}}"}, flags, []string{"--"}, patterns)
	stop := countFolders(told, compiled)
	out, err := gocmd.Command{Dir: dir, Args: args, Run: tmp.Run}.Output(ctx)
	stop()
	if err != nil {
		return nil, nil, fmt.Errorf("compiler diagnostics are missing: %w", err)
	}
	of := make(folders)
	for line := range strings.Lines(string(out)) {
		if pkg, folder, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t"); ok {
			of[pkg] = folder
		}
	}
	found, decided := make(Diagnostics), make(Decisions)
	err = filepath.WalkDir(told, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		header, remarks, err := readRemarks(name, text)
		if err != nil {
			return err
		}
		file := of.full(header)
		found.MarkCompiled(file)
		for i := range remarks {
			at := remarks[i].place(file, of)
			found.remark(at, &remarks[i])
			decided.remark(at, &remarks[i])
		}
		return nil
	})
	return found, decided, err
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

// folders maps import paths to folders. With -trimpath, which may be set in GOFLAGS, the compiler
// names files by their package: example.com/m/file.go.
type folders map[string]string

// full returns the file that the compiler means.
func (f folders) full(file string) string {
	if folder, ok := f[path.Dir(filepath.ToSlash(file))]; ok {
		return filepath.Join(folder, path.Base(filepath.ToSlash(file)))
	}
	return file
}

// readRemarks reads a file of the compiler's, and returns the source file it is about, as the compiler
// names it.
func readRemarks(name string, text []byte) (file string, all []remark, err error) {
	in := json.NewDecoder(bytes.NewReader(text))
	var header struct{ File string }
	if err := in.Decode(&header); err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	for {
		var m remark
		if err := in.Decode(&m); errors.Is(err, io.EOF) {
			return header.File, all, nil
		} else if err != nil {
			return "", nil, fmt.Errorf("%s: offset %d: %w", name, in.InputOffset(), err)
		}
		all = append(all, m)
	}
}

// remark adds what a remark about a line says of the heap and of copies.
func (d Diagnostics) remark(at lineOf, m *remark) {
	switch m.Code {
	case "escape", "escapes":
		// Most diagnostics appear twice, the second time without a message.
		if m.Message != "" {
			d.Add(at.file, at.line, m.Message)
		} else if len(d[at]) == 0 {
			d.Add(at.file, at.line, "escapes to heap")
		}
	case "copy":
		d.Add(at.file, at.line, "copies "+m.Message)
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

// place is the innermost line that a remark in a file is about.
func (r *remark) place(file string, of folders) lineOf {
	at := lineOf{file, r.Range.Start.Line}
	for _, i := range r.RelatedInformation {
		if i.Message != "inlineLoc" {
			break // those that follow are of steps that explain it
		}
		at = lineOf{of.full(fileName(i.Location.URI)), i.Location.Range.Start.Line}
	}
	return at
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
