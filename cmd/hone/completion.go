package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/tune"
)

const completionHelp = `usage: hone completion bash|zsh|fish

Print a script that completes hone's verbs, flags, files, runs and services.

Examples:

  source <(hone completion bash)         in ~/.bashrc
  source <(hone completion zsh)          in ~/.zshrc, after compinit
  hone completion fish | source          in ~/.config/fish/config.fish

Exit codes: 0 success, 1 failure, 2 wrong usage.

Values of flags, and profiles of runs (RUN:Benchmark/kind), are completed too. Services
and kinds come from the server in $HONE_SERVER.
`

// The scripts run hone with the hidden verb completeVerb and the words after "hone"; the
// last word is completed. The answer has one candidate per line. An empty line means that
// files are candidates too.
const completeVerb = "__complete"

var completionScripts = map[string]string{
	// Bash splits words at : and =. So the line is split at blanks here, and the part that
	// Bash considers a word of its own is cut from the candidates.
	"bash": `_hone() {
	local line="${COMP_LINE:0:COMP_POINT}" word="" words=() reply
	read -ra words <<< "$line"
	[[ "$line" == *[[:space:]] ]] || word="${words[-1]}"
	[[ -n "$word" ]] || words+=("")
	COMPREPLY=()
	local have="${COMP_WORDS[COMP_CWORD]}"
	[[ "$have" == [:=] ]] && have=""
	local cut="${word%"$have"}"
	while IFS= read -r reply; do
		if [[ -z "$reply" ]]; then
			compopt -o filenames 2>/dev/null
			while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -f -- "$have")
		else
			COMPREPLY+=("${reply#"$cut"}")
		fi
	done < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
	[[ "${COMPREPLY[0]}" == *[:/=] ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _hone hone
`,
	"zsh": `#compdef hone
_hone() {
	local reply files=0
	local -a candidates
	while IFS= read -r reply; do
		if [[ -z "$reply" ]]; then files=1; else candidates+=("$reply"); fi
	done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	(( ${#candidates} )) && compadd -- "${candidates[@]}"
	(( files )) && _files
	return 0
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _hone hone
`,
	"fish": `function __hone_complete
	set -l words (commandline -opc)
	set -l program $words[1]
	set -e words[1]
	set -l word (commandline -ct)
	for reply in ($program __complete $words "$word" 2>/dev/null)
		if test -z "$reply"
			__fish_complete_path "$word"
		else
			echo $reply
		end
	end
end
complete -c hone -f -a '(__hone_complete)'
`,
}

func runCompletion(_ context.Context, a *app, args []string) error {
	fs := newFlags("completion")
	rest, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 || completionScripts[rest[0]] == "" {
		return &shell.UsageError{Verb: "completion", Err: errors.New("want one shell: bash, zsh or fish")}
	}
	_, err = io.WriteString(a.stdout, completionScripts[rest[0]])
	return err
}

// subcommands are the possible first arguments of a verb.
var subcommands = map[string][]string{
	"token": {"add", "list", "remove"}, "session": {"list", "end"}, "store": {"stats", "verify", "repair", "backup", "create", "copy", "delete"},
	"runs": {"rm"}, "report": {"github", "gitlab"}, "load": {"http", "grpc", "kafka"}, "completion": {"bash", "zsh", "fish"},
}

// flagValues are the values of flags with few possible values, by verb; "" means all verbs.
var flagValues = map[string]map[string][]string{
	"":       {"symbolize": {"none", "local", "remote", "force", "fastlocal", "demangle=none", "demangle=full", "demangle=templates"}},
	"bench":  {"profile": bench.ProfileKinds(), "tests": testNames, "layouts": layoutNames},
	"check":  {"profile": bench.ProfileKinds(), "tests": testNames, "layouts": layoutNames},
	"advise": {"format": adviceFormats}, "flame": {"format": flameFormats, "color": {"package", "origin", "change"}, "widths": {"both", "head", "base"}},
	"ui":    {"view": server.Views()},
	"serve": {"log-format": {"text", "json"}, "log-level": {"debug", "info", "warn", "error"}},
	"token": {"role": {"read", "write", "admin"}},
	"query": {"per": {"sum", "profile", "second"}},
	"pgo":   {"weights": {"equal", "cpu"}},
	"init":  {"ci": {"github", "gitlab", "none"}},
	"fix":   {"try": tune.DefaultSettings},
}

// runComplete prints the candidates for the last of words.
func runComplete(ctx context.Context, a *app, vs []verb, words []string) error {
	c := &completion{app: a, ctx: ctx, verbs: vs, word: ""}
	if len(words) > 0 {
		c.word, words = words[len(words)-1], words[:len(words)-1]
	}
	c.complete(words)
	for _, text := range c.found {
		if _, err := fmt.Fprintln(a.stdout, compare.Printable(text)); err != nil {
			return err
		}
	}
	if c.files {
		fmt.Fprintln(a.stdout)
	}
	return nil
}

