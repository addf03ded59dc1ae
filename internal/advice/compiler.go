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

	"github.com/hone-go/hone/profile"
)

// lineOf is a line of a file.
type lineOf struct {
	file string
	line int
}

// diagnostics is what the compiler says of lines.
type diagnostics map[lineOf][]string

// compilerSays compiles packages with -json=0,DIR, which has the compiler write what
// it decided, one file for each of the source, in the language server's format:
//
//	{"version":0,"package":"example.com/m","goos":"linux",…,"file":"/src/m/m.go"}
//	{"range":{"start":{"line":7,"character":2},…},"severity":3,"code":"escape","source":"go compiler","message":"x escapes to heap"}
//	…
//
// A folder of its own makes the command line another one, so that nothing comes from
// the build cache without being compiled.
func compilerSays(ctx context.Context, dir string, pkgs []*Package) (diagnostics, error) {
	if len(pkgs) == 0 {
		return nil, nil
	}
	tmp, err := os.MkdirTemp("", "hone-advice")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	args := []string{"list", "-export", "-gcflags=-json=0," + tmp, "-f", "{{.ImportPath}}", "--"}
	for _, p := range pkgs {
		args = append(args, p.Dir)
	}
	if _, err := runGo(ctx, dir, args...); err != nil {
		return nil, fmt.Errorf("what the compiler says is missing: %w", err)
	}
	found := make(diagnostics)
	err = filepath.WalkDir(tmp, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return found.read(name, text)
	})
	return found, err
}

func (d diagnostics) read(name string, text []byte) error {
	in := json.NewDecoder(bytes.NewReader(text))
	var header struct{ File string }
	if err := in.Decode(&header); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	file := header.File
	if u, err := url.Parse(file); err == nil && u.Scheme == "file" {
		file = filepath.FromSlash(u.Path)
	}
	for {
		var m struct {
			Range         struct{ Start struct{ Line int } }
			Code, Message string
		}
		if err := in.Decode(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: offset %d: %w", name, in.InputOffset(), err)
		}
		message := ""
		switch m.Code {
		case "escape", "escapes":
			message = m.Message
			if message == "" {
				message = "escapes to heap"
			}
		case "copy":
			message = m.Message
		}
		at := lineOf{file, m.Range.Start.Line}
		if message != "" && !slices.Contains(d[at], message) {
			d[at] = append(d[at], message)
		}
	}
}

// mainFolders returns the folders of the modules' commands, if the profiles have
// frames that no more is known of than that they are a command's.
func mainFolders(ctx context.Context, dir string, inputs []Input) ([]string, error) {
	isMain := func(p *profile.Profile) bool {
		return slices.ContainsFunc(p.Functions, func(f profile.Function) bool { return strings.HasPrefix(p.Strings[f.Name], "main.") })
	}
	if !slices.ContainsFunc(inputs, func(in Input) bool { return isMain(in.Profile) }) {
		return nil, nil
	}
	out, err := runGo(ctx, dir, "list", "-e", "-f", `{{if eq .Name "main"}}{{.Dir}}{{end}}`, "./...")
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
