package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/temporary"
)

// Acting: these tools run the module's code. They are hone's verbs, with arguments that name nothing outside of the module.

// A Runner runs a verb of hone's, as its command line does, and returns what it prints and its exit code. It tells progress
// what it is doing.
type Runner func(ctx context.Context, args []string, progress func(string)) (output string, code int)

// maxPatch bounds a patch, in bytes.
const maxPatch = 1 << 20

// maxPatches bounds the number of candidates: each is compared with each other one.
const maxPatches = 4

type proveIn struct {
	Patches []string `json:"patches,omitempty" jsonschema:"texts of one to four patches, as git diff prints them (default: the uncommitted changes)"`
	Base    string   `json:"base,omitempty" jsonschema:"what they change: a branch, tag or commit (default: HEAD)"`
	Count   int      `json:"count,omitempty" jsonschema:"samples per benchmark and side, at most 100 (default: 10, and 20 if these don't decide)"`
	For     string   `json:"for,omitempty" jsonschema:"instead of count: how long to measure in total, such as 2m"`
	Gen     bool     `json:"gen,omitempty" jsonschema:"write benchmarks from tests if none executes the change"`
}

func (s *site) prove(ctx context.Context, in proveIn, a *answer, progress func(string)) error {
	args := []string{"prove"}
	if in.Gen {
		args = append(args, "-gen")
	}
	args, err := withLength(args, in.Count, in.For)
	if err != nil {
		return err
	}
	if in.Base != "" {
		if err := plain("base", in.Base); err != nil {
			return err
		}
		args = append(args, "-base", in.Base)
	}
	if len(in.Patches) > maxPatches {
		return fmt.Errorf("%d patches: at most %d in one call", len(in.Patches), maxPatches)
	}
	dir, err := temporary.Make()
	if err != nil {
		return err
	}
	defer dir.Remove()
	for i, text := range in.Patches {
		if len(text) > maxPatch {
			return fmt.Errorf("patch %d has %d bytes: at most %d", i+1, len(text), maxPatch)
		}
		name := filepath.Join(dir.Path, fmt.Sprintf("%d.patch", i+1))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
		args = append(args, name)
	}
	if err := s.run(ctx, a, args, progress); err != nil {
		return err
	}
	a.then("right needs tests that execute the change, and the base's answers to generated inputs; faster needs two measurements that agree. A patch that is both can be applied.")
	return nil
}

type benchIn struct {
	Packages []string `json:"packages,omitempty" jsonschema:"packages of the module, such as ./internal/cart (default: ./...)"`
	Pattern  string   `json:"pattern,omitempty" jsonschema:"only benchmarks that match this regular expression"`
	Against  string   `json:"against,omitempty" jsonschema:"compare with this branch, tag or commit"`
	Count    int      `json:"count,omitempty" jsonschema:"samples per benchmark, at most 100 (default: hone's)"`
	For      string   `json:"for,omitempty" jsonschema:"with against, instead of count: how long to measure in total, such as 2m"`
}

func (s *site) bench(ctx context.Context, in benchIn, a *answer, progress func(string)) error {
	if in.For != "" && in.Against == "" {
		return errors.New("for needs against: without it, give count")
	}
	args, err := withLength([]string{"bench"}, in.Count, in.For)
	if err != nil {
		return err
	}
	if in.Pattern != "" {
		args = append(args, "-bench="+in.Pattern)
	}
	if in.Against != "" {
		if err := plain("against", in.Against); err != nil {
			return err
		}
		args = append(args, "-against", in.Against)
	}
	if len(in.Packages) == 0 {
		in.Packages = []string{"./..."}
	}
	for _, p := range in.Packages {
		if err := plain("packages", p); err != nil {
			return err
		}
		if !strings.HasPrefix(p, "./") && p != "." || strings.Contains(p, "..") && !strings.HasSuffix(p, "/...") || strings.Contains(p, "../") || leadsOutside(p) {
			return fmt.Errorf("packages: %.60q isn't in the module: use ./... or a path such as ./internal/cart", p)
		}
		args = append(args, p)
	}
	if err := s.run(ctx, a, args, progress); err != nil {
		return err
	}
	a.then(`profiles(run="latest") for its profiles, advise(run="latest") for what to change`)
	return nil
}

