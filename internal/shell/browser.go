package shell

import (
	"io"
	"os"
	"runtime"
)

// OpenBrowser opens a page in the user's web browser, and doesn't wait for it. Errors of the
// browser go to stderr. A nil getenv means os.Getenv.
func OpenBrowser(url string, getenv func(string) string, stderr io.Writer) error {
	if getenv == nil {
		getenv = os.Getenv
	}
	o := Outlet{Err: stderr, Background: true}
	return o.run(url, Browsers(getenv))
}

// Browsers returns the commands that OpenBrowser tries, in order.
func Browsers(getenv func(string) string) []string { return pageViewers(runtime.GOOS, getenv) }

// pageViewers returns the programs to try for an address, best first. They differ from those
// for files: Windows' cmd interprets some characters of addresses, and xdg-open knows the
// user's browser.
func pageViewers(goos string, getenv func(string) string) []string {
	programs := chosenBrowser(getenv)
	switch goos {
	case "darwin":
		return append(programs, "/usr/bin/open")
	case "windows":
		return append(programs, "rundll32 url.dll,FileProtocolHandler")
	}
	if !hasDisplay(getenv) {
		return programs // no display
	}
	return append(programs, "xdg-open", "sensible-browser", "firefox", "google-chrome", "chromium")
}
