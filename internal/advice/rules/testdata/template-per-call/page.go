package page

import (
	"fmt"
	html "html/template"
	"io"
	"text/template"
)

const layout = `<p>{{.}}</p>`

// greet writes a greeting.
func greet(w io.Writer, name string) error {
	// want B: (*template.Template).Parse
	t, err := template.New("greet").Parse(`Hello, {{.}}!`) // hot: text/template.(*Template).Parse text/template/parse.Parse
	if err != nil {
		return fmt.Errorf("greet: %w", err)
	}
	return t.Execute(w, name)
}

func page(w io.Writer, name string) error {
	// want B: (*template.Template).Parse
	return html.Must(html.New("page").Parse(layout)).Execute(w, name) // hot: html/template.(*Template).Parse
}

func option(w io.Writer, values map[string]int) {
	// want B: the same text
	t := template.Must(template.New("").Option("missingkey=zero").Parse("{{len .}} of {{.x | printf `%d`}}")) // hot: text/template.(*Template).Parse
	_ = t.ExecuteTemplate(w, "", values)
}

func funcs(w io.Writer, name string) error {
	// want C: the same text
	t, err := template.New("x").Funcs(template.FuncMap{"x": func() string { return name }}).Parse("{{x}}") // hot: text/template.(*Template).Parse
	if err != nil {
		return err
	}
	return t.Execute(w, nil)
}

func handed() (*template.Template, error) {
	// want C: the same text
	return template.New("x").Parse("{{.}}") // hot: text/template.(*Template).Parse
}

func changed(w io.Writer) {
	// want C: the same text
	t := template.Must(template.New("x").Parse("{{.}}")) // hot: text/template.(*Template).Parse
	t.Delims("<", ">")
	_ = t.Execute(w, 1)
}

func files(w io.Writer, text string) error {
	// want C: reads and parses files
	t, err := html.ParseFiles("page.html") // hot: html/template.ParseFiles
	if err != nil {
		return err
	}
	// want C: parses a text that is built at run time
	if _, err := t.Parse(text); err != nil { // hot: html/template.(*Template).Parse
		return err
	}
	return t.Execute(w, nil)
}

func mistaken(w io.Writer) error {
	// want C: the same text
	return template.Must(template.New("x").Option("missing").Parse("{{.}}")).Execute(w, 1) // hot: text/template.(*Template).Parse
}
