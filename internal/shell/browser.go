package shell

import (
	"io"
	"os"
	"runtime"
)

// OpenBrowser has the user's web browser show a page, and doesn't wait for it.
// What the browser complains of goes to stderr. A nil getenv is os.Getenv.
func OpenBrowser(url string, getenv func(string) string, stderr io.Writer) error {
	if getenv == nil {
		getenv = os.Getenv
	}
	o := Outlet{Err: stderr, Background: true}
	return o.run(url, Browsers(getenv))
}

// Browsers returns the commands that OpenBrowser tries, in their order.
func Browsers(getenv func(string) string) []string { return pageViewers(runtime.GOOS, getenv) }

// pageViewers returns the programs to try for an address, best first. They are
// others than for files: an address has characters that cmd takes for its own,
// and xdg-open knows which browser the user wants.
func pageViewers(goos string, getenv func(string) string) []string {
	var programs []string
	if b := getenv("BROWSER"); b != "" {
		programs = append(programs, b)
	}
	switch goos {
	case "darwin":
		return append(programs, "/usr/bin/open")
	case "windows":
		return append(programs, "rundll32 url.dll,FileProtocolHandler")
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return programs // there is no screen to open a window on
	}
	return append(programs, "xdg-open", "sensible-browser", "firefox", "google-chrome", "chromium")
}
