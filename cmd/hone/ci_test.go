package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWorkflow checks doc/ci.md: the workflow file has the form of one, its
// scripts are valid shell, and all commands are hone's, with flags that exist.
func TestWorkflow(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "doc", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	var workflow string
	var scripts []string
	for _, m := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		switch m[1] {
		case "yaml":
			workflow = m[2]
			scripts = append(scripts, yamlScripts(t, m[2])...)
		case "sh":
			scripts = append(scripts, m[2])
		}
	}
	if len(scripts) != 10 {
		t.Errorf("%d scripts, want 7 of the workflow and 3", len(scripts))
	}
	for _, want := range []string{"fetch-depth: 0", "hone bench -against", "hone compare -markdown latest", "hone check"} {
		if !strings.Contains(workflow, want) {
			t.Errorf("the workflow has no %q", want)
		}
	}
	checked := 0
	for _, script := range scripts {
		if strings.Contains(script, "${{") {
			t.Errorf("a script has an expression of the service in it, whose value would be code:\n%s", script)
		}
		if sh, err := exec.LookPath("sh"); err == nil {
			cmd := exec.Command(sh, "-n")
			cmd.Stdin = strings.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s\n%s", err, out, script)
			}
		}
		for _, m := range regexp.MustCompile(`(?m)(?:^|\s)hone (\w+)([^|>\n]*)`).FindAllStringSubmatch(script, -1) {
			checked++
			help := succeed(t, "help", m[1])
			for _, flag := range regexp.MustCompile(`\s-(\w+)`).FindAllStringSubmatch(m[2], -1) {
				if !regexp.MustCompile(`(?m)[ \[]-` + flag[1] + `\b`).MatchString(help) {
					t.Errorf("hone %s has no flag -%s", m[1], flag[1])
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d commands of hone", checked)
	}
}

// yamlScripts reads as much of YAML as workflow files need: maps, lists, plain
// values on one line and literal blocks. It returns the scripts of run.
func yamlScripts(t *testing.T, text string) (scripts []string) {
	t.Helper()
	entry := regexp.MustCompile(`^( *)((?:- )?)([\w-]+):(?: (.+))?$`)
	open := []int{0} // columns of maps that can go on
	mayOpen := false // the line before has no value
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		m := entry.FindStringSubmatch(lines[i])
		if m == nil || strings.Contains(lines[i], "\t") {
			t.Fatalf("line %d of the workflow is no entry of a map: %q", i+1, lines[i])
		}
		column, value := len(m[1])+len(m[2]), m[4]
		if last := open[len(open)-1]; column > last {
			if !mayOpen && m[2] == "" {
				t.Fatalf("line %d is indented more than the one before, which has a value: %q", i+1, lines[i])
			}
			open = append(open, column)
		}
		for open[len(open)-1] > column {
			open = open[:len(open)-1]
		}
		if open[len(open)-1] != column {
			t.Fatalf("line %d is indented like none before: %q", i+1, lines[i])
		}
		mayOpen = value == ""
		if value == "|" {
			var block []string
			for ; i+1 < len(lines) && len(lines[i+1])-len(strings.TrimLeft(lines[i+1], " ")) > column; i++ {
				block = append(block, strings.TrimPrefix(lines[i+1], strings.Repeat(" ", column+2)))
			}
			value = strings.Join(block, "\n") + "\n"
		} else if value != "" && strings.ContainsAny(value[:1], "#&*!%@`>{\"'?") || strings.Contains(value, " #") || strings.Contains(value, ": ") {
			t.Fatalf("line %d: %q means something in YAML, and wants quotes", i+1, value)
		}
		if m[3] == "run" {
			scripts = append(scripts, value)
		}
	}
	return scripts
}
