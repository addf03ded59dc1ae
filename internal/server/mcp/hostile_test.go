package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hone-go/hone/internal/server/mcp"
	"github.com/hone-go/hone/internal/server/servertest"
)

// A wire is a client that sends what it likes.
type wire struct {
	t       *testing.T
	to      io.Writer
	answers chan map[string]any
	ended   chan error
}

func newWire(t *testing.T, c mcp.Config) *wire {
	t.Helper()
	fromClient, to := io.Pipe()
	from, toClient := io.Pipe()
	w := &wire{t, to, make(chan map[string]any, 100), make(chan error, 1)}
	go func() {
		w.ended <- mcp.New(c, nil).Run(t.Context(), &sdk.IOTransport{Reader: fromClient, Writer: toClient})
		toClient.Close()
	}()
	go func() {
		defer close(w.answers)
		in := bufio.NewReader(from)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			var answer map[string]any
			if json.Unmarshal(line, &answer) == nil && answer["id"] != nil {
				w.answers <- answer
			}
		}
	}()
	t.Cleanup(func() { to.Close() })
	w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	w.answer()
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.to, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) answer() map[string]any {
	w.t.Helper()
	select {
	case a := <-w.answers:
		return a
	case <-time.After(time.Minute):
		w.t.Fatal("no answer")
		return nil
	}
}

// call sends a call with a text as its arguments.
func (w *wire) call(id int, tool, arguments string) {
	w.t.Helper()
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments))
}

// refused reports whether an answer is an error of the protocol or of a tool.
func refused(answer map[string]any) bool {
	result, _ := answer["result"].(map[string]any)
	failed, _ := result["isError"].(bool)
	return answer["error"] != nil || failed
}

// TestHostileClient sends wrong types, large and deep arguments, paths outside of the module and unknown tools: nothing runs, no file is
// written, and the server goes on answering.
func TestHostileClient(t *testing.T) {
	live := servertest.NewLive(t, nil)
	live.Fill()
	t.Chdir(t.TempDir())
	outside := t.TempDir()
	if err := os.Symlink(outside, "link"); err != nil {
		t.Skip(err)
	}
	ran := 0
	runner := func(context.Context, []string, func(string)) (string, int) { ran++; return "", 0 }
	w := newWire(t, mcp.Config{API: mcp.InProcess(live.Site.Server, local()), Run: runner})
	file := filepath.ToSlash(outside)
	id := 1
	for _, c := range []struct{ tool, arguments string }{
		{"hot", `null`}, {"hot", `[]`}, {"hot", `"text"`}, {"hot", `7`},
		{"hot", `{"profile":{"$ref":"x"}}`}, {"hot", `{"profile":["cpu{}"]}`}, {"hot", `{"profile":null}`}, {"hot", `{"profile":"cpu{}","limit":"many"}`},
		{"hot", `{"profile":"cpu{}","limit":-1}`}, {"hot", `{"profile":"cpu{}","limit":1e308}`}, {"hot", `{"profile":"cpu{}","all":"yes"}`},
		{"hot", `{"profile":"cpu{}","by":"` + strings.Repeat("x", 1<<18) + `"}`}, {"hot", `{"profile":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`},
		{"hot", `{"profile":"cpu{}","focus":"` + strings.Repeat("(", 1000) + `"}`}, {"hot", `{"profile":"file://` + file + `"}`}, {"hot", `{"profile":"` + file + `"}`},
		{"hot", `{"profile":"cpu{}","__proto__":{"all":true}}`}, {"why", `{"profile":"cpu{}","function":["a"]}`}, {"compare", `{"run":"../..","base_run":"/etc"}`},
		{"advise", `{"run":"` + file + `"}`}, {"advise", `{"profile":"cpu{}","limit":99}`}, {"history", `{"service":7}`}, {"profiles", `{"run":"..\\..\\x"}`},
		{"prove", `{"patches":"text"}`}, {"prove", `{"patches":[7]}`}, {"prove", `{"patches":[["x"]]}`}, {"prove", `{"base":"-C/"}`}, {"prove", `{"base":"x\u0000y"}`},
		{"prove", `{"base":"HEAD; touch x"}`}, {"prove", `{"gen":"-exec"}`}, {"prove", `{"count":101}`}, {"prove", `{"count":1.5}`}, {"prove", `{"for":"1m","count":3}`},
		{"bench", `{"packages":"./..."}`}, {"bench", `{"packages":["./link"]}`}, {"bench", `{"packages":["./link/..."]}`}, {"bench", `{"packages":["file://` + file + `"]}`},
		{"bench", `{"packages":["` + file + `"]}`}, {"bench", `{"packages":["./a/../../b"]}`}, {"bench", `{"packages":["./x\n-exec=sh"]}`}, {"bench", `{"against":"$(touch x)"}`},
		{"load", `{"url":"http://127.0.0.1:1/","rate":5}`}, {"load", `{"url":"http://[::ffff:8.8.8.8]/","rate":"5"}`}, {"load", `{"url":"http://2130706434/","rate":"5"}`},
		{"load", `{"url":"http://localhost.example.com/","rate":"5"}`}, {"load", `{"url":"gopher://127.0.0.1/","rate":"5"}`}, {"load", `{"url":"","rate":"5"}`},
		{"shell", `{"command":"touch x"}`}, {"", `{}`}, {"prove ", `{}`}, {"../prove", `{}`},
	} {
		w.call(id, c.tool, c.arguments)
		if a := w.answer(); !refused(a) || a["id"] != float64(id) {
			t.Errorf("%s(%.80s): %.300v", c.tool, c.arguments, a)
		}
		id++
	}
	for _, uri := range []string{"file:///etc/passwd", "hone://profile/..%2F..%2Fetc%2Fpasswd", "hone://run/..%2F..%2Fetc", "hone://profile/%zz", "hone://nosuch"} {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":%q}}`, id, uri))
		if a := w.answer(); !refused(a) {
			t.Errorf("resource %s: %.300v", uri, a)
		}
		id++
	}
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"nosuch/method"}`, id))
	if a := w.answer(); !refused(a) {
		t.Errorf("an unknown method: %v", a)
	}
	// A call that has ended, and one that never began, are cancelled; then an id comes again.
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}`)
	for range 2 {
		w.call(id, "profiles", `{}`)
		if a := w.answer(); refused(a) {
			t.Errorf("after all of that: %v", a)
		}
	}
	// What no decoder takes ends the connection.
	w.call(id+1, "hot", `{"profile":`+strings.Repeat("[", 50000)+strings.Repeat("]", 50000)+`}`)
	if a := w.answer(); a != nil && !refused(a) {
		t.Errorf("50,000 levels: %.300v", a)
	}
	if ran > 0 {
		t.Errorf("%d were executed", ran)
	}
	for _, dir := range []string{".", outside} {
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if e.Name() != "link" {
				t.Errorf("%s was written", e.Name())
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
}
