package main

import (
	"errors"
	"flag"
	"go/parser"
	"go/token"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/shell"
)

// TestManual checks that the package comment is what hone help prints. Code in
// comments is indented by a tab, in the help by two blanks.
func TestManual(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	comment := strings.Split(strings.TrimSpace(f.Doc.Text()), "\n")
	for i, line := range comment {
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			comment[i] = "  " + rest
		}
	}
	help := strings.Split(strings.TrimSpace(succeed(t, "help")), "\n")
	for i := range max(len(comment), len(help)) {
		c, h := "(end)", "(end)"
		if i < len(comment) {
			c = comment[i]
		}
		if i < len(help) {
			h = help[i]
		}
		if c != h {
			t.Fatalf("line %d\nof doc.go    %q\nof hone help %q", i+1, c, h)
		}
	}
	for _, args := range []string{"-h", "-help", "--help"} {
		if out := succeed(t, args); out != strings.Join(help, "\n")+"\n" {
			t.Errorf("hone %s prints something else than hone help", args)
		}
	}
	if o := hone(t); o.code != exitUsage || o.stdout != "" || o.stderr != strings.Join(help, "\n")+"\n" {
		t.Errorf("hone alone: exit code %d, and it prints something else than hone help", o.code)
	}
}

// TestHelpAll checks that hone help all lists every verb, and that hone help names only verbs that exist.
func TestHelpAll(t *testing.T) {
	all := succeed(t, "help", "all")
	known := map[string]bool{"pprof": true}
	for _, v := range allVerbs() {
		known[v.name] = true
		if !strings.Contains(all, "\n  "+v.name+" ") {
			t.Errorf("hone help all leaves out %s", v.name)
		}
	}
	short := succeed(t, "help")
	for _, m := range regexp.MustCompile(`(?m)^  (?:hone )?([a-z]+)`).FindAllStringSubmatch(short, -1) {
		if m[1] != "perf" && m[1] != "hone" && !known[m[1]] {
			t.Errorf("hone help names %q, which is not a verb", m[1])
		}
	}
	if lines := strings.Count(short, "\n"); lines > 40 {
		t.Errorf("hone help has %d lines: at most 40 fit a screen", lines)
	}
}

func TestVersion(t *testing.T) {
	for _, args := range []string{"version", "-version", "--version"} {
		if out := succeed(t, args); !regexp.MustCompile(`^hone \S+ go\S+.*\n$`).MatchString(out) {
			t.Errorf("hone %s prints %q", args, out)
		}
	}
}

// TestHelp checks that every verb tells how it is used, in the same words for
// hone help VERB and hone VERB -h.
func TestHelp(t *testing.T) {
	for _, v := range allVerbs() {
		t.Run(v.name, func(t *testing.T) {
			help := succeed(t, "help", v.name)
			if !strings.Contains(help, "hone "+v.name) {
				t.Errorf("no usage line or example:\n%s", help)
			}
			if v.name != "version" && !strings.Contains(help, "\nExamples:\n") {
				t.Error("no examples")
			}
			for line := range strings.Lines(help) {
				if len(strings.TrimSuffix(line, "\n")) > 100 {
					t.Errorf("line of %d characters: %s", len(line), line)
				}
			}
			for _, ask := range []string{"-h", "-help", "--help"} {
				if o := hone(t, v.name, ask); o.code != 0 || o.stdout+o.stderr != help {
					t.Errorf("hone %s %s: exit code %d, %.200q", v.name, ask, o.code, o.stdout+o.stderr)
				}
			}
		})
	}
}

// TestHelpFlags checks that the help of every verb tells of all flags that the
// verb takes, and of no others.
func TestHelpFlags(t *testing.T) {
	mentioned := regexp.MustCompile(`(?m)^  +-([\w-]+)((?:, -[\w-]+)*)`)
	everywhere, withoutFormats := flagsOf(t, "pprof", nil), flagsOf(t, "diff", nil)
	for verb, define := range map[string]func(*flag.FlagSet){
		"pprof":   nil,
		"top":     nil,
		"list":    nil,
		"weblist": nil,
		"flame":   new(flameFlags).define,
		"diff":    new(diffFlags).define,
		"ui":      new(uiFlags).define,
	} {
		t.Run(verb, func(t *testing.T) {
			help := succeed(t, "help", verb)
			flags := flagsOf(t, verb, define)
			if verb != "pprof" && verb != "diff" {
				// The verb is a format, and excludes the flags of others.
				flags = slices.DeleteFunc(flags, func(name string) bool {
					return slices.Contains(everywhere, name) && !slices.Contains(withoutFormats, name)
				})
			}
			if strings.Contains(help, `see "hone help pprof"`) {
				help += succeed(t, "help", "pprof")
			}
			var told []string
			for _, m := range mentioned.FindAllStringSubmatch(help, -1) {
				told = append(told, m[1])
				for _, more := range strings.Split(m[2], ", -") {
					if more != "" {
						told = append(told, more)
					}
				}
			}
			for _, name := range flags {
				if !slices.Contains(told, name) {
					t.Errorf("the help does not mention -%s", name)
				}
			}
			for _, name := range told {
				if !slices.Contains(flags, name) && !slices.Contains(everywhere, name) {
					t.Errorf("the help mentions -%s, which is no flag", name)
				}
			}
		})
	}
}

