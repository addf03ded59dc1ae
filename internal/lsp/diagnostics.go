package lsp

import (
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/compare"
)

// rulesPage explains rules.
const rulesPage = "https://github.com/hone-go/hone/blob/main/doc/rules.md#"

// diagnosticOf is a finding as editors show it.
func (f *shown) diagnosticOf(doc *document, e encoding) diagnostic {
	severity := severityHint
	if f.Class != advice.AdviceOnly && f.Class != advice.Look {
		severity = severityInformation
	}
	lines := []string{compare.Printable(f.Title) + "."}
	for _, text := range append(f.Costs(), f.Why) {
		if text != "" {
			lines = append(lines, compare.Printable(text))
		}
	}
	return diagnostic{
		Range: doc.text.textRange(f.from, f.to, e), Severity: severity, Code: f.Rule, About: &link{rulesPage + f.Rule}, Source: "hone",
		Message: strings.Join(lines, "\n"),
	}
}

// diagnostics are the findings of a document.
func diagnostics(doc *document, found []shown, e encoding) publishParams {
	p := publishParams{doc.uri, doc.version, []diagnostic{}} // not null
	for i := range found {
		p.Diagnostics = append(p.Diagnostics, found[i].diagnosticOf(doc, e))
	}
	return p
}
