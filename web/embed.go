// Package web holds hone's web UI, built: see README.md for its sources.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the built UI: index.html, icon.svg and assets, whose names
// have their content's hash in them.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}
