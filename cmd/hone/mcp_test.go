package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hone-go/hone/internal/git/gittest"
)

// agentOf starts hone mcp, and is its client.
func agentOf(t *testing.T, progress func(string), args ...string) *sdk.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var stderr sharedBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- exitCode(t.Context(), &app{stdin: fromClient, stdout: toClient, stderr: &stderr, getenv: os.Getenv}, append([]string{"mcp"}, args...))
	}()
	options := &sdk.ClientOptions{}
	if progress != nil {
		options.ProgressNotificationHandler = func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { progress(r.Params.Message) }
	}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, options).Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.b.String())
	}
	t.Cleanup(func() {
		s.Close()
		if code := <-ended; code != exitOK || stderr.b.Len() > 0 {
			t.Errorf("exit code %d\n%s", code, stderr.b.String())
		}
	})
	return s
}

// tell calls a tool and returns its text.
func tell(t *testing.T, s *sdk.ClientSession, tool string, arguments map[string]any) (string, bool) {
	t.Helper()
	params := &sdk.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken(tool)
	r, err := s.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// TestMCP has an agent prove a patch of a real module.
func TestMCP(t *testing.T) {
	commitSum(t)
	gittest.Write(t, ".", map[string]string{"m.go": fasterSum})
	patch := gittest.Run(t, ".", "diff")
	gittest.Run(t, ".", "checkout", "-q", ".")
	told := make(chan string, 1000)
	s := agentOf(t, func(text string) {
		select {
		case told <- text:
		default:
		}
	}, "-allow", "run")
	if text, failed := tell(t, s, "profiles", nil); failed || !strings.Contains(text, "no profiles yet") {
		t.Errorf("a new module: %s", text)
	}
	if text, failed := tell(t, s, "prove", map[string]any{"patches": []string{patch}, "count": 2}); failed || !strings.Contains(text, "right, ") || !strings.Contains(text, "fewer allocations") {
		t.Errorf("prove: %s", text)
	}
	if text, failed := tell(t, s, "prove", map[string]any{"patches": []string{"no patch"}}); !failed || !strings.Contains(text, "1.patch") {
		t.Errorf("prove of text that isn't a patch: %s", text)
	}
	if text, failed := tell(t, s, "load", map[string]any{"url": "http://127.0.0.1:1/", "rate": "5", "duration": "1s"}); !failed || !strings.Contains(text, "refused") {
		t.Errorf("load of nothing: %s", text)
	}
	if len(told) == 0 {
		t.Error("no progress")
	}
	if text, failed := tell(t, s, "profiles", nil); failed || !strings.Contains(text, "hone prove") {
		t.Errorf("the run of the proof isn't listed: %s", text)
	}
	if text, failed := tell(t, s, "bench", map[string]any{"packages": []string{"./nosuch"}}); !failed || !strings.Contains(text, "nosuch") {
		t.Errorf("bench of a missing package: %s", text)
	}
	if status := gittest.Run(t, ".", "status", "--porcelain"); strings.Contains(status, "m.go") {
		t.Errorf("the module changed: %s", status)
	}
}

// TestMCPReads checks that nothing runs unless the user allows it, and wrong usage.
func TestMCPReads(t *testing.T) {
	s := agentOf(t, nil, testdata("cpu.json-decode.pb.gz"))
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 6 {
		t.Errorf("%d tools, %v", len(tools.Tools), err)
	}
	text, _ := tell(t, s, "profiles", nil)
	id, _, _ := strings.Cut(strings.Split(text, "\n")[2], " ")
	if text, failed := tell(t, s, "hot", map[string]any{"profile": id, "by": "line"}); failed || !strings.Contains(text, "json.go:54") {
		t.Errorf("%s", text)
	}
	for want, args := range map[string][]string{
		`unknown right "all": use run`: {"-allow", "all"},
		"leave out sources and -allow": {"-server", "http://localhost:1", "cpu.pb.gz"},
		"nosuch.pb.gz: no such file":   {"nosuch.pb.gz"},
	} {
		if o := hone(t, append([]string{"mcp"}, args...)...); o.code == exitOK || !strings.Contains(o.stderr, want) {
			t.Errorf("hone mcp %q: exit code %d, want %q:\n%s", args, o.code, want, o.stderr)
		}
	}
}
