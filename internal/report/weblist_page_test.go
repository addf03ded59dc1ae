package report

import (
	"strings"
	"testing"
)

// What a profile or a source file says is text on the page, whatever is in it.
func TestWebListEscapes(t *testing.T) {
	const bad = `<script>"x" & 'y'</script>`
	const good = `&lt;script&gt;&#34;x&#34; &amp; &#39;y&#39;&lt;/script&gt;`
	q := Quantity{Value: 1, Text: bad, Percent: 12}
	l := &WebListing{
		About: About{Header: []string{bad}, Total: q},
		Title: bad,
		Funcs: []WebFunction{{Name: bad, File: bad, Flat: q, Cum: q, SourceFile: SourceFile{Err: bad}, Lines: []WebLine{
			{SourceLine: SourceLine{Line: 7, Text: bad, Flat: q, Cum: q}},
			{SourceLine: SourceLine{Line: 8, Text: bad}, Insts: []WebInst{{Addr: 255, Text: bad, Calls: []string{bad, "b.go:2"}, Flat: q, Cum: q}}},
		}}},
	}
	var b strings.Builder
	if err := l.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Contains(page, "<script") {
		t.Error("a script came through")
	}
	// Title, heading, header, total, name, file, its two values, error; a line with text and two values; a line
	// with text; an instruction with text, call and two values.
	if n := strings.Count(page, good); n != 17 {
		t.Errorf("%d texts on the page, want 17:\n%s", n, page)
	}
	for _, want := range []string{
		`<span class="line h3">`, `<summary class="h0">`, `<span class="n">7</span>`, `    ff: `, `(12.00%)`, ` › b.go:2</span>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
