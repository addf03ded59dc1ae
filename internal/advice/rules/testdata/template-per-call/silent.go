package silent

import (
	"io"
	"sync"
	"text/template"
)

var (
	greeting = template.Must(template.New("").Parse("Hello!")) // hot: text/template.(*Template).Parse

	lazy = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Parse("Hello!")) // hot: text/template.(*Template).Parse
	})
)

type parser struct{}

func (parser) Parse(text string) error { return nil }

func run(w io.Writer) error {
	if err := (parser{}).Parse("x"); err != nil { // hot: text/template.(*Template).Parse
		return err
	}
	if err := lazy().Execute(w, nil); err != nil { // hot: text/template.(*Template).Execute
		return err
	}
	return greeting.Execute(w, nil) // hot: text/template.(*Template).Execute
}
