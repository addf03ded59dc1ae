// Command build builds the program of the folder above it: it copies Parca's
// agent out of the cache of modules, puts what stands in for parts of it in their
// place, and builds with that copy.
//
// Usage, in the folder of the program: go run ./build -o FILE
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

const agent = "github.com/parca-dev/parca-agent"

// packages are those of the agent that the program has, by what replaces a file
// of theirs; "" removes it.
var packages = map[string]map[string]string{
	"reporter":           nil,
	"reporter/elfwriter": nil,
	"reporter/metadata":  {"containermetadata.go": "standin/_agent/metadata/containermetadata.go", "cri_client.go": ""},
	"metrics":            {"all.go": "standin/_agent/metrics/all.go"},
}

func main() {
	out := flag.String("o", "", "write the program to this `file`")
	flag.Parse()
	if err := run(*out); err != nil {
		log.Fatal(err)
	}
}

func run(out string) (err error) {
	tmp, err := os.MkdirTemp("", "parcaagent")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	text, err := goTool("mod", "download", "-json", agent)
	if err != nil {
		return err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(text, &module); err != nil {
		return err
	}
	copied := filepath.Join(tmp, "agent")
	for name, standins := range packages {
		if err := copyPackage(filepath.Join(copied, name), filepath.Join(module.Dir, name), standins); err != nil {
			return err
		}
	}
	if err := copyFile(filepath.Join(copied, "go.mod"), filepath.Join(module.Dir, "go.mod")); err != nil {
		return err
	}
	modfile := filepath.Join(tmp, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := copyFile(filepath.Join(tmp, name), name); err != nil {
			return err
		}
	}
	if _, err := goTool("mod", "edit", "-replace", agent+"="+copied, modfile); err != nil {
		return err
	}
	_, err = goTool("build", "-modfile", modfile, "-o", out, ".")
	return err
}

// copyPackage copies the Go files of a folder that are no tests.
func copyPackage(to, from string, standins map[string]string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: %w", from, fs.ErrNotExist)
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if test, _ := filepath.Match("*_test.go", name); test {
			continue
		}
		if standin, ok := standins[name]; ok {
			if file = standin; file == "" {
				continue
			}
		}
		if err := copyFile(filepath.Join(to, name), file); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// goTool runs the go command and returns what it prints.
func goTool(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", args[0], err, out)
	}
	return out, err
}