// completion finds candidates for a word.
type completion struct {
	app   *app
	ctx   context.Context
	verbs []verb
	word  string
	found []string
	files bool // files are candidates
}

// add adds those candidates that begin with the word.
func (c *completion) add(prefix string, candidates ...string) {
	for _, text := range candidates {
		if text = prefix + text; strings.HasPrefix(text, c.word) {
			c.found = append(c.found, text)
		}
	}
}

func (c *completion) complete(before []string) {
	if len(before) == 0 || len(before) == 1 && before[0] == "help" {
		for _, v := range c.verbs {
			c.add("", v.name)
		}
		if len(before) == 0 {
			c.add("", "help")
		} else {
			c.add("", "all")
		}
		return
	}
	verb := before[0]
	flags := c.flags(before)
	if strings.HasPrefix(c.word, "-") && flags != nil {
		name, _, given := strings.Cut(strings.TrimLeft(c.word, "-"), "=")
		dashes := c.word[:len(c.word)-len(strings.TrimLeft(c.word, "-"))]
		if given {
			c.value(verb, name, dashes+name+"=")
			return
		}
		flags.VisitAll(func(f *flag.Flag) { c.add(dashes, f.Name) })
		return
	}
	if last := before[len(before)-1]; strings.HasPrefix(last, "-") && !strings.Contains(last, "=") && flags != nil {
		name := strings.TrimLeft(last, "-")
		if f := flags.Lookup(name); f != nil {
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); !ok || !b.IsBoolFlag() {
				c.value(verb, name, "")
				return
			}
		}
	}
	if len(before) == 1 && subcommands[verb] != nil {
		c.add("", subcommands[verb]...)
		return
	}
	switch verb {
	case "compare", "check", "runs":
		c.runs(false)
		c.files = verb != "runs"
	case "query":
		c.add("", c.fromServer("kind")...)
	case "completion", "session", "tour", "version", "serve":
	case "push", "gc", "bench", "prove", "token", "store", "load":
		c.files = verb != "token"
	default:
		c.runs(true)
		c.files = true
	}
}

// flags returns the flags of a verb. It runs the verb with an unknown flag: the error, which
// comes before the verb does anything, has the set of flags.
func (c *completion) flags(before []string) *flag.FlagSet {
	i := slices.IndexFunc(c.verbs, func(v verb) bool { return v.name == before[0] })
	if i < 0 {
		return nil
	}
	args := []string{"-there-is-no-such-flag"}
	if subcommands[before[0]] != nil && before[0] != "runs" && before[0] != "completion" {
		args = slices.Insert(args, 0, subcommands[before[0]][0])
	}
	silent := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: c.app.getenv}
	var usage *shell.UsageError
	if errors.As(c.verbs[i].run(c.ctx, silent, args), &usage) {
		return usage.Flags
	}
	return nil
}

// value completes the value of a flag; prefix is the part of the word before the value.
func (c *completion) value(verb, name, prefix string) {
	values := slices.Concat(flagValues[verb][name], flagValues[""][name])
	switch {
	case len(values) > 0:
		c.add(prefix, values...)
	case name == "service", name == "kind":
		c.add(prefix, c.fromServer(name)...)
	default:
		c.files = prefix == ""
	}
}

// runs completes runs and, after a colon, their profiles.
func (c *completion) runs(profiles bool) {
	root := runsRoot()
	if run, _, ok := strings.Cut(c.word, ":"); ok && profiles {
		if r, err := experiment.Find(c.ctx, root, run, needs("")); err == nil {
			for _, f := range r.Profiles() {
				c.add(run+":", r.ProfileName(f))
			}
		}
		return
	}
	entries, err := experiment.List(c.ctx, root)
	if err != nil || len(entries) == 0 {
		return
	}
	colon := ""
	if profiles {
		colon = ":"
	}
	c.add("", "latest"+colon)
	for _, e := range entries {
		c.add("", filepath.Base(e.Dir)+colon)
	}
}

// serverTime is how long a shell waits for a server that may be down.
const serverTime = time.Second

// fromServer returns the values of a label at the server in $HONE_SERVER.
func (c *completion) fromServer(label string) []string {
	if c.app.getenv("HONE_SERVER") == "" {
		return nil
	}
	client, err := new(serverFlags).client(c.ctx, c.app, "query", &capture.Fetcher{})
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, serverTime)
	defer cancel()
	var v struct {
		Labels []api.Label `json:"labels"`
	}
	if client.json(ctx, "/api/v1/labels", url.Values{"q": {"{}"}, "name": {label}}, &v) != nil {
		return nil
	}
	for _, l := range v.Labels {
		if l.Name == label {
			return l.Values
		}
	}
	return nil
}
