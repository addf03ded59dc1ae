package regexpcode

import (
	"fmt"
	"go/format"
	"strings"
)

// TestOptions say what a test compares, and how it calls what it declares.
type TestOptions struct {
	Options
	Package string // of the function and the pattern
	Build   string // a build constraint, such as "//go:build linux"; "" if there is none
	Texts   string // a variable
	Fuzz    string // a fuzz target
	Compare string // a function
}

// TestFile returns a test file that compares a generated function with its pattern, on texts of the
// pattern, on random changes of them, and by fuzzing. It needs Go 1.18.
func TestFile(pattern string, o TestOptions) (string, error) {
	m := methods[o.Method]
	var b strings.Builder
	if o.Build != "" {
		fmt.Fprintf(&b, "%s\n\n", o.Build)
	}
	unequal, imports := "!reflect.DeepEqual(got, want)", "\"math/rand\"\n\"reflect\"\n\"testing\"\n"
	if m.want == wantMatch || m.want == wantReplace || m.want == wantText && !m.bytesText {
		unequal, imports = "got != want", "\"math/rand\"\n\"testing\"\n"
	}
	arg, methodArg := m.arguments("text")
	fmt.Fprintf(&b, "package %s\n\nimport (\n%s)\n\n", o.Package, imports)
	fmt.Fprintf(&b, "// %s are texts that %s matches, and texts that it almost matches.\nvar %s = []string{\n", o.Texts, o.Pattern, o.Texts)
	for _, text := range Texts(pattern) {
		fmt.Fprintf(&b, "%q,\n", text)
	}
	b.WriteString("}\n\n")
	fmt.Fprintf(&b, `// %[1]s compares %[2]s with its pattern, on texts of the pattern and on random changes of them.
func %[1]s(t *testing.T) {
	for _, text := range %[3]s {
		%[4]s(t, text)
	}
	random := rand.New(rand.NewSource(1))
	for n := 0; n < 20000; n++ {
		text := %[3]s[random.Intn(len(%[3]s))]
		for changes := random.Intn(3); changes >= 0; changes-- {
			other := %[3]s[random.Intn(len(%[3]s))]
			i, j := random.Intn(len(text)+1), random.Intn(len(other)+1)
			switch random.Intn(4) {
			case 0: // the beginning of one and the end of another
				text = text[:i] + other[j:]
			case 1: // one inside of another
				text = text[:i] + other + text[i:]
			case 2: // a byte more, perhaps invalid
				text = text[:i] + string([]byte{byte(random.Intn(256))}) + text[i:]
			case 3: // a byte less
				if i < len(text) {
					text = text[:i] + text[i+1:]
				}
			}
		}
		%[4]s(t, text)
	}
}

// %[5]s looks for a text about which %[2]s and its pattern differ.
func %[5]s(f *testing.F) {
	for _, text := range %[3]s {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { %[4]s(t, text) })
}

func %[4]s(t *testing.T, text string) {
	t.Helper()
	got, want := %[2]s(%[6]s), %[7]s.%[8]s(%[10]s)
	if %[9]s {
		t.Fatalf("%[2]s(%%q) is %%#v; %[7]s.%[8]s returns %%#v", text, got, want)
	}
}
`, o.Test, o.Name, o.Texts, o.Compare, o.Fuzz, arg, o.Pattern, o.Method, unequal, methodArg)
	text, err := format.Source([]byte(b.String()))
	return string(text), err
}
