package doc_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestChinese holds the Chinese pages to the English ones: the same headings in number, level and
// order, the same blocks of code except for their comments, and the same links.
func TestChinese(t *testing.T) {
	for english, chinese := range map[string]string{
		"../README.md":   "../README.zh.md",
		"quick-start.md": "zh/quick-start.md",
	} {
		en, zh := outline(t, english), outline(t, chinese)
		for i := range max(len(en), len(zh)) {
			var e, z part
			if i < len(en) {
				e = en[i]
			}
			if i < len(zh) {
				z = zh[i]
			}
			if e.what != z.what {
				t.Errorf("part %d differs: %s has\n%s\n%s has\n%s", i+1, english, e.what, chinese, z.what)
				break
			}
			if e.title != "" && !strings.ContainsFunc(z.title, han) && e.title != z.title {
				t.Errorf("%s: the heading %q of %q is not in Chinese", chinese, z.title, e.title)
			}
		}
		if en, zh := targets(t, english, chinese), targets(t, chinese, english); !slices.Equal(en, zh) {
			t.Errorf("links of %s are\n%q\nthose of %s are\n%q", english, en, chinese, zh)
		}
	}
}

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

// A part of a page: a heading, with its level, or a block of code.
type part struct {
	what  string // the same in both languages
	title string
}

var (
	aPart       = regexp.MustCompile("(?ms)^(#+) ([^\n]+)$|^(?:<!-- [^\n]* -->\n)?```.*?^```$")
	codeComment = regexp.MustCompile(`(?m)(^|[ \t]+)(?:#|//) .*$`)
)

func outline(t *testing.T, page string) (parts []part) {
	t.Helper()
	for _, m := range aPart.FindAllStringSubmatch(read(t, page), -1) {
		if m[1] != "" {
			parts = append(parts, part{m[1], m[2]})
		} else {
			parts = append(parts, part{what: codeComment.ReplaceAllString(m[0], "")})
		}
	}
	return parts
}

// targets returns the files and headings that the links of a page lead to, except for the page in the other language. They are sorted,
// because sentences have another order in each language.
func targets(t *testing.T, page, other string) (files []string) {
	t.Helper()
	for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
		file := m[1]
		if !strings.Contains(file, "://") {
			file = filepath.ToSlash(filepath.Join(filepath.Dir(page), file))
			if file == filepath.ToSlash(filepath.Clean(other)) {
				continue
			}
			// Links lead to the page in the reader's language.
			file = strings.Replace(file, "zh/quick-start.md", "quick-start.md", 1)
		}
		files = append(files, file)
	}
	slices.Sort(files)
	return files
}
