package shell

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Invocation is a parsed and checked command line.
type Invocation struct {
	Config

	Command string // report to print, "" for the shell or the web UI
	Param   string // its parameter, for commands that take one
	JSON    bool   // print the report as JSON

	// Sources are the arguments that are not flags: at least one, except for the verb
	// ui. The first may be a program; see TakeExecutable.
	Sources  []string
	ExecName string   // program for symbols, "" if none; TakeExecutable sets it
	BuildID  string   // replaces the one of the first mapping
	Base     []string // profiles to subtract
	DiffBase bool     // mark base samples, for percentages relative to the base

	Seconds   int    // length of the profile to collect, -1 if not given
	Timeout   int    // for fetching, in seconds, -1 if not given
	MaxBytes  int64  // most bytes of a profile after decompression, 0 if not given
	MaxMemory int64  // most bytes of memory that a profile takes, 0 if not given
	Symbolize string // where symbols come from: see the usage text
	Comment   string // to add to the profile
	Add       bool   // add up values that describe a moment instead of averaging them
	AllFrames bool   // keep the frames that the profile asks to drop
	Tools     string // where go tool pprof looks for binutils; accepted and not used

	HTTP                   string // [host]:[port] of the web UI, "" for none
	NoBrowser              bool
	TLSCert, TLSKey, TLSCA string // files
}

// TakeExecutable makes the first source the program to take symbols from, if
// another source follows it and isBinary says it is one.
func (inv *Invocation) TakeExecutable(isBinary func(file string) bool) {
	if len(inv.Sources) > 1 && inv.ExecName == "" && isBinary(inv.Sources[0]) {
		inv.ExecName, inv.Sources = inv.Sources[0], inv.Sources[1:]
	}
}

// UsageError is the error of a wrong command line. Its text is one line.
type UsageError struct {
	Verb string // "pprof", or the short verb
	Err  error
	// Flags are the flags of the verb if parsing them failed, else nil.
	Flags *flag.FlagSet
	// Unknown is the name of the unknown flag, if the error is about one.
	Unknown string
}

// Errors of package shell that some verbs report in other words. The first has the words of
// go tool pprof.
var (
	ErrNoSource = errors.New("no profile source specified")
	ErrJSON     = errors.New("-json needs an output format such as -top")
)

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Parse reads the arguments that follow `hone pprof`: flags, then sources, by
// the rules of package flag. It returns [flag.ErrHelp] for -h, and the caller
// prints the help. Other errors are a [*UsageError]. Warnings go to stderr.
func Parse(args []string, stderr io.Writer) (*Invocation, error) {
	l := newCommandLine("pprof")
	if err := ParseFlags(l.verb, l.flags, args); err != nil {
		return nil, err
	}
	rest := l.flags.Args()
	terminated := len(rest) < len(args) && args[len(args)-len(rest)-1] == "--"
	for _, arg := range rest {
		if name, isFlag := flagName(arg); isFlag && !terminated && lookup(l.flags, name) != nil {
			return nil, &UsageError{Verb: l.verb, Err: fmt.Errorf("flag %s comes after a source: put flags first", arg)}
		}
	}
	return l.invocation(rest, stderr)
}

// ParseVerb reads the arguments that follow a short verb such as `hone top` or
// `hone list`, which stand for `hone pprof -top` and `hone pprof -list=REGEXP`.
// Command is the verb, even if the shell has no such command; for pprof, it is the
// command that flags such as -top name. Flags may be anywhere before "--". Each
// extra may define more flags. Errors are those of [Parse].
func ParseVerb(verb string, args []string, stderr io.Writer, extra ...func(*flag.FlagSet)) (*Invocation, error) {
	l := newCommandLine(verb)
	for _, define := range extra {
		define(l.flags)
	}
	if err := ParseFlags(l.verb, l.flags, l.flagsFirst(args)); err != nil {
		return nil, err
	}
	rest := l.flags.Args()
	var param string
	if takesParam(verb) {
		if len(rest) == 0 {
			return nil, &UsageError{Verb: verb, Err: errors.New("missing regular expression: use hone " + verb + " REGEXP SOURCE...")}
		}
		param, rest = rest[0], rest[1:]
	}
	inv, err := l.invocation(rest, stderr)
	if err != nil {
		return nil, err
	}
	if verb != "pprof" { // whose flags say which report
		inv.Command, inv.Param = verb, param
	}
	return inv, nil
}

