// Package git asks git about a repository without running anything that the repository
// names. It is the only place that runs git.
//
// A repository's own configuration (.git/config, and config.worktree) can have programs in
// it: core.fsmonitor and clean filters run with git status, smudge filters and hooks with a
// checkout, drivers with git diff, and fetching what a partial clone lacks runs what the
// remote says. Whoever unpacks an archive has never agreed to these. The user's and the
// system's configuration are trusted, so that Git LFS set up there works as usual.
//
// What is turned off, and how:
//
//	core.fsmonitor, core.hooksPath, core.pager  -c, which comes after all files
//	diff.external, diff.NAME.command, textconv  --no-ext-diff --no-textconv
//	filter.NAME.clean, smudge, process          -c, back to the user's value or to none
//	submodules' own configuration               --ignore-submodules=dirty: they aren't entered
//	remote helpers, core.sshCommand             GIT_ALLOW_PROTOCOL: nothing is fetched
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// ErrNoRepository: the folder is in no repository.
var ErrNoRepository = errors.New("not a git repository")

// An Error is a git that failed.
type Error struct {
	Command string // "status"
	Text    string // the first line it printed
	Err     error
}

func (e *Error) Error() string {
	if e.Text != "" {
		return fmt.Sprintf("git %s: %s", e.Command, e.Text)
	}
	return fmt.Sprintf("git %s: %v", e.Command, e.Err)
}

// Is reports whether the error is that there is no repository.
func (e *Error) Is(target error) bool {
	return target == ErrNoRepository && strings.Contains(e.Text, "not a git repository")
}

func (e *Error) Unwrap() error { return e.Err }

// harmless are the commands that touch no content of the working tree, so that no filter
// runs. All others are preceded by a look at what filters there are.
var harmless = []string{"cat-file", "check-attr", "config", "for-each-ref", "ls-files", "ls-tree", "read-tree", "rev-parse"}

// Run runs git in a folder and returns what it prints. env is added to its environment;
// input is its standard input, and may be nil.
func Run(ctx context.Context, dir string, env []string, input []byte, args ...string) ([]byte, error) {
	safe := []string{
		"--no-optional-locks", "--no-pager",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
		"-c", "diff.external=",
	}
	var vars []string
	if !slices.Contains(harmless, args[0]) {
		settings, err := programSettings(ctx, dir)
		if err != nil {
			return nil, err
		}
		for _, s := range settings {
			if strings.Contains(s.key, "=") { // -c cuts at the first
				vars = append(vars, s.key, s.value)
			} else {
				safe = append(safe, "-c", s.key+"="+s.value)
			}
		}
	}
	switch args[0] {
	case "read-tree", "checkout-index": // with an index of hone's own, all of it
		safe = append(safe, "-c", "core.splitIndex=false", "-c", "core.sparseCheckout=false")
	case "diff":
		args = slices.Insert(slices.Clone(args), 1, "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
	case "status":
		args = slices.Insert(slices.Clone(args), 1, "--ignore-submodules=dirty")
	}
	return run(ctx, dir, append(environment(vars), env...), input, append(safe, args...), args[0])
}

func run(ctx context.Context, dir string, env []string, input []byte, args []string, name string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, env
	if input != nil {
		cmd.Stdin = bytes.NewReader(input)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		text, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return out, &Error{name, strings.TrimPrefix(text, "fatal: "), err}
	}
	return out, nil
}

// environment is that of hone without what a hook that hone may run in has set: the folder
// says which repository is meant. vars are keys and values of further configuration.
func environment(vars []string) []string {
	count := 0
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		if name == "GIT_CONFIG_COUNT" {
			count, _ = strconv.Atoi(value)
		}
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF"}, name)
	})
	for i := 0; i+1 < len(vars); i += 2 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count, vars[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count, vars[i+1]))
		count++
	}
	if len(vars) > 0 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", count))
	}
	return append(env, "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
}

type setting struct{ key, value string }

// programSettings returns what the repository's own configuration has to be overruled by.
func programSettings(ctx context.Context, dir string) ([]setting, error) {
	own, trusted, err := configuration(ctx, dir)
	if err != nil {
		return nil, err
	}
	var settings []setting
	for _, key := range own {
		section, name, variable := parts(key)
		switch {
		case section == "filter" && slices.Contains([]string{"clean", "smudge", "process"}, variable):
			settings = append(settings, setting{key, trusted[key]})
			required := "filter." + name + ".required"
			settings = append(settings, setting{required, orFalse(trusted[required])})
		case section == "hook" && variable == "command":
			settings = append(settings, setting{"hook." + name + ".enabled", "false"})
		case section == "lfs" && (slices.Contains([]string{"path", "clean", "smudge"}, variable) || variable == "standalonetransferagent"):
			// Git LFS runs these. It is not asked, whoever set it up.
			for _, v := range []string{"clean", "smudge", "process"} {
				settings = append(settings, setting{"filter.lfs." + v, ""})
			}
			settings = append(settings, setting{"filter.lfs.required", "false"})
		}
	}
	return settings, nil
}

func orFalse(value string) string {
	if value == "" {
		return "false"
	}
	return value
}

// parts are those of a key: filter.NAME.clean, where the name may have dots.
func parts(key string) (section, name, variable string) {
	section, rest, _ := strings.Cut(key, ".")
	if i := strings.LastIndexByte(rest, '.'); i >= 0 {
		return section, rest[:i], rest[i+1:]
	}
	return section, "", rest
}

// configuration returns the keys that the repository itself sets, and the values of those
// that others set.
func configuration(ctx context.Context, dir string) (own []string, trusted map[string]string, err error) {
	trusted = make(map[string]string)
	list := func(args ...string) ([]string, error) {
		out, err := run(ctx, dir, environment(nil), nil, append([]string{"config", "--null", "--list"}, args...), "config")
		if err != nil {
			return nil, err
		}
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
	}
	entries, err := list("--show-scope")
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil { // git before 2.26 has no scopes: nobody's filters are run
		if entries, err = list(); err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			key, _, _ := strings.Cut(e, "\n")
			own = append(own, key)
		}
		return own, trusted, nil
	}
	for i := 0; i+1 < len(entries); i += 2 {
		key, value, _ := strings.Cut(entries[i+1], "\n")
		if scope := entries[i]; scope == "local" || scope == "worktree" {
			own = append(own, key)
		} else {
			trusted[key] = value
		}
	}
	return own, trusted, nil
}

// Filters returns the names of the filters that are not run since the repository's own
// configuration sets them, and not as the user's does.
func Filters(ctx context.Context, dir string) ([]string, error) {
	settings, err := programSettings(ctx, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range settings {
		section, name, variable := parts(s.key)
		if section == "filter" && variable != "required" && s.value == "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}
