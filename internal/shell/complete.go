package shell

import (
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// completer completes lines of the shell.
type completer struct {
	profile   *profile.Profile
	types     []string
	shortcuts map[string][]string

	functions []string // sorted, without duplicates; made when first needed
}

// complete is a completeFunc. The first word is completed to a command, an
// option or a sample type, by its beginning; the words after a command, and the
// value of an option that matches frames, to function names that contain them.
func (c *completer) complete(line string, pos int) (newLine string, newPos int, candidates []string, ok bool) {
	head, tail := line[:pos], line[pos:]
	start := strings.LastIndexAny(head, " \t") + 1
	word := head[start:]
	before := strings.Fields(head[:start])

	var done string // what replaces word
	switch {
	case len(before) == 0 && strings.Contains(word, "="):
		name, value, _ := strings.Cut(word, "=")
		done, candidates = c.value(name, value)
		done = name + "=" + done
	case len(before) == 0:
		done, candidates = completePrefix(strings.ToLower(word), c.firstWords())
	case before[0] == "help" && len(before) == 1:
		done, candidates = completePrefix(strings.ToLower(word), helpWords())
	case takesFunctions(before[0]):
		sign := ""
		if strings.HasPrefix(word, "-") {
			sign, word = "-", word[1:]
		}
		done, candidates = c.function(word)
		done = sign + done
	default:
		return "", 0, nil, false
	}
	if len(candidates) == 0 {
		return "", 0, nil, false
	}
	head = head[:start] + done
	return head + tail, len(head), candidates, true
}

// takesFunctions reports whether the words after the named command match frames.
func takesFunctions(command string) bool {
	command = strings.TrimRight(command, "0123456789")
	return command != "tags" && lookupCommand(command) != nil
}

func (c *completer) firstWords() []string {
	words := append(helpWords(), "help", "options", "quit", "exit")
	for name := range c.shortcuts {
		words = append(words, name)
	}
	return sorted(words)
}

// helpWords returns the names of commands, variables and choices.
func helpWords() []string {
	words := Commands()
	for i := range variables {
		words = append(words, variables[i].name)
		words = append(words, variables[i].choiceNames()...)
	}
	return sorted(words)
}

// value completes the value of an option.
func (c *completer) value(name, value string) (done string, candidates []string) {
	v, isChoice, ok := lookupVariable(name)
	switch {
	case !ok || isChoice:
		return "", nil
	case len(v.choices) > 0:
		return completePrefix(value, v.choiceNames())
	case name == "sample_index":
		return completePrefix(value, sorted(slices.Clone(c.types)))
	case v.frames:
		return c.function(value)
	}
	return "", nil
}

// completePrefix extends word by the common prefix of all names that begin with it.
func completePrefix(word string, names []string) (done string, candidates []string) {
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			candidates = append(candidates, name)
		}
	}
	if len(candidates) == 0 {
		return word, nil
	}
	return word + commonPrefix(candidates, len(word)), candidates
}

// function extends word, in both directions, by the common text of all names of functions
// that contain it. It returns a regular expression: brackets and stars of a name such as
// main.(*T).Run are escaped, and blanks, which would end the word, become dots.
func (c *completer) function(word string) (done string, candidates []string) {
	if c.functions == nil {
		c.functions = functionNames(c.profile)
	}
	word = strings.ReplaceAll(word, `\`, "")
	var before, after []string
	for _, name := range c.functions {
		if i := indexFunction(name, word); i >= 0 {
			candidates = append(candidates, name)
			before = append(before, name[:i])
			after = append(after, name[i+len(word):])
		}
	}
	if len(candidates) == 0 {
		return "", nil
	}
	name := candidates[0]
	if len(candidates) > 1 {
		name = commonSuffix(before) + word + commonPrefix(after, 0)
	}
	return escapeFunction(name), candidates
}

// indexFunction returns where name contains word, whose dots also match blanks.
func indexFunction(name, word string) int {
	if i := strings.Index(name, word); i >= 0 {
		return i
	}
	return strings.Index(strings.ReplaceAll(name, " ", "."), word)
}

// escapeFunction turns a name into a regular expression. It doesn't escape dots: they match
// themselves, and names are easier to read.
func escapeFunction(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == ' ':
			r = '.'
		case strings.ContainsRune(`\*+?()|[]{}^$`, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func functionNames(p *profile.Profile) []string {
	names := make([]string, 0, len(p.Functions))
	for f := range p.Functions {
		if name := p.FunctionName(uint32(f)); name != "" {
			names = append(names, name)
		}
	}
	return sorted(names)
}

// sorted sorts names in place and drops duplicates.
func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// commonPrefix returns the longest common text after the first skip bytes of all names.
func commonPrefix(names []string, skip int) string {
	common := names[0][skip:]
	for _, name := range names[1:] {
		name = name[skip:]
		n := 0
		for n < len(common) && n < len(name) && common[n] == name[n] {
			n++
		}
		common = common[:n]
	}
	return common
}

// commonSuffix returns the longest common end of all names.
func commonSuffix(names []string) string {
	common := names[0]
	for _, name := range names[1:] {
		n := 0
		for n < len(common) && n < len(name) && common[len(common)-1-n] == name[len(name)-1-n] {
			n++
		}
		common = common[len(common)-n:]
	}
	return common
}
