// Capture takes the profiles of ../ anew, by running real programs, and writes
// the table of them in ../README.md. Run it in the root of the repository:
//
//	go run ./testdata/capture              # everything, some three minutes
//	go run ./testdata/capture -run labels  # what comes from recipes that match
//
// It needs a C compiler for the cgo programs. They are copied to a directory of
// their own (-dir), so that the paths in the profiles are the same everywhere,
// and removed from there in the end.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
)

func main() {
	dir := flag.String("dir", "/tmp/app", "`directory` to build the programs in")
	out := flag.String("o", "testdata", "`directory` for the profiles")
	match := flag.String("run", "", "only run recipes with a file or origin matching `regexp`")
	table := flag.Bool("table", false, "only write the table")
	flag.Parse()
	if err := run(*dir, *out, *match, *table); err != nil {
		fmt.Fprintln(os.Stderr, "capture:", err)
		os.Exit(1)
	}
}

func run(dir, out, match string, tableOnly bool) (err error) {
	if tableOnly {
		return writeTable(out)
	}
	re, err := regexp.Compile(match)
	if err != nil {
		return err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}
	c := &capturer{dir: dir, out: out, built: map[string]string{}}
	defer func() { err = errors.Join(err, c.cleanUp()) }()
	if err := c.copyPrograms(filepath.Join(out, "capture")); err != nil {
		return err
	}
	waiting := make(chan error, 1)
	if slow.matches(re) {
		if _, err := c.build(slow.args[0]); err != nil {
			return err
		}
		go func() { waiting <- c.take(slow) }()
	} else {
		waiting <- nil
	}
	for _, r := range recipes {
		if !r.matches(re) {
			continue
		}
		fmt.Println(strings.Join(r.files, " "))
		if err := c.take(r); err != nil {
			return fmt.Errorf("%s: %w", r.files[0], err)
		}
	}
	if err := <-waiting; err != nil {
		return fmt.Errorf("%s: %w", slow.files[0], err)
	}
	return writeTable(out)
}

func (r recipe) matches(re *regexp.Regexp) bool {
	return re.MatchString(strings.Join(r.files, " ") + " " + r.origin)
}

// A capturer runs recipes. Its programs are built when a recipe first needs them.
type capturer struct {
	dir, out string
	built    map[string]string // program name to binary
}

// copyPrograms copies the programs' sources into a module in c.dir.
func (c *capturer) copyPrograms(from string) error {
	if err := os.MkdirAll(filepath.Join(c.dir, "bin"), 0o777); err != nil {
		return err
	}
	for _, p := range []string{"app", "cgoapp", "small"} {
		to := filepath.Join(c.dir, p)
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.CopyFS(to, os.DirFS(filepath.Join(from, p))); err != nil {
			return err
		}
	}
	for file, version := range map[string]string{"go.mod": "1.26", "go127.mod": "1.27.0"} {
		if err := os.WriteFile(filepath.Join(c.dir, file), []byte("module example.com/app\n\ngo "+version+"\n"), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// cleanUp removes what was put into c.dir, and c.dir if nothing else is in it: where
// the sources are that the profiles name, reports show them, and tests expect none.
func (c *capturer) cleanUp() error {
	var err error
	for _, name := range []string{"app", "cgoapp", "small", "bin", "go.mod", "go127.mod"} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(c.dir, name)))
	}
	os.Remove(c.dir) // fails if something else is in it
	return err
}

func (c *capturer) build(name string) (string, error) {
	if bin, ok := c.built[name]; ok {
		return bin, nil
	}
	for _, p := range programs {
		if p.name != name {
			continue
		}
		bin := filepath.Join(c.dir, "bin", name)
		args := []string{p.args[0], "-o", bin}
		for _, a := range p.args[1:] {
			args = append(args, strings.Replace(a, "DIR", ".", 1))
		}
		cmd := exec.Command("go", args...)
		cmd.Dir = c.dir
		cmd.Env = append(os.Environ(), p.env...)
		if text, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", cmd, err, text)
		}
		c.built[name] = bin
		return bin, nil
	}
	if name == "pprof" {
		path, err := exec.Command("go", "tool", "-n", "pprof").Output()
		return strings.TrimSpace(string(path)), err
	}
	return name, nil
}

func (c *capturer) take(r recipe) error {
	bin, err := c.build(r.args[0])
	if err != nil {
		return err
	}
	if r.program {
		return gzipFile(bin, filepath.Join(c.out, r.files[0]))
	}
	var args []string
	for _, a := range r.args[1:] {
		if !strings.Contains(a, `"$0"`) { // a shell script has its own
			for i, f := range r.files {
				a = strings.ReplaceAll(a, fmt.Sprintf("$%d", i), filepath.Join(c.out, f))
			}
			a = strings.Replace(a, "@", c.out+"/", 1)
		}
		args = append(args, a)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = filepath.Join(c.dir, "bin")
	if r.dir != "" {
		cmd.Dir = filepath.Join(runtime.GOROOT(), "src", r.dir)
	}
	cmd.Env = append(os.Environ(), "TZ=UTC")
	if bin == "go" || bin == "sh" {
		// The tools run only for what is not in the build cache.
		cache, err := os.MkdirTemp(c.dir, "cache")
		if err != nil {
			return err
		}
		defer os.RemoveAll(cache)
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	if text, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != r.status {
		return fmt.Errorf("%s: %w\n%s", cmd, err, text)
	}
	for _, f := range r.files {
		info, err := os.Stat(filepath.Join(c.out, f))
		if err != nil {
			return err
		}
		if info.Size() > 300<<10 {
			return fmt.Errorf("%s has %d bytes", f, info.Size())
		}
	}
	return nil
}

func gzipFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o666)
}

// writeTable puts the table of profiles between the markers of the README.
func writeTable(out string) error {
	all := append(append([]recipe(nil), recipes...), slow)
	origin := map[string]string{}
	var files []string
	for _, r := range all {
		for _, f := range r.files {
			files = append(files, f)
			origin[f] = r.origin
		}
	}
	sort.Strings(files)
	var b strings.Builder
	b.WriteString("| file | origin |\n|---|---|\n")
	for _, f := range files {
		fmt.Fprintf(&b, "| %s | %s |\n", f, origin[f])
	}
	name := filepath.Join(out, "README.md")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	const begin, end = "<!-- table -->\n", "<!-- end -->\n"
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s: no markers for the table", name)
	}
	return os.WriteFile(name, []byte(head+begin+b.String()+end+tail), 0o666)
}
