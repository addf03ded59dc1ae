package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

// Session is an interactive shell over one profile.
type Session struct {
	Profile *profile.Profile
	// Config holds what flags have set. The shell starts with a copy of it, in
	// which compact_labels is on.
	Config Config

	// Header returns the lines that tell which profile it is.
	Header func(p *profile.Profile, o report.Options) ([]string, error)
	// Generate writes the report of a command. param is the regular expression
	// of the commands that take one. It runs on its own goroutine, and only one
	// call runs at once, unless an earlier one ignored the end of its context;
	// what that one still writes is dropped. It must not change the profile.
	Generate func(ctx context.Context, w io.Writer, p *profile.Profile, command, param string, o report.Options) error
	// View shows a file with the first program that starts, without waiting for
	// it; nil runs them. See Outlet.
	View func(file string, programs []string) error

	// In is where commands come from. On a terminal, lines are edited; the
	// prompt then goes to Err. Otherwise it goes to Out, as with `go tool pprof`.
	In io.Reader
	// Out gets reports, Err everything else.
	Out, Err io.Writer
	// HistoryFile keeps the lines typed on a terminal; "" keeps none. See
	// [HistoryFile].
	HistoryFile string
	// Getenv reads TERM, NO_COLOR, BROWSER and DISPLAY; nil means os.Getenv.
	Getenv func(string) string
}

const prompt = "(pprof) "

// Run reads and executes commands until the user quits or input ends. It prints
// the errors of commands, and returns an error of reading input. The end of ctx
// ends the shell at the next line. If In is a terminal, ^C must not end ctx,
// because it ends the running command instead.
func (s *Session) Run(ctx context.Context) error {
	sh := &shell{
		Session: s,
		config:  s.Config,
		types:   sampleTypes(s.Profile),
		outlet: Outlet{
			Out: s.Out, Err: s.Err,
			ToScreen: true, Background: true,
			View: s.View, Getenv: s.Getenv,
		},
	}
	sh.config.CompactLabels = true
	sh.shortcuts = sampleTypeShortcuts(sh.types)

	lines, interrupts := sh.openInput()
	sh.interrupts = interrupts
	if interrupts != nil {
		signal.Notify(interrupts, os.Interrupt)
		defer signal.Stop(interrupts)
	}
	sh.greet()
	for ctx.Err() == nil {
		line, err := lines.readLine(prompt)
		if err != nil && (err != io.EOF || line == "") {
			if err == io.EOF {
				err = nil
			}
			return errors.Join(err, sh.outlet.Close())
		}
		if sh.execute(ctx, line) {
			break
		}
	}
	return sh.outlet.Close()
}

// shell is the state of a Session that runs.
type shell struct {
	*Session
	config     Config
	types      []string // the profile's sample types
	shortcuts  map[string][]string
	outlet     Outlet
	color      bool           // errors in red
	interrupts chan os.Signal // ^C; nil if ^C ends the process
}

func (sh *shell) openInput() (lineReader, chan os.Signal) {
	getenv := sh.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	if f, ok := sh.In.(*os.File); ok {
		// Without cursor movement, lines can't be edited.
		if term := strings.ToLower(getenv("TERM")); term != "" && term != "dumb" {
			c := &completer{profile: sh.Profile, types: sh.types, shortcuts: sh.shortcuts}
			if t := openTerminal(f, TerminalOf(sh.Err), newHistory(sh.HistoryFile), c.complete); t != nil {
				sh.color = getenv("NO_COLOR") == ""
				return t, make(chan os.Signal, 1)
			}
		}
	}
	return newPlainReader(sh.In, sh.Out), nil
}

// print prints text that isn't part of a report.
func (sh *shell) print(text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	io.WriteString(sh.Err, text)
}

func (sh *shell) printError(text string) {
	text += "\n"
	if screen, ok := sh.Err.(*Screen); ok && sh.color {
		screen.Red(text)
		return
	}
	io.WriteString(sh.Err, text)
}

