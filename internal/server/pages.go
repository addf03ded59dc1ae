package server

import (
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/server/page"
)

// viewNames are the paths that show the page; the page knows what each shows.
var viewNames = []string{"flame", "top", "sandwich", "graph", "source", "disasm", "peek", "traces", "tags", "raw", "diff", "advice"}

// runPages are the paths of the pages of kept runs.
var runPages = []string{"runs", "run", "compare", "trend"}

// storePages are the paths of the pages of the store, and of views of its
// selections alone.
var storePages = []string{"services", "regressions", "status", "history", "endpoints", "growth", "records"}

// Views returns the names of the views, which are paths of the page.
func Views() []string { return slices.Clone(viewNames) }

// pages serves the built web UI from memory.
type pages struct {
	files map[string]*Answer // by path without the leading slash
}

func newPages(files fs.FS) (*pages, error) {
	p := &pages{files: map[string]*Answer{}}
	if files == nil {
		return p, nil
	}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		p.files[name] = NewAnswer(typeByName(name), body)
		return nil
	})
	if err == nil && p.files["index.html"] == nil {
		err = errors.New("index.html is missing")
	}
	return p, err
}

// typeByName doesn't ask the system, whose answers differ: a script that is
// served as text does not run.
func typeByName(name string) string {
	switch ext := path.Ext(name); ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json", ".map":
		return TypeJSON
	case ".webmanifest":
		return "application/manifest+json"
	case ".woff2":
		return "font/woff2"
	case ".png":
		return "image/png"
	case ".wasm":
		return "application/wasm"
	default:
		if t := mime.TypeByExtension(ext); t != "" {
			return t
		}
	}
	return "application/octet-stream"
}

// immutable is for files whose name has their content's hash in it.
const immutable = "public, max-age=31536000, immutable"

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writeError(w, r, &Error{Status: http.StatusMethodNotAllowed, Err: errors.New("this path is a page: use GET or HEAD")})
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || slices.Contains(viewNames, name) || slices.Contains(runPages, name) || slices.Contains(storePages, name) {
		name = "index.html"
	}
	a := p.files[name]
	if a == nil {
		page.WriteProblem(w, http.StatusNotFound, "There is no page "+r.URL.Path+".", "Go to the home page")
		return
	}
	caching := "no-cache"
	if strings.HasPrefix(name, "assets/") {
		caching = immutable
	}
	a.Write(w, r, http.StatusOK, caching)
}
