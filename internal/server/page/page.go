// Package page writes the pages that stand alone: logging in, and what went wrong.
// They need no script and no other file, so that they are there when nothing else is,
// and have the look of the web UI.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
)

// style has colours of web/src/theme/theme.css, by the same names.
//
//go:embed page.css
var style string

//go:embed page.html
var frame string

// Policy is the content security policy of these pages. It allows a page its own style
// and its own empty icon, for which browsers would otherwise ask the server, and forms to
// this server. Browsers apply form-action to where a form's answer leads as well, so what
// leads elsewhere has to be a link.
var Policy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", styleHash())

func styleHash() string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// A Page is a kind of page: what stands in the frame that all have in common.
type Page struct{ whole *template.Template }

// New returns a page of a title, which is text, and a body, which is a template of
// package html/template.
func New(title, body string) *Page {
	t := template.Must(template.New("frame").Funcs(template.FuncMap{"style": func() template.CSS { return template.CSS(style) }}).Parse(frame))
	template.Must(t.New("title").Parse(title))
	template.Must(t.New("body").Parse(body))
	return &Page{t}
}

// Write answers with the page. Nobody keeps it.
func (p *Page) Write(w http.ResponseWriter, status int, data any) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	p.whole.Execute(w, data) // an error means that the client is gone
}

// problem is the page of an error.
var problem = New("{{.Title}}", `<h1>{{.Title}}</h1>
<p>{{.Message}}</p>
{{with .Home}}<p><a class="action" href="/">{{.}}</a></p>{{end}}
`)

// WriteProblem answers with what went wrong, in words that say what to do, and a link
// to the start, called home; without it there is none.
func WriteProblem(w http.ResponseWriter, status int, message, home string) {
	problem.Write(w, status, struct{ Title, Message, Home string }{title(status), message, home})
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
		return "Too busy just now"
	case http.StatusInternalServerError:
		return "hone has a bug here"
	}
	return "That did not work"
}
