package template

import "strings"

// Parse compiles a text. Name is what errors call it: a file, a flag. Feed has the
// columns it may use; it may be nil.
func Parse(name, text string, feed *Feed) (*Template, error) {
	t := &Template{text: text}
	rest := position{name, text, 0}
	for rest.at < len(text) {
		before, _, found := strings.Cut(text[rest.at:], "{{")
		t.literal(before)
		rest.at += len(before)
		if !found {
			break
		}
		end, err := t.action(rest, feed)
		if err != nil {
			return nil, err
		}
		rest.at = end
	}
	return t, nil
}

// action compiles what stands between braces and returns where it ends.
func (t *Template) action(open position, feed *Feed) (end int, err error) {
	words, end, err := words(open)
	if err != nil {
		return 0, err
	}
	name, args := words[0], words[1:]
	if name.quoted {
		if len(args) > 0 {
			return 0, args[0].errorf("unexpected argument after a text")
		}
		t.literal(name.text)
		return end, nil
	}
	if field, ok := strings.CutPrefix(name.text, "row."); ok {
		if len(args) > 0 {
			return 0, args[0].errorf("unexpected argument after a column")
		}
		i, err := feed.column(field)
		if err != nil {
			return 0, name.errorf("%v", err)
		}
		t.parts = append(t.parts, cell(i))
		return end, nil
	}
	f, ok := functions[name.text]
	if !ok {
		return 0, name.errorf("unknown function {{%s}} (known: %s, row.COLUMN)", name.text, functionNames())
	}
	if n := len(args); n < f.min || n > f.max {
		return 0, name.errorf("wrong number of arguments: use {{%s}}", f.usage)
	}
	p, err := f.compile(args)
	if err != nil {
		return 0, err
	}
	t.parts = append(t.parts, p)
	return end, nil
}
