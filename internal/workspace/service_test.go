package workspace

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/freeport"
	"github.com/hone-go/hone/internal/git/gittest"
)

const goMod = "module example.com/m\n\ngo 1.24\n"

// greeter is a service that says a word and what it was given.
func greeter(word string) map[string]string {
	return map[string]string{"go.mod": goMod, "cmd/greet/main.go": `package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	fmt.Println("hello")
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/leave" {
			os.Exit(4)
		}
		fmt.Fprint(w, "` + word + ` ", strings.Join(os.Args[2:], "|"))
	})
	if err := http.ListenAndServe(os.Args[1], nil); err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
}
`}
}

// freeAddress is one that nobody listens at, nor will by chance.
func freeAddress(t *testing.T) string {
	found, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// ask returns the answer of a service, "" if there is none.
func ask(address, path string) string {
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := c.Get("http://" + address + path)
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	return string(text)
}

func TestService(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command has quotes, which take a shell")
	}
	dir := t.TempDir()
	gittest.Commit(t, dir, greeter("good morning"))
	gittest.Run(t, dir, "tag", "start")
	gittest.Write(t, dir, greeter("good evening"))
	address := freeAddress(t)
	var built []string
	s, err := NewService(t.Context(), ServiceOptions{
		Dir: dir, Command: "go run -tags=x ./cmd/greet " + address + ` "two words" $((1+2))`, Address: address, Against: "start",
		Events: func(stage, what string) { built = append(built, stage+" "+what) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if same, err := s.Same(t.Context()); same || err != nil || strings.Join(built, ", ") != "checkout start, build head, build base" || s.Base.Name != "start" {
		t.Errorf("same %v, %v, %q, base %v", same, err, built, s.Base)
	}
	for _, side := range []experiment.Side{experiment.Base, experiment.Head, experiment.Base} {
		r, err := s.Start(t.Context(), side)
		if err != nil {
			t.Fatal(err)
		}
		want := map[experiment.Side]string{experiment.Base: "good morning", experiment.Head: "good evening"}[side] + " two words|3"
		if got := ask(address, "/"); got != want {
			t.Errorf("%s says %q, want %q", side, got, want)
		}
		if _, err := s.Start(t.Context(), side); err == nil || !strings.Contains(err.Error(), "another program already answers at "+address) {
			t.Errorf("a second one: %v", err)
		}
		before, ok := r.CPU()
		for range 20 {
			ask(address, "/")
		}
		if after, _ := r.CPU(); ok && after <= before || ok != (runtime.GOOS == "linux") {
			t.Errorf("%v CPU time after requests, %v before; known: %v", after, before, ok)
		}
		if err := r.Stop(); err != nil || ask(address, "/") != "" {
			t.Errorf("it is there after its end, or %v", err)
		}
	}
	r, err := s.Start(t.Context(), experiment.Head)
	if err != nil {
		t.Fatal(err)
	}
	ask(address, "/leave")
	for len(r.ended) == 0 {
		time.Sleep(time.Millisecond) // until go test's timeout
	}
	if err := r.Stop(); err == nil || !strings.Contains(err.Error(), "exited on its own: exit status 4\nhello") {
		t.Errorf("one that left: %v", err)
	}
	scratch := s.w.Scratch.Path
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(scratch); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", scratch, err)
	}
}

func TestServiceErrors(t *testing.T) {
	dir := t.TempDir()
	gittest.Commit(t, dir, greeter("good morning"))
	gittest.Commit(t, dir, map[string]string{"broken/main.go": "package main\n\nfunc main() { nothing() }\n"})
	gittest.Write(t, dir, map[string]string{"cmd/greet/main.go": greeter("good morning")["cmd/greet/main.go"] + "\n"})
	address := freeAddress(t)
	build := exec.Command("go", "build", "./cmd/greet")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	start := func(command, against string, ready time.Duration) error {
		s, err := NewService(t.Context(), ServiceOptions{Dir: dir, Command: command, Address: address, Against: against, Ready: ready})
		if err != nil {
			return err
		}
		defer s.Close()
		if same, err := s.Same(t.Context()); same || err != nil {
			t.Errorf("%s: same %v, %v", command, same, err)
		}
		r, err := s.Start(t.Context(), experiment.Head)
		if err == nil {
			r.Stop()
		}
		return err
	}
	for _, c := range []struct{ command, against, want string }{
		{"go run ./broken", "", "head: ./broken does not build: "},
		{"go run ./broken", "", "undefined: nothing"},
		{"go run ./cmd/greet", "nowhere", `no branch, tag or commit "nowhere"`},
		{"go run ./cmd/greet nonsense", "", "ended before it answered at " + address + ": exit status 3\nhello\nlisten tcp: address nonsense"},
	} {
		if err := start(c.command, c.against, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.command, err, c.want)
		}
	}
	if err := start("go run ./cmd/greet "+freeAddress(t), "", 300*time.Millisecond); err == nil || !strings.Contains(err.Error(), "does not answer at "+address+" after 300ms (-ready): ") {
		t.Errorf("elsewhere: %v", err)
	}
	if runtime.GOOS != "windows" {
		for _, command := range []string{
			"ADDRESS=" + address + " sh -c 'exec " + dir + "/greet $ADDRESS'", "cd . && " + dir + "/greet " + address, "X=1 go run ./cmd/greet " + address,
		} {
			if err := start(command, "", 0); err != nil || ask(address, "/") != "" {
				t.Errorf("%s: %v, or it is there after its end", command, err)
			}
		}
		if err := start("sleep 100", "", 100*time.Millisecond); err == nil || !strings.Contains(err.Error(), "it printed nothing") {
			t.Errorf("sleep: %v", err)
		}
	}
}

// TestServiceSame: the same code gives the same program, wherever it lies.
func TestServiceSame(t *testing.T) {
	dir := t.TempDir()
	gittest.Commit(t, dir, greeter("good morning"))
	gittest.Write(t, dir, map[string]string{"README.md": "changed"})
	s, err := NewService(t.Context(), ServiceOptions{Dir: dir, Command: "go run ./cmd/greet", Address: "127.0.0.1:1", Against: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if same, err := s.Same(t.Context()); !same || err != nil {
		t.Errorf("same %v, %v, in %s", same, err, filepath.Base(dir))
	}
	// It may read a template.
	gittest.Write(t, dir, map[string]string{"templates/page.html": "changed"})
	if same, err := s.Same(t.Context()); same || err != nil {
		t.Errorf("with another file: same %v, %v", same, err)
	}
}
