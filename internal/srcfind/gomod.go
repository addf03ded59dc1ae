package srcfind

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// modFile is the part of a go.mod or go.work file that says where source is.
type modFile struct {
	module   string            // module path, "" in a go.work
	requires map[string]string // module path to version
	replaces map[string]target // "path" or "path@version" to its replacement
	uses     []string          // directories named by go.work
}

// target is the right side of a replace: a directory, or a module version.
type target struct {
	dir           string // absolute
	path, version string
}

// maxModFile is how large a go.mod, go.work or modules.txt may be: the largest known have 1 MB.
const maxModFile = 16 << 20

// readModFile reads name; directories in it are relative to its own. Lines it
// does not understand are skipped: the go command is who complains about them.
func readModFile(name string) (*modFile, error) {
	data, err := infile.ReadFile(context.Background(), name, maxModFile)
	if err != nil {
		return nil, err
	}
	return parseModFile(data, filepath.Dir(name)), nil
}

// ModulePath returns the path of a module by the text of its go.mod; "" if that names none.
func ModulePath(text []byte) string { return parseModFile(text, "").module }

func parseModFile(data []byte, base string) *modFile {
	m := &modFile{requires: map[string]string{}, replaces: map[string]target{}}
	block := ""
	for line := range strings.Lines(string(data)) {
		words := modWords(line)
		switch {
		case len(words) == 0:
			continue
		case block != "" && words[0] == ")":
			block = ""
			continue
		case block == "" && len(words) == 2 && words[1] == "(":
			block = words[0]
			continue
		}
		verb := block
		if verb == "" {
			verb, words = words[0], words[1:]
		}
		m.add(base, verb, words)
	}
	return m
}

func (m *modFile) add(base, verb string, words []string) {
	switch {
	case verb == "module" && len(words) == 1:
		m.module = words[0]
	case verb == "require" && len(words) == 2:
		m.requires[words[0]] = words[1]
	case verb == "use" && len(words) == 1:
		m.uses = append(m.uses, absFrom(base, words[0]))
	case verb == "replace":
		left, right, ok := cutWords(words, "=>")
		if !ok || len(left) == 0 || len(left) > 2 {
			return
		}
		key := strings.Join(left, "@")
		switch len(right) {
		case 1:
			m.replaces[key] = target{dir: absFrom(base, right[0])}
		case 2:
			m.replaces[key] = target{path: right[0], version: right[1]}
		}
	}
}

// modWords splits a line of a go.mod into words, without its comment.
func modWords(line string) []string {
	var words []string
	for {
		line = strings.TrimLeft(line, " \t\r\n")
		if line == "" || strings.HasPrefix(line, "//") {
			return words
		}
		if line[0] == '"' || line[0] == '`' {
			if q, err := strconv.QuotedPrefix(line); err == nil {
				w, _ := strconv.Unquote(q)
				words, line = append(words, w), line[len(q):]
				continue
			}
		}
		end := strings.IndexAny(line, " \t\r\n")
		if end < 0 {
			end = len(line)
		}
		words, line = append(words, line[:end]), line[end:]
	}
}

func cutWords(words []string, sep string) (left, right []string, ok bool) {
	for i, w := range words {
		if w == sep {
			return words[:i], words[i+1:], true
		}
	}
	return words, nil, false
}

func absFrom(base, dir string) string {
	dir = filepath.FromSlash(dir)
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(base, dir)
}

// readVendored maps "module@version" to the module's directory below vendor,
// from vendor/modules.txt. A replaced module is there under both its names.
//
//	# example.com/a v1.2.3
//	# example.com/b v1.0.0 => example.com/c v1.1.0
//	# example.com/d v1.0.0 => ../d
func readVendored(vendor string) map[string]string {
	data, err := infile.ReadFile(context.Background(), filepath.Join(vendor, "modules.txt"), maxModFile)
	if err != nil {
		return nil
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "#" {
			continue
		}
		left, right, _ := cutWords(words[1:], "=>")
		if len(left) == 2 {
			dirs[left[0]+"@"+left[1]] = left[0]
			if len(right) == 2 {
				dirs[right[0]+"@"+right[1]] = left[0]
			}
		}
	}
	return dirs
}

// escapeModule writes a module path or version as the module cache does:
// an upper-case letter becomes "!" and its lower case.
func escapeModule(s string) string {
	if strings.IndexFunc(s, isUpper) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isUpper(r) {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unescapeModule is the inverse of escapeModule; it leaves what is not escaped.
func unescapeModule(s string) string {
	if !strings.Contains(s, "!") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '!' && i+1 < len(s) && 'a' <= s[i+1] && s[i+1] <= 'z' {
			i++
			b.WriteByte(s[i] - ('a' - 'A'))
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }
