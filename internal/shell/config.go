package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/report"
)

// Config is everything a user can set by a flag or in the shell.
type Config struct {
	report.Options
	Output    string // file of a report, "" for the default of its command
	Normalize bool   // scale the profile to the total of the base; acts before the shell starts
}

// DefaultConfig returns the configuration before anything is set.
func DefaultConfig() Config { return Config{Options: report.DefaultOptions()} }

// variable is one name a user can set. The names are those of `go tool pprof`.
type variable struct {
	name    string
	field   func(*Config) any // *bool, *int, *float64 or *string
	choices []choice          // the only values it takes, if any
	arg     string            // name of its value in the help, "" for booleans and choices
	summary string            // one line, for the lists
	detail  string            // more lines, for help on this one
	frames  bool              // it is a regexp that matches frames
	alone   string            // of a string: the value that its name alone, or true, sets
}

// choice is one value of a variable; its name is a flag and a variable of its own.
type choice struct {
	name, summary string
}

// variables is the table of variables; it is never written to.
var variables = [...]variable{
	{name: "output", field: func(c *Config) any { return &c.Output },
		arg:     "FILE",
		summary: "Write the report to this file; - is standard output"},

	{name: "call_tree", field: func(c *Config) any { return &c.CallTree },
		summary: "Distinguish functions by their call path",
		detail:  "A function with two callers becomes two nodes of a graph."},
	{name: "relative_percentages", field: func(c *Config) any { return &c.RelativePercentages },
		summary: "Percentages relative to what the filters leave",
		detail:  "By default they are relative to the whole profile, so they stay comparable\nwith any filters."},
	{name: "unit", field: func(c *Config) any { return &c.Unit },
		arg:     "UNIT",
		summary: "Unit of the values shown",
		detail: "ns, ms or s for time, B, kB or MB for memory. minimum selects one unit for\n" +
			"the whole report, auto one for each value."},
	{name: "compact_labels", field: func(c *Config) any { return &c.CompactLabels },
		summary: "Omit the header with information about the profile"},
	{name: "source_path", field: func(c *Config) any { return &c.SourcePath },
		arg:     "PATH",
		summary: "Directories to search for source files"},
	{name: "trim_path", field: func(c *Config) any { return &c.TrimPath },
		arg:     "PATH",
		summary: "Prefixes to remove from file names before the search"},
	{name: "intel_syntax", field: func(c *Config) any { return &c.IntelSyntax },
		summary: "Assembly in Intel syntax",
		detail:  "For disasm and weblist."},
	{name: "mean", field: func(c *Config) any { return &c.Mean },
		summary: "Divide values by the first sample type, usually a count",
		detail:  "Shows bytes per allocation, or delay per event."},
	{name: "sample_index", field: func(c *Config) any { return &c.SampleIndex },
		arg:     "TYPE",
		summary: "Sample type to show, by name or by index from 0",
		detail:  "A profile has several values per stack, such as alloc_space and inuse_space."},
	{name: "divide_by", field: func(c *Config) any { return &c.DivideBy },
		arg:     "X",
		summary: "Divide all values by this number",
		detail:  "For example by the number of requests served."},
	{name: "normalize", field: func(c *Config) any { return &c.Normalize },
		summary: "Scale the profile to the total of its base",
		detail:  "Makes profiles of different lengths comparable. Needs -base or -diff_base\non the command line."},
	{name: "sort", field: func(c *Config) any { return &c.Sort },
		summary: "Sort order of entries",
		choices: []choice{
			{"cum", "By the cost of a function and its callees"},
			{"flat", "By the cost of a function alone"},
		}},

	{name: "tagroot", field: func(c *Config) any { return &c.TagRoot },
		arg:     "KEYS",
		summary: "Label keys to turn into frames at the root",
		detail:  "Separated by commas; the first key is outermost."},
	{name: "tagleaf", field: func(c *Config) any { return &c.TagLeaf },
		arg:     "KEYS",
		summary: "Label keys to turn into frames at the leaf",
		detail:  "Separated by commas; the last key is innermost."},

	{name: "drop_negative", field: func(c *Config) any { return &c.DropNegative },
		summary: "Omit negative values of a difference"},
	{name: "nodecount", field: func(c *Config) any { return &c.NodeCount },
		arg:     "N",
		summary: "Maximum number of nodes",
		detail:  "-1 uses the default of the report, 0 shows all. A graph draws a path through\nomitted nodes as a dotted edge."},
	{name: "nodefraction", field: func(c *Config) any { return &c.NodeFraction },
		arg:     "X",
		summary: "Omit nodes below this share of the total"},
	{name: "edgefraction", field: func(c *Config) any { return &c.EdgeFraction },
		arg:     "X",
		summary: "Omit edges below this share of the total"},
	{name: "trim", field: func(c *Config) any { return &c.Trim },
		summary: "Omit what nodecount and the fractions say",
		detail:  "trim=false shows everything."},
	{name: "focus", field: func(c *Config) any { return &c.Focus },
		arg:     "RE",
		summary: "Only samples with a matching frame",
		frames:  true,
		detail:  matchDetail},
	{name: "ignore", field: func(c *Config) any { return &c.Ignore },
		arg:     "RE",
		summary: "No samples with a matching frame",
		frames:  true,
		detail:  matchDetail + "\nTakes precedence over focus."},
	{name: "prune_from", field: func(c *Config) any { return &c.PruneFrom },
		arg:     "RE",
		summary: "Remove matching frames and everything they call",
		frames:  true,
		detail:  matchDetail},
	{name: "hide", field: func(c *Config) any { return &c.Hide },
		arg:     "RE",
		summary: "Remove matching frames, but keep their samples",
		frames:  true,
		detail:  matchDetail},
	{name: "show", field: func(c *Config) any { return &c.Show },
		arg:     "RE",
		summary: "Remove frames that don't match",
		frames:  true,
		detail:  matchDetail},
	{name: "show_from", field: func(c *Config) any { return &c.ShowFrom },
		arg:     "RE",
		summary: "Start stacks at the outermost matching frame",
		frames:  true,
		detail:  "Removes its callers, and samples without a match.\n" + matchDetail},
	{name: "tagfocus", field: func(c *Config) any { return &c.TagFocus },
		arg:     "FILTER",
		summary: "Only samples with a label in range or matching",
		detail:  tagDetail},
	{name: "tagignore", field: func(c *Config) any { return &c.TagIgnore },
		arg:     "FILTER",
		summary: "No samples with a label in range or matching",
		detail:  tagDetail},
	{name: "tagshow", field: func(c *Config) any { return &c.TagShow },
		arg:     "RE",
		summary: "Only labels with a matching key"},
	{name: "taghide", field: func(c *Config) any { return &c.TagHide },
		arg:     "RE",
		summary: "No labels with a matching key"},
	{name: "mine", field: func(c *Config) any { return &c.Mine },
		arg:     "RE",
		alone:   report.MineModule,
		summary: "Only your code: fold other frames into their callers",
		detail: "Time in other code is shown as main.f via sort.Slice, named after the first function\n" +
			"called. Stacks without a function of yours become one entry per kind of work. Your\n" +
			"code is the module of package main, without libraries and the runtime. With a value,\n" +
			"it is the functions whose full name, with the package path, matches. focus and\n" +
			"ignore also match folded frames."},
	{name: "noinlines", field: func(c *Config) any { return &c.NoInlines },
		summary: "Attribute inlined functions to their caller"},
	{name: "showcolumns", field: func(c *Config) any { return &c.ShowColumns },
		summary: "Distinguish columns of a source line",
		detail:  "Needs the granularity lines."},

	{name: "granularity", field: func(c *Config) any { return &c.Granularity },
		summary: "Size of one entry",
		choices: []choice{
			{"functions", "A function, in whatever file"},
			{"filefunctions", "A function in one file"},
			{"files", "A source file"},
			{"lines", "A source line"},
			{"addresses", "An instruction address"},
		}},
}

const (
	matchDetail = "A regular expression that matches anywhere in the name of the function, its\n" +
		"source file or its binary."
	tagDetail = "Numbers: 1kb, 1kb:64kb, :64kb, 4mb:, or for one key bytes=4mb:.\n" +
		"Text: a regular expression that matches key:value, or for one key handler=GET.*.\n" +
		"Separated by commas, all of them must match; for one key, any of them."
)

// lookupVariable finds a variable by its name or by that of one of its choices.
func lookupVariable(name string) (v *variable, isChoice, ok bool) {
	for i := range variables {
		v := &variables[i]
		if v.name == name {
			return v, false, true
		}
		if v.choice(name) != nil {
			return v, true, true
		}
	}
	return nil, false, false
}

func (v *variable) choice(name string) *choice {
	for i := range v.choices {
		if v.choices[i].name == name {
			return &v.choices[i]
		}
	}
	return nil
}

// variableNames returns the names of all variables, in no special order.
func variableNames() []string {
	names := make([]string, len(variables))
	for i := range variables {
		names[i] = variables[i].name
	}
	return names
}

// Get returns the value of the named variable in the form Set takes.
func (c *Config) Get(name string) (value string, ok bool) {
	v, isChoice, ok := lookupVariable(name)
	if !ok {
		return "", false
	}
	value = v.get(c)
	if isChoice {
		value = strconv.FormatBool(value == name)
	}
	return value, true
}

