package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// A window's own JSON is that of encoding/json, whatever is in it.
func TestFlameWindowJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	windows := map[string]*FlameWindow{
		"nothing":        {},
		"empty":          {FlameHead: FlameHead{Widths: WidthsBoth}, Files: []string{}, Packages: []string{}, Frames: FlameFrames{Name: []string{}}},
		"odd texts":      {FlameHead: FlameHead{Type: "a<b>&\""}, Files: []string{"<&>", "\"", `\`, "\x7f", "\n\x00", "ü\u2028", "\xff", ""}, Frames: FlameFrames{Name: []string{"f[...]", "<init>"}}},
		"extreme values": {Nodes: FlameNodes{Total: Column{-1 << 63, 1<<63 - 1, 0, -1}, Own: Column{0}}, Frames: FlameFrames{OtherFiles: Column{1, 2}}},
	}
	head, base := folded(t, randomFolded(r, 50, false)), folded(t, randomFolded(r, 50, false))
	one, err := profile.NewTree(head, profile.TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	both, err := profile.NewDiffTree(base, head, profile.TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*FlameIndex{"tree": NewFlameIndex(one, Options{}, ""), "difference": NewFlameIndex(both, Options{}, WidthsBoth)} {
		if windows[name], err = x.Window(Window{Width: 1000}); err != nil {
			t.Fatal(err)
		}
	}
	for name, w := range windows {
		var got, want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := errors.Join(w.WriteJSON(&got), e.Encode(w)); err != nil {
			t.Fatal(err)
		}
		if want := strings.TrimSuffix(want.String(), "\n"); got.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got.String(), want)
		}
	}
	full := errors.New("full")
	if err := windows["tree"].WriteJSON(failing{full}); !errors.Is(err, full) {
		t.Errorf("a writer's error is %v", err)
	}
}

// failing fails to write.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Writing a window takes memory for a piece and a column of it, not for all of its text.
func TestFlameWindowJSONAllocates(t *testing.T) {
	w := &FlameWindow{Files: []string{}, Packages: []string{}, Frames: FlameFrames{Name: make([]string, 10_000)}}
	columns := []*Column{&w.Frames.File, &w.Frames.Line, &w.Nodes.ID, &w.Nodes.Depth, &w.Nodes.Gap, &w.Nodes.Total, &w.Nodes.Self, &w.Nodes.Hidden}
	for _, c := range columns {
		*c = make(Column, 20_000)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := w.WriteJSON(io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n, text := after.TotalAlloc-before.TotalAlloc, uint64(len(columns)*2*20_000); n > text {
		t.Errorf("%d bytes for a text of %d", n, text)
	}
}
