package main

import (
	"context"
	"html/template"
	"io"
	"regexp"
)

var page = template.Must(template.New("page").Funcs(template.FuncMap{"mask": mask}).Parse(`<html>
{{define "row"}}<tr id="r{{.ID}}"><td>{{.Name | mask}}</td>{{range .Tags}}<td><a href="/tag?q={{.}}">{{.}}</a></td>{{end}}</tr>{{end}}
<table>{{range .}}{{template "row" .}}{{else}}none{{end}}</table>
<script>var rows = {{.}};</script></html>`))

var digits = regexp.MustCompile(`(\d{2,4})[- ](\d+)|([a-z]+)@([a-z.]+)`)

func mask(s string) string { return digits.ReplaceAllString(s, "$1-xx$3") }

type tableRow struct {
	ID   int
	Name string
	Tags []string
}

// templates renders pages: reflection, regular expressions and long stacks.
func templates(ctx context.Context) error {
	rows := make([]tableRow, 50)
	for i := range rows {
		rows[i] = tableRow{i, "call 555 1234 or <mail> someone@example.com", []string{"a&b", "c d", "é"}}
	}
	for ctx.Err() == nil {
		if err := page.Execute(io.Discard, rows); err != nil {
			return err
		}
	}
	return nil
}