type loadIn struct {
	URL      string   `json:"url" jsonschema:"address on this machine, such as http://127.0.0.1:8080/search"`
	Rate     string   `json:"rate" jsonschema:"requests: 500 (per second) or 30000/m"`
	Duration string   `json:"duration,omitempty" jsonschema:"of each of three periods, such as 5s (default), at most 1m"`
	Goals    []string `json:"goals,omitempty" jsonschema:"such as p99<=20ms or failed<=0.1%"`
}

// maxLoad bounds a period of a load test.
const maxLoad = time.Minute

func (s *site) load(ctx context.Context, in loadIn, a *answer, progress func(string)) error {
	u, err := url.Parse(in.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("url: invalid address %.80q: use one such as http://127.0.0.1:8080/search", in.URL)
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("url: %.80q is on another machine: this tool loads only this one; hone load does others", u.Host)
	}
	duration := 5 * time.Second
	if in.Duration != "" {
		if duration, err = time.ParseDuration(in.Duration); err != nil || duration <= 0 || duration > maxLoad {
			return fmt.Errorf("duration: invalid %.60q: use a time up to %v", in.Duration, maxLoad)
		}
	}
	if err := plain("rate", in.Rate); err != nil {
		return err
	}
	args := []string{"load", "http", "-rate", in.Rate, "-duration", duration.String(), "-count", "3"}
	for _, g := range in.Goals {
		args = append(args, "-goal="+g)
	}
	if err := s.run(ctx, a, append(args, in.URL), progress); err != nil {
		return err
	}
	a.then(`profiles(run="latest")`)
	return nil
}

// maxCount and maxTime bound a measurement.
const (
	maxCount = 100
	maxTime  = time.Hour
)

// withLength adds the flags that say how long to measure.
func withLength(args []string, count int, text string) ([]string, error) {
	if _, err := limited(count, 0, maxCount); err != nil {
		return nil, fmt.Errorf("count: %w", err)
	}
	if count > 0 && text != "" {
		return nil, errors.New("give count or for, not both")
	}
	if count > 0 {
		args = append(args, "-count", strconv.Itoa(count))
	}
	if text == "" {
		return args, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxTime {
		return nil, fmt.Errorf("for: invalid time %.60q: use one such as 2m, at most 1h", text)
	}
	return append(args, "-for", d.String()), nil
}

// leadsOutside reports whether the folder of a package is outside of the current one, through a symbolic link.
func leadsOutside(pattern string) bool {
	real, err := filepath.EvalSymlinks(strings.TrimSuffix(strings.TrimSuffix(pattern, "..."), "/"))
	if err != nil {
		return false // the go command says that there is none
	}
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return true
	}
	if !filepath.IsAbs(real) {
		real = filepath.Join(here, real)
	}
	rel, err := filepath.Rel(here, real)
	return err != nil || !filepath.IsLocal(rel)
}

// plain refuses a value that would be a flag, or several arguments.
func plain(name, value string) error {
	if strings.HasPrefix(value, "-") || strings.ContainsAny(value, " \t\r\n\x00") || len(value) > 256 {
		return fmt.Errorf("%s: invalid %.60q", name, value)
	}
	return nil
}

// run runs a verb, one after the other: two measurements disturb each other.
func (s *site) run(ctx context.Context, a *answer, args []string, progress func(string)) error {
	select {
	case s.measuring <- struct{}{}:
		defer func() { <-s.measuring }()
	default:
		return errors.New("another measurement runs: wait for its result, or cancel it")
	}
	output, code := s.runner(ctx, args, progress)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	switch code {
	case 0:
	case 3:
		a.say("The result is a regression, a wrong change or a missed goal (exit code 3).")
	default:
		a.say("hone %s failed (exit code %d).", args[0], code)
		a.failed = true
	}
	a.data(output, maxTokens)
	return nil
}
