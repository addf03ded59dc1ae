package web

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"regexp"
	"testing"
)

// maxFirstView is how much compressed script the first view may load, in bytes.
const maxFirstView = 100 << 10

// TestFirstView adds up the scripts that the first view loads: those of the page, what they
// import at once, and the worker.
func TestFirstView(t *testing.T) {
	files := Files()
	read := func(name string) []byte {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var todo []string
	for _, m := range regexp.MustCompile(`(?:src|href)="/(assets/[^"]+\.js)"`).FindAllSubmatch(read("index.html"), -1) {
		todo = append(todo, string(m[1]))
	}
	workers, err := fs.Glob(files, "assets/worker-*.js")
	if err != nil || len(todo) == 0 || len(workers) == 0 {
		t.Fatalf("scripts %v, workers %v, %v", todo, workers, err)
	}
	todo = append(todo, workers...)
	imported := regexp.MustCompile(`(?:^|[;}])import(?:[^"'()]*from)?["']\./([^"']+\.js)["']`)
	total, seen := 0, map[string]bool{}
	for len(todo) > 0 {
		name := todo[0]
		if todo = todo[1:]; seen[name] {
			continue
		}
		seen[name] = true
		data := read(name)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		total += packed.Len()
		for _, m := range imported.FindAllSubmatch(data, -1) {
			todo = append(todo, path.Join("assets", string(m[1])))
		}
	}
	t.Logf("%d scripts with %d bytes", len(seen), total)
	if total > maxFirstView {
		t.Errorf("the first view loads %d bytes of compressed script, more than %d: %v", total, maxFirstView, seen)
	}
}
