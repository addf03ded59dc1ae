// Package web holds hone's web UI, built: see README.md for its sources.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the built UI: index.html, icon.svg and assets, whose names
// have their content's hash in them. page has the parts of [FlamePage].
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}

// FlamePage returns the script and the style of a flame graph that is a page of
// its own. The script expects an element with the id app, to fill, and one with
// the id data, whose text is what package report describes.
func FlamePage() (script, style string) {
	read := func(name string) string {
		text, err := dist.ReadFile("dist/page/" + name)
		if err != nil {
			panic(err) // it is built along with the rest
		}
		return string(text)
	}
	return read("flame.js"), read("flame.css")
}
