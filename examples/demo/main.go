// Demo runs the tuning loop on a worked example with hone's own commands, and
// shows what came of it in the web UI: make demo.
//
//	demo -hone bin/hone -dir out/demo [-serve]
//
// On a terminal the UI stays until it is interrupted. Elsewhere, as in CI, it is
// asked for its page and what it knows of the run, and ended.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	hone := flag.String("hone", "bin/hone", "the `program`")
	dir := flag.String("dir", "out/demo", "`folder` for the example and its runs; it is emptied")
	serve := flag.Bool("serve", isTerminal(os.Stdin) && isTerminal(os.Stdout) && os.Getenv("CI") == "", "open the UI and wait")
	flag.Parse()
	program, err := filepath.Abs(*hone)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(*dir); err != nil {
		return err
	}
	// The tour is the loop: bench, check, bench -against after every step, and a
	// regression that the gate finds.
	if err := os.MkdirAll(filepath.Dir(*dir), 0o777); err != nil {
		return err
	}
	if err := command(ctx, "", program, "tour", "-y", "-dir", *dir); err != nil {
		return err
	}
	first, last, err := firstAndLast(ctx, *dir, program)
	if err != nil {
		return err
	}
	fmt.Println("\n== The first version and the last")
	if err := command(ctx, *dir, program, "compare", first, last); err != nil {
		return err
	}
	if err := command(ctx, *dir, program, "compare", "-o", "report.html", first, last); err != nil {
		return err
	}
	fmt.Printf("report       %s\n", filepath.Join(*dir, "report.html"))
	fmt.Println("\n== What hone finds and mends by itself")
	if err := tune(ctx, program, *dir+"-tune"); err != nil {
		return err
	}
	fmt.Println("\n== In a browser")
	if *serve {
		return command(ctx, *dir, program, "ui", first, last)
	}
	return look(ctx, *dir, program, "ui", "-no_browser", first, last)
}

// firstAndLast returns the tour's measurement of the first version, and that of the last step.
// Its other runs are no versions to compare: the gate has no profiles, and the load no
// benchmark.
func firstAndLast(ctx context.Context, dir, program string) (first, last string, err error) {
	cmd := exec.CommandContext(ctx, program, "runs", "-json")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("hone runs: %w", err)
	}
	return pick(out)
}

// pick finds them in the list of runs, which has the newest first.
func pick(list []byte) (first, last string, err error) {
	var runs []struct {
		ID      string
		Command []string
	}
	if err := json.Unmarshal(list, &runs); err != nil {
		return "", "", fmt.Errorf("hone runs: %w", err)
	}
	for _, r := range runs {
		if len(r.Command) < 2 || r.Command[1] != "bench" {
			continue
		}
		if first = r.ID; last == "" {
			last = r.ID
		}
	}
	if first == last {
		return "", "", fmt.Errorf("the tour kept %d runs, and not two of hone bench to compare", len(runs))
	}
	return first, last, nil
}

// tune has hone tune the first version of an example, in a module of its own.
func tune(ctx context.Context, program, dir string) error {
	const example = "examples/visitors"
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	sources, err := filepath.Glob(filepath.Join(example, "*.go"))
	if err != nil {
		return err
	}
	for _, source := range sources {
		name := filepath.Base(source)
		if name == "ratio_test.go" {
			continue // it says how slow the first version is, which won't stay
		}
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		text = bytes.Replace(text, []byte("{ greetScanned(w, r) }"), []byte("{ greetCompile(w, r) }"), 1)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/visitors\n\ngo 1.26\n"), 0o666); err != nil {
		return err
	}
	return command(ctx, dir, program, "tune", "-dirty", "-bench", "InUse", "-count", "10", "-benchtime", "100ms", "-profiletime", "1s")
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func command(ctx context.Context, dir, program string, args ...string) error {
	fmt.Printf("\n$ hone %s\n", strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("hone %s: %w", args[0], err)
	}
	return ctx.Err()
}

// interrupt ends a process as ^C does, where there are signals.
func interrupt(p *os.Process) error {
	if err := p.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return p.Kill()
	}
	return nil
}

var address = regexp.MustCompile(`http://[^\s/]+(/\S*)?`)

// look starts the UI, asks it for its page and for its profiles, and ends it.
func look(ctx context.Context, dir, program string, args ...string) error {
	fmt.Printf("\n$ hone %s\n", strings.Join(args, " "))
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	says, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	cmd.Stdout = cmd.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	url := ""
	lines := bufio.NewScanner(says)
	for url == "" && lines.Scan() {
		fmt.Println(lines.Text())
		url = address.FindString(lines.Text())
	}
	if url == "" {
		return fmt.Errorf("hone ui told no address: %w", cmd.Wait())
	}
	go io.Copy(io.Discard, says)
	err = answers(ctx, url)
	cancel()
	cmd.Wait() // interrupted
	if err != nil {
		return err
	}
	fmt.Printf("The page answers. To look at it: (cd %s && %s ui %s)\n", dir, program, strings.Join(args[2:], " "))
	return nil
}

// answers asks for a page, and for the list of what it can show.
func answers(ctx context.Context, url string) error {
	base, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	for _, ask := range []struct{ url, want string }{{url, "<title>"}, {"http://" + base + "/api/v1/profiles", "InUse"}} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, ask.url, nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
		res.Body.Close()
		if err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK || !strings.Contains(string(body), ask.want) {
			return fmt.Errorf("%s answers %s without %q", ask.url, res.Status, ask.want)
		}
	}
	return nil
}
