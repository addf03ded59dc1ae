package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/shell"
)

// A command is what a verb with commands of its own was asked, as hone token add.
type command struct {
	verb, name string
	flags      *flag.FlagSet // parsed
}

// parseCommand parses the arguments of a verb that has commands. define adds the
// flags, which all commands share.
func parseCommand(verb string, names, args []string, define func(*flag.FlagSet)) (*command, error) {
	c := &command{verb: verb, flags: flag.NewFlagSet(verb, flag.ContinueOnError)}
	last := len(names) - 1
	choice := strings.Join(names[:last], ", ") + " or " + names[last]
	if len(args) == 0 {
		return nil, c.usage("%s is missing", choice)
	}
	c.name = args[0]
	switch {
	case c.name == "-h" || c.name == "-help" || c.name == "--help":
		return nil, flag.ErrHelp
	case !slices.Contains(names, c.name):
		return nil, c.usage("unknown command %q: it is %s", c.name, choice)
	}
	c.flags.SetOutput(io.Discard)
	define(c.flags)
	singleFlags(c.flags)
	if err := shell.ParseFlags(verb, c.flags, args[1:]); err != nil {
		return nil, err
	}
	return c, nil
}

// usage returns an error in how the command was given.
func (c *command) usage(format string, args ...any) error {
	return &shell.UsageError{Verb: c.verb, Err: fmt.Errorf(format, args...)}
}

// singleFlags makes flags of a set an error that are given twice: of two values
// one would be dropped without a word. several names those that add up.
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
		return errors.New("it is given twice, and holds one value")
	}
	f.given = true
	return f.Value.Set(v)
}

// IsBoolFlag is for package flag: the value may be left out.
func (f *singleFlag) IsBoolFlag() bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
