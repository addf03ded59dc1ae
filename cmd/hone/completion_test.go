package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func complete(t *testing.T, env map[string]string, words ...string) []string {
	t.Helper()
	o := honeWith(t, env, "", append([]string{completeVerb}, words...)...)
	if o.code != 0 || o.stderr != "" {
		t.Fatalf("%q: %+v", words, o)
	}
	return strings.Split(strings.TrimSuffix(o.stdout, "\n"), "\n")
}

// inRuns has the current folder's runs be those of the test data.
func inRuns(t *testing.T) {
	t.Helper()
	from, err := filepath.Abs("testdata/runs")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(filepath.Join(".hone", "runs"), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func TestComplete(t *testing.T) {
	heap, err := filepath.Abs(testdata("heap.gc.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	inRuns(t)
	d := startServe(t, t.TempDir())
	d.succeed("push", "-service", "shop", "-time", "now", heap)
	env := map[string]string{"HONE_SERVER": d.url}
	for _, c := range []struct{ words, want string }{
		{"fla", "flame"}, {"help comp", "compare completion"}, {"top -nodec", "-nodecount"}, {"top --nodec", "--nodecount"},
		{"bench -profile m", "mem mutex"}, {"flame -format=s", "-format=svg -format=speedscope"}, {"ui -view to", "top"}, {"token ", "add list remove"}, {"token add -role r", "read"},
		{"store backup -na", "-name"}, {"completion z", "zsh"}, {"push -service s", "shop"}, {"query he", "heap"},
		{"compare lat", "latest "}, {"diff lat", "latest: "}, {"runs rm 20261121-17", "20261121-174823-9f3c"},
	} {
		want := strings.Split(c.want, " ")
		if got := complete(t, env, strings.Split(c.words, " ")...); !slices.Equal(got, want) {
			t.Errorf("hone %s: %q, want %q", c.words, got, want)
		}
	}
	if got := complete(t, nil, "top", "latest:Hash"); len(got) < 2 || !strings.HasPrefix(got[0], "latest:Hash-2/") {
		t.Errorf("profiles of a run: %q", got)
	}
	// Every verb tells its flags.
	for _, v := range allVerbs() {
		c := &completion{app: &app{getenv: os.Getenv}, ctx: t.Context(), verbs: allVerbs()}
		if c.flags([]string{v.name}) == nil {
			t.Errorf("hone %s: no flags", v.name)
		}
	}
}

// TestCompletionInShells has real shells complete.
func TestCompletionInShells(t *testing.T) {
	inRuns(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "hone"), []byte("#!/bin/sh\nHONE_TEST_HONE=1 exec '"+self+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	write(t, "profile.pb.gz", "")
	for shell, script := range map[string]string{
		"bash": `source <(hone completion bash)
for line in "hone fla" "hone top -nodec" "hone flame -format=sv" "hone bench -profile mu" "hone top latest:Hash-2/c" "hone top prof"; do
	COMP_LINE="$line"; COMP_POINT=${#line}
	IFS=$' ' read -ra COMP_WORDS <<< "${line//[:=]/ & }"; COMP_CWORD=$((${#COMP_WORDS[@]}-1))
	_hone; echo "${COMPREPLY[*]}"
done`,
		"zsh": `autoload -Uz compinit; compinit -u -D
source <(hone completion zsh)
compadd() { shift; print -r -- "$*" }
_files() { print -r -- profile.pb.gz }
for line in "hone fla" "hone top -nodec" "hone flame -format=sv" "hone bench -profile mu" "hone top latest:Hash-2/c" "hone top prof"; do
	words=(${(s: :)line}); CURRENT=${#words}; _hone
done`,
		"fish": `hone completion fish | source
for line in "hone fla" "hone top -nodec" "hone flame -format=sv" "hone bench -profile mu" "hone top latest:Hash-2/c" "hone top prof"
	complete -C $line
end`,
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil && os.Geteuid() == 0 {
				// As for the browser of web/e2e: a fresh machine gets what is missing. Others
				// may be installing something, and apt-get does not wait for the lists.
				for try := 0; err != nil && try < 6; try++ {
					time.Sleep(time.Duration(try) * 5 * time.Second)
					exec.Command("apt-get", "-o", "Acquire::Retries=3", "update", "-qq").Run()
					exec.Command("apt-get", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3", "install", "-y", "-qq",
						"--no-install-recommends", shell).Run()
					path, err = exec.LookPath(shell)
				}
			}
			if err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatalf("%s is missing: its completion cannot be tested", shell)
				}
				t.Skipf("SKIPPED: %s is not installed; apt-get install %s", shell, shell)
			}
			cmd := exec.CommandContext(t.Context(), path, "-c", script)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var got []string
			for line := range strings.Lines(string(out)) {
				got = append(got, strings.TrimSpace(line))
			}
			for _, want := range []string{"flame", "-nodecount", "svg", "mutex", "/cpu", "profile.pb.gz"} {
				if !slices.ContainsFunc(got, func(l string) bool { return strings.HasSuffix(l, want) }) {
					t.Errorf("no %s in\n%s", want, out)
				}
			}
		})
	}
}
