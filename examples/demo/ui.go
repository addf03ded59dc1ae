package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// show opens the web UI with two runs. On a terminal it stays until it is interrupted.
// Elsewhere, as in CI, it is asked for its page and for what it knows, and ended.
func (l *loop) show(ctx context.Context, first, last string) error {
	l.heading("In a browser")
	if !l.serve {
		return l.look(ctx, "ui", "-no_browser", first, last)
	}
	l.command("ui", first, last)
	cmd := exec.CommandContext(ctx, l.hone, "ui", first, last)
	cmd.Dir = l.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, l.out, os.Stderr
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("hone ui: %w", err)
	}
	return nil // an interrupt is how to end it
}

var address = regexp.MustCompile(`http://[^\s/]+(/\S*)?`)

// look starts the UI, asks it for its page and for its profiles, and ends it.
func (l *loop) look(ctx context.Context, args ...string) error {
	l.command(args...)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.hone, args...)
	cmd.Dir = l.dir
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
		url = address.FindString(lines.Text())
	}
	if url == "" {
		return fmt.Errorf("hone ui printed no address: %w", cmd.Wait())
	}
	go io.Copy(io.Discard, says)
	err = answers(ctx, url)
	cancel()
	cmd.Wait() // interrupted
	if err != nil {
		return err
	}
	l.line("The page answers. To look at it:")
	fmt.Fprintf(l.out, "  (cd %s && %s ui %s)\n", l.dir, l.hone, strings.Join(args[2:], " ")) // to copy, so it isn't cut
	return nil
}

// answers requests a page and the list of its profiles.
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
			return fmt.Errorf("%s answered %s without %q", ask.url, res.Status, ask.want)
		}
	}
	return nil
}
