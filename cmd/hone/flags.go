package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/shell"
)

// A command is a parsed command line of a verb with commands, such as hone token add.
type command struct {
	verb, name string
	args       []string // that aren't flags
}

// parseCommand parses the arguments of a verb that has commands. define adds the
// flags, which all commands share.
func parseCommand(verb string, names, args []string, define func(*flag.FlagSet)) (*command, error) {
	c := &command{verb: verb}
	last := len(names) - 1
	choice := strings.Join(names[:last], ", ") + " or " + names[last]
	if len(args) == 0 {
		return nil, c.usage("missing command: use %s", choice)
	}
	c.name = args[0]
	switch {
	case c.name == "-h" || c.name == "-help" || c.name == "--help":
		return nil, flag.ErrHelp
	case !slices.Contains(names, c.name):
		return nil, c.usage("unknown command %q: use %s", c.name, choice)
	}
	fs := newFlags(verb)
	define(fs)
	singleFlags(fs)
	var err error
	c.args, err = parseArgs(fs, args[1:])
	return c, err
}

// usage returns an error in how the command was given.
func (c *command) usage(format string, args ...any) error {
	return &shell.UsageError{Verb: c.verb, Err: fmt.Errorf(format, args...)}
}

// singleFlags makes it an error to give a flag twice, because one of the two values
// would be dropped silently. Flags named in several may be repeated.
func singleFlags(fs *flag.FlagSet, several ...string) {
	skip := map[string]bool{}
	for _, name := range several {
		skip[name] = true
	}
	fs.VisitAll(func(f *flag.Flag) {
		if !skip[f.Name] {
			f.Value = &singleFlag{Value: f.Value}
		}
	})
}

type singleFlag struct {
	flag.Value
	given bool
}

func (f *singleFlag) Set(v string) error {
	if f.given {
		return errors.New("given twice; use it once")
	}
	f.given = true
	return f.Value.Set(v)
}

// Get is for [flag.Getter].
func (f *singleFlag) Get() any {
	if g, ok := f.Value.(flag.Getter); ok {
		return g.Get()
	}
	return nil
}

// IsBoolFlag tells package flag that the value is optional.
func (f *singleFlag) IsBoolFlag() bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// newFlags returns an empty set of flags for a verb.
func newFlags(verb string) *flag.FlagSet {
	fs := flag.NewFlagSet(verb, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// buildFlags defines flags that are passed to the go command unchanged.
func buildFlags(fs *flag.FlagSet, flags *[]string, names ...string) {
	for _, name := range names {
		fs.Func(name, "", func(v string) error { *flags = append(*flags, "-"+name+"="+v); return nil })
	}
}

// parseArgs parses flags, which may be anywhere before "--", and returns the
// other arguments. Errors are those of shell.ParseVerb.
func parseArgs(fs *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := shell.ParseFlags(fs.Name(), fs, args); err != nil {
			return nil, err
		}
		left := fs.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if used := len(args) - len(left); used > 0 && args[used-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// parseBenchTime reads a value of -benchtime, as go test does.
func parseBenchTime(s string) (bench.Length, error) {
	if n, ok := strings.CutSuffix(s, "x"); ok {
		i, err := strconv.Atoi(n)
		if err != nil || i < 1 {
			return bench.Length{}, fmt.Errorf("use a number of iterations above 0, such as 100x")
		}
		return bench.Length{Iterations: i}, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return bench.Length{}, fmt.Errorf("use a time above 0, such as 1s, or iterations, such as 100x")
	}
	return bench.Length{Duration: d}, nil
}

// parseNumbers reads a list like 0,2-3.
func parseNumbers(list string, least int) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var numbers []int
	for _, item := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(item, "-")
		a, err := strconv.Atoi(from)
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(to)
		}
		if err != nil || a < least || b < a || b-a > 4096 {
			return nil, fmt.Errorf("invalid list %q: use numbers from %d and ranges, such as 1,2-4", list, least)
		}
		for n := a; n <= b; n++ {
			if !slices.Contains(numbers, n) {
				numbers = append(numbers, n)
			}
		}
	}
	return numbers, nil
}

// parseTimeFlag reads a time in the forms that servers accept, and as a Unix time in
// seconds: a number that would be before 1973 in milliseconds.
func parseTimeFlag(text string, now time.Time) (time.Time, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && n < 1e11 {
		return time.Unix(n, 0), nil
	}
	return api.ParseTime(text, now)
}
