package differ

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/workspace"
)

// Compared says how far exported functions that reach a change return the same as before, for generated inputs.
type Compared struct {
	Result
	// Why says why nothing was compared, or not all.
	Why string `json:"why,omitempty"`
}

// NotCompared says why nothing was compared.
func NotCompared(why string) *Compared {
	return &Compared{Result{Functions: []string{}, Differences: []Difference{}}, why}
}

// Seen is the first difference that callers see, nil if there is none.
func (c *Compared) Seen() *Difference {
	i := slices.IndexFunc(c.Differences, func(d Difference) bool { return !d.Inside })
	if i < 0 {
		return nil
	}
	return &c.Differences[i]
}

// MostTold is how many differences people and agents are told.
const MostTold = 5

// First has the first differences, those that callers see before others.
func (c *Compared) First(n int) *Compared {
	if c == nil || len(c.Differences) <= n {
		return c
	}
	cut := *c
	cut.Differences = slices.Clone(c.Differences)
	slices.SortStableFunc(cut.Differences, func(a, b Difference) int {
		switch {
		case a.Inside == b.Inside:
			return 0
		case a.Inside:
			return 1
		}
		return -1
	})
	cut.Differences = cut.Differences[:n]
	return &cut
}

const (
	callTime   = 30 * time.Second
	restarts   = 12 // after calls of a function, or of a type's methods, that end the program
	mostLarge  = 4  // calls of a function that take too much time or memory
	mostWithin = 2  // such calls of a function within others, of the methods of a type for one
)

// A Runner runs programs with two versions of the code.
type Runner struct {
	Scratch *workspace.Scratch
	Env     []string // of programs, besides hone's
	// Time is for all calls of a program, 30 seconds if it is 0: what comes later isn't compared.
	Time time.Duration
	// Build builds a program with the base or the changed code into a file. It returns why the program doesn't build, or "".
	Build func(ctx context.Context, p *Program, changed bool, file string) (why string, err error)
}

// Compare runs programs, and compares what the two versions return.
func (r *Runner) Compare(ctx context.Context, programs []Program) (*Compared, error) {
	whole := NotCompared("")
	for i := range programs {
		why, err := r.compare(ctx, &programs[i], filepath.Join(r.Scratch.Path, "calls"+strconv.Itoa(i)+".exe"), &whole.Result)
		if err != nil {
			return nil, err
		}
		if why != "" {
			whole.Why = why
		}
	}
	if whole.Calls == 0 && whole.Why == "" {
		whole.Why = "no input could be generated that the base answers, and always in the same way"
	}
	return whole, nil
}

// compare adds what a program finds. It runs with the base twice: what isn't always the same says nothing.
func (r *Runner) compare(ctx context.Context, p *Program, file string, whole *Result) (why string, err error) {
	if why, err := r.Build(ctx, p, false, file); err != nil || why != "" {
		return why, err
	}
	var c course
	base, err := r.calls(ctx, file, &c)
	if err != nil {
		return "", err
	}
	if c.why != "" { // once more, with small numbers from the start, as both versions have to have the same inputs
		c = course{small: true}
		if base, err = r.calls(ctx, file, &c); err != nil {
			return "", err
		}
	}
	again, err := r.calls(ctx, file, &c)
	if err != nil {
		return "", err
	}
	if why, err := r.Build(ctx, p, true, file); err != nil || why != "" {
		return why, err
	}
	wrote := file + ".base.jsonl"
	if err := os.WriteFile(wrote, base, 0o600); err != nil {
		return "", err
	}
	now, err := r.calls(ctx, file, &c, wrote)
	if err != nil {
		return "", err
	}
	found := Compare(base, again, now)
	whole.Calls += found.Calls
	whole.Functions = append(whole.Functions, found.Functions...)
	whole.Differences = append(whole.Differences, found.Differences...)
	return c.why, nil
}

// A course is what the runs of a program have met.
type course struct {
	leftOut []string // methods that aren't called from then on
	why     string   // not all is compared
	small   bool     // numbers of 32 bits are
}

// calls runs a program. If a call ends it, it goes on after that one. Methods with several calls that are too large are left out from
// then on. A call that comes after one of these isn't made, or made differently: the base's second run
// leaves out the same from the start, and so does the other version.
func (r *Runner) calls(ctx context.Context, binary string, c *course, more ...string) ([]byte, error) {
	dir := filepath.Join(r.Scratch.Path, "empty")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	out := binary + ".jsonl"
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	begin, limit := time.Now(), r.time()*4/3
	large := make(map[string]int) // calls that were too large, by function
	ended := make(map[int]int)    // calls that ended the program, by job
	for next, call := 0, 0; ; {
		o, err := r.Scratch.Run(ctx, workspace.Process{
			Dir: dir, Env: slices.Concat(c.env(), []string{"HONE_TIME=" + r.time().String()}, r.Env),
			Args: append([]string{binary, out, strconv.Itoa(next), strconv.Itoa(call)}, more...), Timeout: limit,
		})
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(out)
		if err != nil {
			return nil, nil // it ended before the first function
		}
		last, at, name := Last(text)
		if o.Err == nil || last < next || last == next && at < call {
			return text, nil
		}
		if time.Since(begin) > limit {
			c.why = fmt.Sprintf("calls took too long or ended the program, the last time in %s: what comes after it wasn't called", name)
			return text, nil
		}
		next, call = last, at+1
		if ended[last]++; ended[last] == restarts {
			c.why = fmt.Sprintf("many calls in %s took too long or ended the program: not all were made", name)
			next, call = last+1, 0
		}
		if exitCode(o) == NoInput {
			c.why = fmt.Sprintf("no input could be made for call %d of %s: %s", at, name, gocmd.LastLine(o.Stderr))
			continue
		}
		if !tooLarge(o) {
			text = Ended(text, name, at)
			if err := os.WriteFile(out, text, 0o600); err != nil {
				return nil, err
			}
			continue
		}
		by := gocmd.LastLine(o.Stderr)
		if by == "" || by == name { // what is called on its own: its other calls count
			if large[name]++; large[name] == mostLarge {
				next, call = last+1, 0
			}
		} else if large[by]++; large[by] == mostWithin {
			c.leftOut = append(c.leftOut, by)
		}
	}
}

func (r *Runner) time() time.Duration { return cmp.Or(r.Time, callTime) }

// env is that of a program; see leftOutNames and small in calls.
func (c *course) env() []string {
	env := []string{"GOMEMLIMIT=1GiB", "GOTRACEBACK=none", "HONE_LEFT_OUT=" + strings.Join(c.leftOut, ",")}
	if c.small {
		env = append(env, "HONE_SMALL=1")
	}
	return env
}

// tooLarge reports whether a program ended because a call takes too much time or memory, which depends on the machine.
func tooLarge(o *workspace.Outcome) bool {
	return exitCode(o) < 0 || exitCode(o) == TooLarge || bytes.Contains(o.Stderr, []byte("out of memory"))
}

// exitCode is that of a program, -1 if a signal ended it or it didn't start.
func exitCode(o *workspace.Outcome) int {
	if exit := (*exec.ExitError)(nil); errors.As(o.Err, &exit) {
		return exit.ExitCode()
	}
	return -1
}
