package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hone-go/hone/bench/history"
)

// The package of a generated module that measureTools changes: few others use it.
const changedPackage = "p490"

const testOfTools = `package ` + changedPackage + `

import "testing"

func TestParse(t *testing.T) {
	if Parse0("a,b") < 0 {
		t.Fatal()
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse0("a,b,c")
	}
}
`

// A usage is what a tool's call took: of the process, and of those that it started and waited for.
type usage struct {
	cpu  time.Duration
	peak int64 // MB, of the process until now
}

// measureTools asks hone mcp over stdio in a large module, and prints what each tool takes and how long its answer is. dir is what
// go run ./bench/advice -large generated:500 -keep leaves: a profile and a module. history is asked of a hone serve with that profile.
func (o *options) measureTools(ctx context.Context, dir string) error {
	module, cpu := filepath.Join(dir, "module"), filepath.Join(dir, "cpu.pb.gz")
	patch, err := prepareTools(ctx, module)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, o.hone, "mcp", "-allow", "run", cpu)
	cmd.Dir, cmd.Stderr = module, os.Stderr
	c, err := connect(ctx, &sdk.CommandTransport{Command: cmd})
	if err != nil {
		return err
	}
	defer c.session.Close()
	c.process = cmd.Process.Pid
	list, err := c.session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	size := 0
	for _, t := range list.Tools {
		text, err := json.Marshal(t)
		if err != nil {
			return err
		}
		size += len(text)
	}
	fmt.Printf("list of %d tools: %d tokens\n", len(list.Tools), size/4)
	answer, err := c.ask(ctx, "profiles", nil)
	if err != nil {
		return err
	}
	id := regexp.MustCompile(`\b[0-9a-f]{24}\b`).FindString(answer)
	for _, q := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"hot", map[string]any{"profile": id}},
		{"hot", map[string]any{"profile": id, "by": "line", "limit": 50}},
		{"why", map[string]any{"profile": id, "function": `p498\.Parse0$`}},
		{"compare", map[string]any{"profile": id, "base": id}},
		{"advise", map[string]any{"profile": id}},
		{"advise", map[string]any{"profile": id, "limit": 10}},
		{"prove", map[string]any{"patches": []string{patch}}},
		{"bench", map[string]any{"packages": []string{"./" + changedPackage}}},
	} {
		if _, err := c.ask(ctx, q.tool, q.arguments); err != nil {
			return err
		}
	}
	return o.measureHistory(ctx, cpu)
}

// measureHistory asks a hone serve that has had the profile every hour of a day, from two versions of a service.
func (o *options) measureHistory(ctx context.Context, cpu string) (err error) {
	data, err := os.MkdirTemp("", "hone-agents-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	server := exec.CommandContext(ctx, o.hone, "serve", "-data", data, "-listen", "127.0.0.1:0")
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, server.Process.Signal(os.Interrupt), server.Wait())
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	url := regexp.MustCompile(`http://[^/\s]+`).FindString(line)
	if err != nil || url == "" {
		return fmt.Errorf("hone serve says %q: %w", line, err)
	}
	for hour := 24; hour > 0; hour-- {
		push := exec.CommandContext(ctx, o.hone, "push", "-server", url, "-service", "large", "-version", fmt.Sprint("v", 2-hour/13), "-time", fmt.Sprintf("-%dh", hour), cpu)
		if text, err := push.CombinedOutput(); err != nil {
			return fmt.Errorf("hone push: %w: %s", err, text)
		}
	}
	c, err := connect(ctx, &sdk.StreamableClientTransport{Endpoint: url + "/mcp"})
	if err != nil {
		return err
	}
	defer c.session.Close()
	c.process = server.Process.Pid
	for range 2 {
		if _, err := c.ask(ctx, "history", map[string]any{"service": "large"}); err != nil {
			return err
		}
	}
	return nil
}

// A client asks hone's tools, which a process answers.
type client struct {
	session *sdk.ClientSession
	process int
}

func connect(ctx context.Context, t sdk.Transport) (*client, error) {
	s, err := sdk.NewClient(&sdk.Implementation{Name: "agents"}, nil).Connect(ctx, t, nil)
	return &client{session: s}, err
}

// ask calls a tool, prints what that takes, and returns the answer.
func (c *client) ask(ctx context.Context, tool string, arguments map[string]any) (answer string, err error) {
	before, begin := usageOf(c.process), time.Now()
	r, err := c.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	for _, part := range r.Content {
		if text, ok := part.(*sdk.TextContent); ok {
			answer += text.Text
		}
	}
	u := usageOf(c.process)
	fmt.Printf("%-10s %6.2f s, CPU %6.2f s, peak %4d MB, %5d tokens, error: %v\n", tool, time.Since(begin).Seconds(), (u.cpu - before.cpu).Seconds(), u.peak, len(answer)/4, r.IsError)
	return answer, nil
}

// prepareTools commits the module with a test and a benchmark, and returns a patch.
func prepareTools(ctx context.Context, module string) (patch string, err error) {
	file := filepath.Join(module, changedPackage, "p.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(module, changedPackage, "p_test.go"), []byte(testOfTools), 0o666),
		history.Git(ctx, module, "init", "-q"), commit(ctx, module, parentTag),
		os.WriteFile(file, []byte(strings.Replace(string(text), `fmt.Sprintf("item-%d", len(items))`, `"item-" + fmt.Sprint(len(items))`, 1)), 0o666),
	)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "git", "diff")
	cmd.Dir = module
	out, err := cmd.Output()
	return string(out), errors.Join(err, os.WriteFile(file, text, 0o666))
}

// usageOf reads what Linux has counted of a process: proc_pid_stat(5), whose times have 100 ticks in a second.
func usageOf(pid int) (u usage) {
	folder := fmt.Sprintf("/proc/%d/", pid)
	stat, _ := os.ReadFile(folder + "stat")
	if at := strings.LastIndex(string(stat), ")"); at > 0 {
		fields := strings.Fields(string(stat)[at+1:])
		for _, field := range fields[11:15] { // utime, stime, cutime, cstime
			ticks, _ := strconv.ParseInt(field, 10, 64)
			u.cpu += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	status, _ := os.ReadFile(folder + "status")
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.Fields(kb)[0], 10, 64)
			u.peak = n / 1000
		}
	}
	return u
}