func (sh *shell) greet() {
	if lines, err := sh.Header(sh.Profile, sh.config.Options); err == nil {
		sh.print(strings.Join(lines, "\n"))
		if len(sh.types) > 1 && sh.totalIsZero() {
			sh.print("No samples were found with the default sample value type.")
			sh.print("Try \"sample_index\" command to analyze different sample values.\n")
		}
	}
	sh.print(`Entering interactive mode (type "help" for commands, "o" for options)`)
}

// totalIsZero reports whether the values of the selected sample type add up to zero. A
// mean is rounded towards zero.
func (sh *shell) totalIsZero() bool {
	p := sh.Profile
	t, err := p.SampleIndex(sh.config.SampleIndex)
	if err != nil || t < 0 || t >= len(p.Values) {
		return true
	}
	var total, count int64
	for s, v := range p.Values[t] {
		total += max(v, -v)
		if sh.config.Mean {
			count += p.Values[0][s]
		}
	}
	if count != 0 {
		total /= count
	}
	return total == 0
}

// clearFilters returns the assignments of the command ":".
func clearFilters() []string {
	return []string{"focus=", "ignore=", "hide=", "tagfocus=", "tagignore="}
}

// sampleTypeShortcuts returns the commands that select a sample type, and ":", with
// the lines that each executes.
func sampleTypeShortcuts(types []string) map[string][]string {
	m := map[string][]string{":": clearFilters()}
	for _, t := range types {
		sel := "sample_index=" + t
		m[t] = []string{sel}
		m["total_"+t] = []string{"mean=0", sel}
		m["mean_"+t] = []string{"mean=1", sel}
	}
	return m
}

func sampleTypes(p *profile.Profile) []string {
	types := make([]string, len(p.SampleTypes))
	for i, t := range p.SampleTypes {
		types[i] = t.Type
	}
	return types
}

// execute runs one line; quit says that it was the last.
func (sh *shell) execute(ctx context.Context, line string) (quit bool) {
	line = strings.TrimSpace(line)
	lines, ok := sh.shortcuts[line]
	if !ok {
		lines = []string{line}
	}
	for _, line := range lines {
		if done, err := sh.assign(line); done {
			if err != nil {
				sh.printError(err.Error())
			}
			continue
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "o", "options":
			sh.print(sh.options())
		case "exit", "quit", "q":
			return true
		case "help":
			name := strings.Join(words[1:], " ")
			if text, ok := help(name, sh.types); ok {
				sh.print(text)
			} else {
				sh.printError("Unknown command: " + name)
			}
		default:
			cmd, err := parseCommand(words, sh.config)
			if err == nil {
				err = sh.report(ctx, cmd)
			}
			if err != nil {
				sh.printError(err.Error())
			}
		}
	}
	return false
}

// commentStart begins a comment after the value in an assignment, so that the
// lines options prints can be entered again.
const commentStart = "//:"

// assign handles name=value, and a name alone if it needs no value; done is false if the
// line is neither.
func (sh *shell) assign(line string) (done bool, err error) {
	name, value, hasValue := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	v, isChoice, ok := lookupVariable(name)
	if !ok {
		return false, nil
	}
	if !hasValue && !isChoice && !v.standsAlone() {
		return true, fmt.Errorf("please specify a value, e.g. %s=<val>", name)
	}
	if i := strings.LastIndex(value, commentStart); i >= 0 {
		value = value[:i]
	}
	value = strings.TrimSpace(value)
	if name == "sample_index" {
		// Check it now, not at the next report, and keep it by name.
		i, err := sh.Profile.SampleIndex(value)
		if err != nil {
			return true, err
		}
		if i < 0 || i >= len(sh.types) {
			return true, fmt.Errorf("invalid sample_index %q", value)
		}
		value = sh.types[i]
	}
	return true, sh.config.Set(name, value)
}

