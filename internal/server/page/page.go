// Package page writes the pages that stand alone: logging in, and what went wrong.
// They need no script and no other file, so that they are there when nothing else is,
// and have the look of the web UI.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"net/http"
)

// style has colours of web/src/theme/theme.css, by the same names.
//
//go:embed page.css
var style string

// Policy returns the content security policy of these pages. It allows a page its own style
// and its own empty icon, for which browsers would otherwise ask the server, and forms to
// this server. Browsers apply form-action to where a form's answer leads as well, so what
// leads elsewhere has to be a link.
func Policy() string {
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", styleHash())
}

func styleHash() string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// mark is hone's own, as the web UI has it.
const mark = `<svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false"><rect class="mark-ground" width="32" height="32" rx="7"/><g class="mark-bars"><rect x="6" y="7" width="20" height="5" rx="1"/><rect x="6" y="13.5" width="14" height="5" rx="1"/><rect x="6" y="20" width="7" height="5" rx="1"/></g></svg>`

// Write answers with a page of a title, which is text, and a body, which is HTML: what
// the body has of others went through html.EscapeString. Nobody keeps the page.
//
// Package html/template would escape too, but a program with templates, which call methods
// by name, keeps every method of every type: hone would be a tenth larger.
func Write(w http.ResponseWriter, status int, title, body string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", Policy())
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// An error means that the client is gone.
	io.WriteString(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>`+html.EscapeString(title)+` – hone</title>
<link rel="icon" href="data:,">
<style>`+style+`</style>
</head>
<body>
<main>
`+mark+`
`+body+`</main>
</body>
</html>
`)
}

// WriteProblem answers with what went wrong, in words that say what to do, and a link
// to the start, called home; without it there is none.
func WriteProblem(w http.ResponseWriter, status int, message, home string) {
	title := title(status)
	body := "<h1>" + html.EscapeString(title) + "</h1>\n<p>" + html.EscapeString(message) + "</p>\n"
	if home != "" {
		body += `<p><a class="action" href="/">` + html.EscapeString(home) + "</a></p>"
	}
	Write(w, status, title, body+"\n")
}

func title(status int) string {
	switch status {
	case http.StatusNotFound:
		return "Not found"
	case http.StatusForbidden:
		return "Not allowed"
	case http.StatusUnauthorized:
		return "Not logged in"
	case http.StatusServiceUnavailable:
		return "The server is busy"
	case http.StatusInternalServerError:
		return "hone has a bug here"
	}
	return "Request failed"
}
