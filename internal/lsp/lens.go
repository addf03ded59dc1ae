package lsp

import "path/filepath"

// commandOpen shows a function in a browser, commandAdvise gives advice on a package.
const (
	commandOpen   = "hone.open"
	commandAdvise = "hone.advise"
)

// An openArgument says what commandOpen shows.
type openArgument struct {
	URI      string `json:"uri"`     // of a file of the module
	Profile  string `json:"profile"` // ID
	Function string `json:"function"`
}

// lenses are those of functions that take at least a share of some profile.
func (v *view) lenses(e encoding, least float64) []codeLens {
	lenses := []codeLens{} // not null
	for _, f := range v.functions() {
		best, others := v.measured.most(f.measured.costs, least)
		if len(best) == 0 {
			continue
		}
		title := v.measured.costText(best, others) + " · " + v.measured.label()
		if f.edited {
			title += " · " + beforeEdits
		}
		open := openArgument{v.doc.uri, v.measured.Profiles[best[0].profile].ID, f.measured.name}
		lenses = append(lenses, codeLens{v.doc.text.textRange(f.from, f.from, e), command{title, commandOpen, []any{open}}})
	}
	return lenses
}

// adviseCommand asks for advice on the package of a file.
func adviseCommand(doc *document) command {
	return command{"hone: advise this package (" + clean(filepath.Base(filepath.Dir(doc.path))) + ")", commandAdvise, []any{textDocument{doc.uri}}}
}
