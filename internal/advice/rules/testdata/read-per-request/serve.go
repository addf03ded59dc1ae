package serve

import (
	"embed"
	"net/http"
	"os"
	"path/filepath"
)

var files embed.FS

func handle(w http.ResponseWriter, r *http.Request) {
	// want C: reads "page.html" each time
	page, err := os.ReadFile("page.html") // hot: os.ReadFile syscall.Open
	if err != nil {
		return
	}
	// want C: copies data that is embedded in the program
	part, _ := files.ReadFile("serve.go") // hot: embed.FS.ReadFile
	w.Write(append(page, part...))
}

func texts(dir string) (all []string, err error) {
	// want C: filepath.Glob accesses the file system each time this runs
	names, err := filepath.Glob(filepath.Join(dir, "*.txt")) // hot: path/filepath.Glob os.ReadDir
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		// want C: os.ReadFile accesses the file system each time this runs
		b, err := os.ReadFile(name) // hot: os.ReadFile
		if err != nil {
			return nil, err
		}
		all = append(all, string(b))
	}
	return all, nil
}