func (v *variable) get(c *Config) string {
	switch p := v.field(c).(type) {
	case *bool:
		return strconv.FormatBool(*p)
	case *int:
		return strconv.Itoa(*p)
	case *float64:
		return fmt.Sprint(*p)
	case *string:
		return *p
	}
	panic("shell: variable " + v.name + " has no known type")
}

// Set parses value and assigns it to the named variable. The name of a choice
// selects it when value is a true boolean. "" is true for a boolean.
func (c *Config) Set(name, value string) error {
	v, isChoice, ok := lookupVariable(name)
	if !ok {
		return fmt.Errorf("unknown config field %q", name)
	}
	if isChoice {
		if on, err := parseBool(value); err != nil || !on {
			return fmt.Errorf("unknown config field %q", name)
		}
		value = name
	}
	return v.set(c, value)
}

func (v *variable) set(c *Config, value string) error {
	switch p := v.field(c).(type) {
	case *bool:
		b, err := parseBool(value)
		if err != nil {
			return err
		}
		*p = b
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		*p = n
	case *float64:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return err
		}
		*p = f
	case *string:
		if len(v.choices) > 0 && v.choice(value) == nil {
			return fmt.Errorf("invalid %q value %q", v.name, value)
		}
		if v.alone != "" {
			if on, err := parseBool(value); err == nil && on {
				value = v.alone
			} else if err == nil {
				value = ""
			}
		}
		*p = value
	}
	return nil
}

// standsAlone reports whether the name alone sets the variable.
func (v *variable) standsAlone() bool {
	_, ok := v.field(new(Config)).(*bool)
	return ok || v.alone != ""
}

// choiceNames returns the choices sorted.
func (v *variable) choiceNames() []string {
	names := make([]string, len(v.choices))
	for i, c := range v.choices {
		names[i] = c.name
	}
	slices.Sort(names)
	return names
}

// parseBool takes more spellings than strconv.ParseBool, as shells of pprof
// always have.
func parseBool(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "t", "yes", "y", "1", "":
		return true, nil
	case "false", "f", "no", "n", "0":
		return false, nil
	}
	return false, fmt.Errorf("illegal value %q for bool variable", s)
}
