package doc_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
)

// TestLinks follows the links between the pages of the repository, to the heading.
func TestLinks(t *testing.T) {
	count := 0
	for _, page := range markdown(t) {
		text := inline.ReplaceAllStringFunc(fence.ReplaceAllStringFunc(read(t, page), blank), blank)
		for _, at := range link.FindAllStringSubmatchIndex(text, -1) {
			to, line := text[at[2]:at[3]], 1+strings.Count(text[:at[0]], "\n")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			count++
			if err := resolve(page, to); err != nil {
				t.Errorf("%s:%d: %s: %v", page, line, to, err)
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d links", count)
	}
}

// TestPictures: each picture is in a page. web/e2e/screenshots.mjs makes them.
func TestPictures(t *testing.T) {
	pictures, err := filepath.Glob("img/*/*")
	if err != nil || len(pictures) == 0 {
		t.Fatalf("no pictures: %v", err)
	}
	linked := map[string]bool{}
	for _, page := range markdown(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			linked[filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))] = true
		}
	}
	for _, p := range pictures {
		if !linked[filepath.Join(root, "doc", p)] {
			t.Errorf("no page has the picture %s", p)
		}
	}
}

func resolve(page, to string) error {
	name, anchor, _ := strings.Cut(to, "#")
	name, err := url.PathUnescape(name)
	if err != nil {
		return err
	}
	file := page
	if name != "" {
		file = filepath.Join(filepath.Dir(page), filepath.FromSlash(name))
	}
	if anchor == "" {
		_, err := os.Stat(file)
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !anchors(string(text))[anchor] {
		return fmt.Errorf("no such heading in %s", file)
	}
	return nil
}

// anchors returns the names that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	names := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllStringFunc(page, blank), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(m[1]))
		for n, base := 1, name; names[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		names[name] = true
	}
	return names
}

// TestAnchors shows what anchors finds.
func TestAnchors(t *testing.T) {
	got := anchors("# A gate for CI\n## `hone bench`, again\n```\n# not this\n```\n## The ± value\n## load.json\n## load.json\n")
	for _, want := range []string{"a-gate-for-ci", "hone-bench-again", "the--value", "loadjson", "loadjson-1"} {
		if !got[want] {
			t.Errorf("no %s in %v", want, got)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d anchors: %v", len(got), got)
	}
}