// TestHelpForm checks that every help has the same order: usage, a sentence, examples, flags and
// exit codes, with the flags on the first screen.
func TestHelpForm(t *testing.T) {
	const most = 40 // lines before the flags
	firstFlag := regexp.MustCompile(`(?m)^  -\w`)
	for _, v := range allVerbs() {
		help := v.help()
		last := -1
		for _, part := range []string{"usage: hone " + v.name, ".\n\nExamples:\n\n  ", "\nExit codes: "} {
			if v.name == "version" && strings.Contains(part, "Examples") {
				continue
			}
			at := strings.Index(help, part)
			if at <= last {
				t.Errorf("hone help %s: %q is missing or in the wrong place", v.name, part)
			}
			last = at
		}
		if !strings.HasPrefix(help, "usage: ") {
			t.Errorf("hone help %s doesn't begin with the usage", v.name)
		}
		if at := firstFlag.FindStringIndex(help); at != nil {
			if n := strings.Count(help[:at[0]], "\n"); n > most {
				t.Errorf("hone help %s has %d lines before the first flag, more than %d", v.name, n, most)
			}
			if at[0] < strings.Index(help, "Examples:") || at[0] > last {
				t.Errorf("hone help %s: the flags aren't between the examples and the exit codes", v.name)
			}
		}
	}
}

// TestHelpHasFlags checks that the help of every verb has the flags of all its commands, and no
// others. Those of reports are in TestHelpFlags.
func TestHelpHasFlags(t *testing.T) {
	shown := regexp.MustCompile(`(?m)^  -([\w-]+)((?:[^\S\n][^\s,]+)?(?:, -[\w-]+)*)`)
	name := regexp.MustCompile(`-([a-zA-Z][\w-]*)`)
	flags := func(v verb) map[string]bool {
		names := map[string]bool{}
		for _, command := range append(subcommands[v.name], "") {
			args := []string{command, "-there-is-no-such-flag"}
			if command == "" || v.name == "runs" || v.name == "completion" {
				args = args[1:]
			}
			var usage *shell.UsageError
			a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
			if errors.As(v.run(t.Context(), a, args), &usage) && usage.Flags != nil {
				usage.Flags.VisitAll(func(f *flag.Flag) { names[f.Name] = true })
			}
		}
		return names
	}
	all := map[string]verb{}
	for _, v := range allVerbs() {
		all[v.name] = v
	}
	checked := 0
	for _, v := range all {
		if slices.Contains(shell.Commands(), v.name) || v.name == "pprof" {
			continue
		}
		help, have := v.help(), flags(v)
		text := help
		switch {
		case strings.Contains(help, "hone help pprof"):
			text += all["pprof"].help()
		case v.name == "check":
			text += all["bench"].help()
		}
		for name := range have {
			checked++
			if !regexp.MustCompile(`(?m)(?:^|[ \[(|,])-` + regexp.QuoteMeta(name) + `\b`).MatchString(text) {
				t.Errorf("hone help %s doesn't have -%s", v.name, name)
			}
		}
		for _, m := range shown.FindAllStringSubmatch(help, -1) {
			for _, f := range append([][]string{{"", m[1]}}, name.FindAllStringSubmatch(m[2], -1)...) {
				if !have[f[1]] && f[1] != "args" { // which bench takes out of the arguments itself
					t.Errorf("hone help %s has -%s, which is not a flag", v.name, f[1])
				}
			}
		}
	}
	if checked < 300 {
		t.Errorf("checked only %d flags", checked)
	}
}

// flagsOf returns the names of a verb's flags.
func flagsOf(t *testing.T, verb string, define func(*flag.FlagSet)) []string {
	t.Helper()
	var set *flag.FlagSet
	keep := func(fs *flag.FlagSet) {
		set = fs
		if define != nil {
			define(fs)
		}
	}
	// Which sources there are doesn't matter here.
	if _, err := shell.ParseVerb(verb, []string{"main", "file"}, io.Discard, keep); err != nil && verb != "pprof" {
		t.Fatal(err)
	}
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}