// options lists the variables and their values, in lines that assign can read.
func (sh *shell) options() string {
	var lines []string
	for i := range variables {
		v := &variables[i]
		value, comment := v.get(&sh.config), ""
		switch {
		case len(v.choices) > 0:
			if value == "" {
				value = "(default)"
			}
			comment = choiceComment(v.choiceNames())
		case v.name == "sample_index":
			if value == "" && len(sh.types) > 0 {
				value = sh.types[len(sh.types)-1]
			}
			comment = choiceComment(sh.types)
		case v.name == "source_path":
			continue // a long list as a rule
		case v.name == "nodecount" && value == "-1":
			comment = commentStart + " default"
		case v.alone != "" && value == "":
			continue // off, and unknown to go tool pprof, whose list this is
		case value == "":
			value = `""`
		}
		lines = append(lines, fmt.Sprintf("  %-25s = %-20s %s", v.name, value, comment))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func choiceComment(names []string) string {
	return commentStart + " [" + strings.Join(names, " | ") + "]"
}

// request is a command, with its arguments merged into the options.
type request struct {
	command, param string
	config         Config
}

var trailingDigits = lazyregexp.New("[0-9]+$")

// parseCommand reads a command line of at least one word. Its settings apply to this
// command only. A number is nodecount, >FILE the output, -cum the order,
// -RE is ignored and any other word is a RE to focus on.
func parseCommand(words []string, config Config) (request, error) {
	name, args := words[0], words[1:]
	c := lookupCommand(name)
	if c == nil {
		// top10 is top 10.
		if d := trailingDigits.FindString(name); d != "" && d != name {
			name = strings.TrimSuffix(name, d)
			args = append([]string{d}, args...)
			c = lookupCommand(name)
		}
	}
	if c == nil {
		if _, _, ok := lookupVariable(name); ok {
			value := "<val>"
			if len(args) > 0 {
				value = args[0]
			}
			return request{}, fmt.Errorf("did you mean: %s=%s", name, value)
		}
		return request{}, fmt.Errorf("unrecognized command: %q", name)
	}

	r := request{command: name, config: config}
	if c.param != "" {
		if len(args) == 0 {
			return request{}, fmt.Errorf("command %s requires an argument", name)
		}
		r.param, args = args[0], args[1:]
	}

	var focus, ignore []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if n, err := strconv.ParseInt(arg, 10, 32); err == nil {
			r.config.NodeCount = int(n)
			continue
		}
		switch {
		case arg == ">":
			if i++; i == len(args) {
				return request{}, errors.New("unexpected end of line after >")
			}
			r.config.Output = args[i]
		case arg[0] == '>':
			r.config.Output = arg[1:]
		case arg == "-cum" || arg == "--cum":
			r.config.Sort = "cum"
		case arg == "-":
		case arg[0] == '-':
			ignore = append(ignore, arg[1:])
		default:
			focus = append(focus, arg)
		}
	}
	focusOn, ignored := &r.config.Focus, &r.config.Ignore
	if name == "tags" {
		focusOn, ignored = &r.config.TagFocus, &r.config.TagIgnore
	}
	if len(focus) > 0 {
		*focusOn = strings.Join(focus, "|")
	}
	if len(ignore) > 0 {
		*ignored = strings.Join(ignore, "|")
	}
	if r.config.NodeCount == -1 && (name == "text" || name == "top") {
		r.config.NodeCount = 10
	}
	return r, nil
}

// report generates and delivers a report; ^C cancels it.
func (sh *shell) report(ctx context.Context, r request) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if sh.interrupts != nil {
		for len(sh.interrupts) > 0 { // from before the command
			<-sh.interrupts
		}
		go func() {
			select {
			case <-sh.interrupts:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	err := sh.outlet.Deliver(ctx, r.command, r.config.Output, func(ctx context.Context, w io.Writer) error {
		return sh.Generate(ctx, w, sh.Profile, r.command, r.param, r.config.Options)
	})
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	return err
}