// commandLine is the flags of one command line, and their values.
type commandLine struct {
	verb  string
	flags *flag.FlagSet
	inv   Invocation

	commands       map[string]*bool
	paramCommands  map[string]*string
	choices        map[string]*bool
	sampleTypes    []sampleTypeFlag
	base, diffBase stringList
}

// sampleTypeFlag is an old flag that selects a sample type.
type sampleTypeFlag struct {
	name, sampleType, usage string
	set                     *bool
}

func newCommandLine(verb string) *commandLine {
	fs := flag.NewFlagSet("hone "+verb, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	l := &commandLine{
		verb:          verb,
		flags:         fs,
		inv:           Invocation{Config: DefaultConfig()},
		commands:      map[string]*bool{},
		paramCommands: map[string]*string{},
		choices:       map[string]*bool{},
	}
	inv := &l.inv

	fs.Var(&l.base, "base", "")
	fs.Var(&l.diffBase, "diff_base", "")
	fs.StringVar(&inv.Symbolize, "symbolize", "", "")
	fs.StringVar(&inv.BuildID, "buildid", "", "")
	fs.IntVar(&inv.Timeout, "timeout", -1, "")
	fs.IntVar(&inv.Seconds, "seconds", -1, "")
	fs.StringVar(&inv.Comment, "add_comment", "", "")
	fs.BoolVar(&inv.Add, "add", false, "")
	fs.BoolVar(&inv.AllFrames, "all_frames", false, "")
	fs.StringVar(&inv.Tools, "tools", "", "")
	fs.StringVar(&inv.HTTP, "http", "", "")
	fs.BoolVar(&inv.NoBrowser, "no_browser", false, "")
	fs.StringVar(&inv.TLSCert, "tls_cert", "", "")
	fs.StringVar(&inv.TLSKey, "tls_key", "", "")
	fs.StringVar(&inv.TLSCA, "tls_ca", "", "")

	fs.BoolVar(&inv.JSON, "json", false, "")
	fs.StringVar(&inv.Output, "o", "", "")
	fs.Func("max-bytes", "", func(s string) (err error) {
		inv.MaxBytes, err = ParseBytes(s)
		return err
	})

	fs.Func("max-memory", "", func(s string) (err error) {
		inv.MaxMemory, err = ParseBytes(s)
		return err
	})

	l.sampleTypes = legacySampleTypes()
	for i := range l.sampleTypes {
		l.sampleTypes[i].set = fs.Bool(l.sampleTypes[i].name, false, "")
	}

	for i := range variables {
		v := &variables[i]
		switch p := v.field(&inv.Config).(type) {
		case *bool:
			fs.BoolVar(p, v.name, *p, "")
		case *int:
			fs.IntVar(p, v.name, *p, "")
		case *float64:
			fs.Float64Var(p, v.name, *p, "")
		case *string:
			switch {
			case v.alone != "":
				fs.BoolFunc(v.name, "", func(s string) error { return v.set(&inv.Config, s) })
			case len(v.choices) == 0:
				fs.StringVar(p, v.name, *p, "")
			}
		}
		for _, c := range v.choices {
			l.choices[c.name] = fs.Bool(c.name, false, "")
		}
	}

	if verb != "pprof" && lookupCommand(verb) == nil {
		return l // a verb without formats, which may use their names for its own flags
	}
	for i := range commands {
		c := &commands[i]
		if c.param != "" {
			l.paramCommands[c.name] = fs.String(c.name, "", "")
		} else {
			l.commands[c.name] = fs.Bool(c.name, false, "")
		}
	}
	return l
}

// legacySampleTypes returns the old flags in the order in which they apply.
func legacySampleTypes() []sampleTypeFlag {
	return []sampleTypeFlag{
		{name: "total_delay", sampleType: "delay", usage: "-sample_index=delay"},
		{name: "mean_delay", sampleType: "delay", usage: "-mean -sample_index=delay"},
		{name: "contentions", sampleType: "contentions", usage: "-sample_index=contentions"},
		{name: "inuse_space", sampleType: "inuse_space", usage: "-sample_index=inuse_space"},
		{name: "inuse_objects", sampleType: "inuse_objects", usage: "-sample_index=inuse_objects"},
		{name: "alloc_space", sampleType: "alloc_space", usage: "-sample_index=alloc_space"},
		{name: "alloc_objects", sampleType: "alloc_objects", usage: "-sample_index=alloc_objects"},
	}
}

// ParseFlags parses the flags that args begin with. In their names, - and _ are the same.
// Errors are those of [Parse].
func ParseFlags(verb string, flags *flag.FlagSet, args []string) error {
	if verb != "pprof" { // whose errors are those of go tool pprof
		explainFlags(flags)
	}
	args, unknown := spelled(flags, args)
	err := flags.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	if parsed := len(args) - flags.NArg(); unknown.at != parsed-1 {
		unknown.name = "" // the value of a flag before it is wrong
	}
	return &UsageError{Verb: verb, Err: err, Flags: flags, Unknown: unknown.name}
}

// lookup returns the flag with a name, or nil. hone's own flags are spelled with -, and
// those of go tool pprof with _; nobody has to remember which is which.
func lookup(flags *flag.FlagSet, name string) (found *flag.Flag) {
	if found = flags.Lookup(name); found != nil || !strings.ContainsAny(name, "-_") {
		return found
	}
	same := func(s string) string { return strings.ReplaceAll(s, "_", "-") }
	flags.VisitAll(func(f *flag.Flag) {
		if same(f.Name) == same(name) {
			found = f
		}
	})
	return found
}

// An unknownFlag is a flag that isn't defined; its name is "" if all are.
type unknownFlag struct {
	name string
	at   int // index of its argument
}

// spelled returns args with the flags that they begin with spelled as they are defined, and
// the first flag that isn't defined.
func spelled(flags *flag.FlagSet, args []string) ([]string, unknownFlag) {
	args = slices.Clone(args)
	for i := 0; i < len(args); i++ {
		name, isFlag := flagName(args[i])
		if !isFlag {
			break
		}
		f := lookup(flags, name)
		if f == nil {
			return args, unknownFlag{name, i}
		}
		_, value, hasValue := strings.Cut(args[i], "=")
		if f.Name != name {
			if args[i] = "-" + f.Name; hasValue {
				args[i] += "=" + value
			}
		}
		if !hasValue && !isBool(f) {
			i++ // its value
		}
	}
	return args, unknownFlag{}
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// invocation checks combinations of flags, and completes l.inv.
func (l *commandLine) invocation(sources []string, stderr io.Writer) (*Invocation, error) {
	inv := &l.inv
	usage := func(format string, args ...any) (*Invocation, error) {
		return nil, &UsageError{Verb: l.verb, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case len(sources) > 0 || l.verb == "ui":
	case l.verb == "pprof":
		return usage("%w", ErrNoSource)
	default:
		return usage("missing source: give a profile: a file, a URL or RUN:Benchmark/cpu")
	}
	inv.Sources = sources

	for i := range variables {
		v := &variables[i]
		var set []string
		for _, c := range v.choices {
			if *l.choices[c.name] {
				set = append(set, c.name)
			}
		}
		if len(set) > 1 {
			return usage("conflicting options set: %v", set)
		}
		for _, name := range set {
			if err := v.set(&inv.Config, name); err != nil {
				return usage("%w", err)
			}
		}
	}

	formats := 0
	switch l.verb {
	case "pprof":
	case "ui":
		inv.HTTP = cmp.Or(inv.HTTP, "localhost:0")
	default:
		formats++
	}
	for i := range commands {
		name := commands[i].name
		if on := l.commands[name]; on != nil && *on {
			formats++
			inv.Command = name
		}
		if param := l.paramCommands[name]; param != nil && *param != "" {
			formats++
			inv.Command, inv.Param = name, *param
		}
	}
	switch {
	case formats > 1:
		return usage("must set at most one output format")
	case formats == 1 && inv.HTTP != "":
		return usage("-http is not compatible with an output format on the command line")
	case inv.NoBrowser && inv.HTTP == "":
		return usage("-no_browser only makes sense with -http")
	case inv.JSON && formats == 0:
		return usage("%w", ErrJSON)
	}

	for _, f := range l.sampleTypes {
		switch {
		case !*f.set:
		case inv.SampleIndex == "":
			inv.SampleIndex = f.sampleType
		default:
			fmt.Fprintf(stderr, "Multiple value selections, ignoring -%s\n", f.name)
		}
		if *f.set && f.name == "mean_delay" {
			inv.Mean = true
		}
	}

	if len(l.base) > 0 && len(l.diffBase) > 0 {
		return usage("-base and -diff_base flags cannot both be specified")
	}
	inv.Base = l.base
	if len(l.diffBase) > 0 {
		inv.Base, inv.DiffBase = l.diffBase, true
	}
	if inv.Normalize && len(inv.Base) == 0 && l.verb != "diff" {
		return usage("must have base profile to normalize by")
	}
	return inv, nil
}

// flagName returns the name in an argument of the form of a flag.
func flagName(arg string) (name string, ok bool) {
	if len(arg) < 2 || arg[0] != '-' || arg == "--" {
		return "", false
	}
	name = strings.TrimPrefix(arg[1:], "-")
	name, _, _ = strings.Cut(name, "=")
	return name, name != ""
}

// flagsFirst returns args with flags before other arguments, each group in its
// order, and "--" between them.
func (l *commandLine) flagsFirst(args []string) []string {
	var flags, rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		name, ok := flagName(arg)
		if !ok {
			rest = append(rest, arg)
			continue
		}
		flags = append(flags, arg)
		f := lookup(l.flags, name)
		if f == nil || strings.Contains(arg, "=") {
			continue
		}
		if isBool(f) {
			continue
		}
		if i+1 == len(args) {
			return flags // its value is missing, which Parse reports
		}
		i++
		flags = append(flags, args[i])
	}
	return append(append(flags, "--"), rest...)
}

// stringList is a flag that may be given several times.
type stringList []string

func (l *stringList) String() string { return strings.Join(*l, ",") }

// Set appends s, unless it is empty: scripts may pass an empty variable.
func (l *stringList) Set(s string) error {
	if s != "" {
		*l = append(*l, s)
	}
	return nil
}

// ParseBytes reads a number of bytes such as 1000000, 512MB or 2GiB; all units
// are powers of 1024, as in reports.
func ParseBytes(s string) (int64, error) {
	digits := strings.TrimRight(s, "kKmMgGtTiIbB")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("use a number of bytes such as 500000000, 512MB or 4GB")
	}
	unit := strings.ToLower(s[len(digits):])
	unit = strings.TrimSuffix(strings.TrimSuffix(unit, "b"), "i")
	exponent := strings.Index("kmgt", unit) + 1
	if unit == "" {
		exponent = 0
	}
	if len(unit) > 1 || exponent == 0 && unit != "" {
		return 0, fmt.Errorf("unknown unit %q: use kB, MB, GB or TB", s[len(digits):])
	}
	for range exponent {
		if n > math.MaxInt64/1024 {
			return 0, errors.New("too large: use fewer bytes")
		}
		n *= 1024
	}
	return n, nil
}
