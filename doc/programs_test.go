package doc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestAgentProgram checks the program that agent.md begins with, with the agent of this repository.
func TestAgentProgram(t *testing.T) {
	page, err := os.ReadFile("agent.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?ms)^```go\n(package main\n.*?)^```$").FindSubmatch(page)
	if program == nil {
		t.Fatal("agent.md has no program")
	}
	agent, err := filepath.Abs(filepath.Join(root, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": string(program[1]),
		"go.mod": "module example.com/shop\n\ngo 1.22\n\nrequire github.com/hone-go/hone/agent v0.0.0\n\n" +
			"replace github.com/hone-go/hone/agent => " + filepath.ToSlash(agent) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	vet := exec.Command("go", "vet", ".")
	vet.Dir = dir
	vet.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
