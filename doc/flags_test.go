package doc_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

var (
	// A command of hone in a block or in inline code, up to what a shell makes the end of it.
	honeCommand = regexp.MustCompile("(?:^|[\\s`(])hone ([a-z0-9]+)((?: +(?:'[^']*'|\"[^\"]*\"|[^\\s`'\"|&;>#()…]+))*)")
	honeFlag    = regexp.MustCompile(`(?:^| )--?([a-z][\w-]*)`)
	quotedWord  = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

// TestFlags looks up the flags that pages use in the help of their verbs.
func TestFlags(t *testing.T) {
	hone := honeBinary(t)
	help := func(verb string) func() string {
		return sync.OnceValue(func() string {
			out, err := exec.Command(hone, "help", verb).CombinedOutput()
			if err != nil {
				return "" // "hone knows" in a sentence
			}
			return string(out)
		})
	}
	helps, checked := map[string]func() string{"pprof": help("pprof")}, 0
	for _, page := range markdown(t) {
		text := strings.ReplaceAll(read(t, page), "\\\n", "  ")
		for _, at := range honeCommand.FindAllStringSubmatchIndex(text, -1) {
			verb, args := text[at[2]:at[3]], quotedWord.ReplaceAllString(text[at[4]:at[5]], "x")
			flags := honeFlag.FindAllStringSubmatch(args, -1)
			if len(flags) == 0 {
				continue
			}
			if helps[verb] == nil {
				helps[verb] = help(verb)
			}
			told := helps[verb]()
			if told == "" {
				continue
			}
			if strings.Contains(told, "hone help pprof") {
				told += helps["pprof"]()
			}
			for _, flag := range flags {
				checked++
				if !regexp.MustCompile(`(?m)(?:^|[ \[(|,])-` + regexp.QuoteMeta(flag[1]) + `\b`).MatchString(told) {
					t.Errorf("%s:%d: hone %s has no flag -%s", filepath.ToSlash(page), 1+strings.Count(text[:at[0]], "\n"), verb, flag[1])
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d flags", checked)
	}
}

// TestVerbs checks that the page of all verbs has each.
func TestVerbs(t *testing.T) {
	all, err := exec.Command(honeBinary(t), "help", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, "reference/verbs.md")
	verbs := regexp.MustCompile(`(?m)^  ([a-z]+) +[a-z]`).FindAllStringSubmatch(string(all), -1)
	count := 0
	for _, m := range verbs {
		if m[1] == "hone" {
			continue // an example
		}
		count++
		if !strings.Contains(page, "`hone "+m[1]+"`") {
			t.Errorf("reference/verbs.md doesn't have hone %s", m[1])
		}
	}
	if count < 40 {
		t.Errorf("hone help all has only %d verbs", count)
	}
}
