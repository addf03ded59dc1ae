package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const scaffoldFiles = "../../internal/scaffold/files"

// TestWorkflow checks the workflows of doc/ci.md, which hone init writes: their keys are those of the
// services, their scripts are valid shell, and all commands are hone's, with flags that exist.
func TestWorkflow(t *testing.T) {
	var github struct {
		Name        string
		On          map[string]any
		Permissions map[string]string
		Jobs        map[string]struct {
			If          string
			RunsOn      string `yaml:"runs-on"`
			Timeout     int    `yaml:"timeout-minutes"`
			Permissions map[string]string
			Steps       []struct {
				Name, ID, Uses, Run string
				With                map[string]any
				Env                 map[string]string
			}
		}
	}
	decodeKnown(t, "github.yml", &github)
	var scripts []string
	for name, job := range github.Jobs {
		ids := []string{}
		if job.RunsOn == "" || job.Timeout == 0 || len(job.Steps) == 0 {
			t.Errorf("the job %s has no machine, time limit or steps", name)
		}
		for i, step := range job.Steps {
			if (step.Uses == "") == (step.Run == "") {
				t.Errorf("%s: step %d has to use an action or run a script", name, i+1)
			}
			if step.Uses != "" && !regexp.MustCompile(`^actions/[a-z-]+@v\d+$`).MatchString(step.Uses) {
				t.Errorf("%s: the action %s has no version", name, step.Uses)
			}
			if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
				t.Errorf("%s: the checkout keeps the token where the measured code can read it", name)
			}
			for key, value := range step.Env {
				if m := regexp.MustCompile(`steps\.(\w+)\.`).FindStringSubmatch(value); m != nil && !slices.Contains(ids, m[1]) {
					t.Errorf("%s: %s is of the step %s, which comes later or doesn't exist", name, key, m[1])
				}
				// The measured code runs in other steps.
				if strings.Contains(value, "github.token") && strings.Contains(step.Run, "hone bench") {
					t.Errorf("%s: the measured code gets the token", name)
				}
			}
			ids = append(ids, step.ID)
			scripts = append(scripts, step.Run)
		}
	}
	if p := github.Jobs["regressions"].Permissions; p["pull-requests"] != "write" || p["statuses"] != "write" || p["contents"] != "read" || len(p) != 3 || len(github.Permissions) != 1 {
		t.Errorf("permissions %v and %v", github.Permissions, p)
	}
	var gitlab map[string]struct {
		Image, Timeout string
		Rules          []struct{ If string }
		Variables      map[string]string
		Script         []string
		Artifacts      struct {
			When  string
			Paths []string
		}
	}
	decodeKnown(t, "gitlab.yml", &gitlab)
	for name, job := range gitlab {
		if job.Image == "" || job.Timeout == "" || len(job.Rules) == 0 || len(job.Script) == 0 {
			t.Errorf("the job %s has no image, time limit, rules or script", name)
		}
		scripts = append(scripts, strings.Join(job.Script, "\n"))
	}
	if gitlab["regressions"].Variables["GIT_DEPTH"] != "0" || len(github.Jobs) != 2 || len(gitlab) != 2 {
		t.Errorf("jobs %v and %v", github.Jobs, gitlab)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "doc", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		scripts = append(scripts, m[1])
	}
	for _, name := range []string{"skill.md", "agents.md"} {
		text, err := os.ReadFile(filepath.Join(scaffoldFiles, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?m)^    (hone .*)$|`(hone [^`]*)`").FindAllStringSubmatch(string(text), -1) {
			scripts = append(scripts, m[1]+m[2])
		}
	}
	if checked := checkScripts(t, scripts); checked < 25 {
		t.Errorf("only %d commands of hone", checked)
	}
}

// decodeKnown decodes a workflow; an unknown key is an error.
func decodeKnown(t *testing.T, name string, v any) {
	t.Helper()
	f, err := os.Open(filepath.Join(scaffoldFiles, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// checkScripts checks scripts and the commands of hone in them, which it counts.
func checkScripts(t *testing.T, scripts []string) (checked int) {
	t.Helper()
	sh, noShell := exec.LookPath("sh")
	for _, script := range scripts {
		if strings.Contains(script, "${{") {
			t.Errorf("a script has an expression of the service in it, whose value would be code:\n%s", script)
		}
		if noShell == nil {
			cmd := exec.Command(sh, "-n")
			cmd.Stdin = strings.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s\n%s", err, out, script)
			}
		}
		for _, m := range regexp.MustCompile(`(?m)(?:^|\s)hone (\w+)([^|>\n#]*)`).FindAllStringSubmatch(script, -1) {
			checked++
			help := succeed(t, "help", m[1])
			for _, flag := range regexp.MustCompile(`\s-(\w+)`).FindAllStringSubmatch(m[2], -1) {
				if !regexp.MustCompile(`(?m)[ \[]-` + flag[1] + `\b`).MatchString(help + succeed(t, "help", "pprof")) {
					t.Errorf("hone %s has no flag -%s", m[1], flag[1])
				}
			}
		}
	}
	return checked
}
