package escape

import (
	"io"
	"strings"
)

const quote = `"`

func escape(s string) string {
	// want B: the same constants
	return strings.NewReplacer("<", "&lt;", quote, "&quot;").Replace(s) // hot: strings.NewReplacer
}

type writer struct{ w io.Writer }

// Write escapes.
func (w *writer) Write(s string) error {
	// want B: the same constants
	r := strings.NewReplacer(
		"\n", `\n`,
		"\t", `\t`, // a tab
	)
	_, err := r.WriteString(w.w, s) // hot: strings.(*Replacer).WriteString strings.(*Replacer).buildOnce
	return err
}

func allocated(lines []string) {
	for i := range lines {
		// want B: the same constants
		r := strings.NewReplacer("a", "b") // alloc
		lines[i] = r.Replace(lines[i])     // hot: strings.(*Replacer).buildOnce
	}
}
