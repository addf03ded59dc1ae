package symbol

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// demangle gives functions whose name is the linker's, or which have none, a
// name to read; with force, all functions that have a linker's name.
//
// Names that are not mangled may still be simplified: those which look like C++
// that something demangled before lose their parameters and template arguments.
// Some Go names look like it too, such as "main.(*T).Do.Map[...].func1", which
// becomes "main..Do.Map[...].func1". hone keeps to that, as names must compare
// equal to those go tool pprof shows.
func (e *edit) demangle(force bool, mode string) {
	p := e.p
	if force {
		for i := range p.Functions {
			f := &p.Functions[i]
			if f.Name != f.SystemName && p.Strings[f.Name] != "" && p.Strings[f.SystemName] != "" {
				e.function(i).Name = f.SystemName
			}
		}
		p = e.p
	}
	var options []demangle.Option
	switch mode {
	case "":
		options = []demangle.Option{demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams}
	case "templates":
		options = []demangle.Option{demangle.NoParams, demangle.NoEnclosingParams}
	case "full":
		options = []demangle.Option{demangle.NoClones}
	default:
		return
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		system := p.Strings[f.SystemName]
		if f.Name != f.SystemName {
			if name := p.Strings[f.Name]; name != "" && name != system {
				continue // demangled already
			}
		}
		name := system
		if mayChange(system) {
			name = readable(system, mode, options)
		}
		if name != p.Strings[f.Name] {
			id := f.SystemName
			if name != system {
				id = e.string(name)
			}
			e.function(i).Name = id
			p = e.p
		}
	}
}

// mayChange reports whether readable can return anything but name. It is
// there to be fast on Go's names: mangled ones begin with "_", and others need
// a parenthesis or angle, and to look demangled, to be simplified.
func mayChange(name string) bool {
	if name == "" || name[0] == '_' || strings.IndexByte(name, '<') >= 0 {
		return name != ""
	}
	return strings.IndexByte(name, '(') >= 0 &&
		(strings.IndexByte(name, '[') >= 0 || strings.IndexByte(name, ']') >= 0 ||
			strings.IndexByte(name, '>') >= 0 || strings.Contains(name, "::"))
}

// readable returns the name to show for a linker's name.
func readable(system, mode string, options []demangle.Option) string {
	if name := demangle.Filter(system, options...); name != system {
		return name
	}
	if bare, ok := strings.CutPrefix(system, "_"); ok { // darwin adds one
		if name := demangle.Filter(bare, options...); name != bare {
			return name
		}
	}
	name := system
	if mode != "full" && looksDemangled(name) {
		name = dropNested(name, '(', ')')
		if mode == "" {
			name = dropNested(name, '<', '>')
		}
	}
	return name
}

// looksDemangled reports whether name looks like demangled C++, and not like
// Java's "class.<init>" or Go's "pkg.(*T[...]).Method".
func looksDemangled(name string) bool {
	if strings.Contains(name, ".<") || strings.Contains(name, "]).") {
		return false
	}
	return strings.ContainsAny(name, "<>[]") || strings.Contains(name, "::")
}

// dropNested removes what is between open and its matching close, with both.
// What follows an unmatched close stays as it is, and so does an open without
// a close.
func dropNested(name string, open, close byte) string {
	if strings.IndexByte(name, open) < 0 {
		return name
	}
	out := make([]byte, 0, len(name))
	depth, start := 0, 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch c {
		case open:
			if depth == 0 {
				start = len(out)
			}
			depth++
		case close:
			depth--
			if depth < 0 {
				return string(append(out, name[i:]...))
			}
			if depth == 0 {
				out = out[:start]
				continue
			}
		}
		out = append(out, c)
	}
	return string(out)
}
