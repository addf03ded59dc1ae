package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
)

// TestPage compares doc/rules.md with what the rules say of themselves.
func TestPage(t *testing.T) {
	const page = "../../../doc/rules.md"
	got := rulesPage()
	if *update {
		if err := os.WriteFile(page, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the rules say (%v): go test ./internal/advice/rules -update writes it", page, err)
	}
}

func rulesPage() []byte {
	var b bytes.Buffer
	b.WriteString(`# Rules

These are the patterns that [hone advise](advise.md) knows. Look up the rule of a finding here, or with ` + "`hone advise -explain RULE`" + `.

| class | the rewrite |
|---|---|
| A | never changes what the program does, only how fast it is and how much memory it uses |
| B | does the same as far as the rule can tell: review it. The finding says what to check |
| C | none: the rule is advice only |
| look | none: the finding has facts about a hot line, and promises no gain |

The table has the best class that a rule can reach. If its conditions for class A don't hold in your code, a finding is class B or C.

A rewrite of class A may change the spare capacity of a slice, which the language leaves open, unless the changed function itself depends on
it: by calling cap, by slicing beyond the length, or by appending twice to the same slice. The bytes that bytes.Buffer.Bytes returns stay
valid until the next write, as documented.

| rule | class | finds |
|---|---|---|
`)
	all := slices.SortedFunc(slices.Values(All()), func(a, b *advice.Rule) int { return cmp.Compare(a.ID, b.ID) })
	for _, r := range all {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, r.Class, strings.ReplaceAll(r.Title, "|", `\|`))
	}
	for _, r := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s", r.ID, r.Explanation())
	}
	return b.Bytes()
}

// TestCatalogue: what users see of a rule is complete, and no two have a name.
func TestCatalogue(t *testing.T) {
	seen := make(map[string]bool)
	classes := []advice.Class{advice.Safe, advice.Review, advice.AdviceOnly, advice.Look}
	for _, r := range All() {
		if seen[r.ID] || r.ID == "" || r.Title == "" || r.Doc == "" || !slices.Contains(classes, r.Class) {
			t.Errorf("%q: want an id of its own, a title, documentation and a class", r.ID)
		}
		seen[r.ID] = true
		if rewrites := r.Class == advice.Safe || r.Class == advice.Review; rewrites != (r.Conditions.Offered != "") || r.Class == advice.Review && r.Conditions.Review == "" {
			t.Errorf("%s, of class %s: want the conditions of its rewrite, and what is left to review", r.ID, r.Class)
		}
		if r.Rest != (r.Class == advice.Look) {
			t.Errorf("%s, of class %s: what no other rule reports is of class look, and nothing else", r.ID, r.Class)
		}
		if r.Class >= advice.AdviceOnly && r.Match != nil && !regexp.MustCompile(`gives advice|[Nn]o rewrite`).MatchString(strings.ReplaceAll(r.Doc, "\n", " ")) {
			t.Errorf("%s: want the reason why it has no rewrite: findings refer to it", r.ID)
		}
		if (r.Match == nil) == (r.Examine == nil) {
			t.Errorf("%s: want one of Match and Examine", r.ID)
		}
		if a := r.Analyzer; a != nil && (r.Match == nil || a.URL == "") {
			t.Errorf("%s: want a Match that takes over what analyzer %s reports, and its address", r.ID, a.Name)
		}
		for _, line := range strings.Split(r.Doc, "\n") {
			if strings.HasPrefix(line, "#") {
				t.Errorf("%s: its documentation has a heading", r.ID)
			}
		}
	}
}
