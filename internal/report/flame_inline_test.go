package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestFlameInline checks that the picture asks nothing of a page's policy, is
// well-formed, and shows names as text.
func TestFlameInline(t *testing.T) {
	p, err := profile.ParseFolded(strings.NewReader(`main;<script>alert(1)</script>;x" onload="alert(2) 30
main;</svg><style>*{}</style>;id="frames" 20
main;b & c 10
`), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := profile.NewTree(p, profile.TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := FlameInline(&b, tree, FlameOptions{Title: "</svg><b>"}); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	dec := xml.NewDecoder(&b)
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.ProcInst, xml.Directive:
			t.Errorf("%v does not belong into a page", e)
		case xml.StartElement:
			switch e.Name.Local {
			case "svg", "rect", "text", "g", "title":
			default:
				t.Errorf("element %s", e.Name.Local)
			}
			for _, a := range e.Attr {
				switch name := a.Name.Local; {
				case name == "id", name == "style", name == "class", strings.HasPrefix(name, "on"), strings.Contains(name, "href"):
					t.Errorf("attribute %s=%q of %s", name, a.Value, e.Name.Local)
				}
			}
		case xml.CharData:
			text.Write(e)
		}
	}
	for _, want := range []string{"<script>alert(1)</script>", `x" onload="alert(2)`, "</svg><style>", `id="frames"`, "b & c", "</svg><b>"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not shown", want)
		}
	}
}
