package report

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/hone-go/hone/profile"
)

// Folded writes a tree's stacks as folded stacks: the frames from the root to
// the leaf separated by semicolons, a blank and the value. Stacks of a
// comparison have two values, base (scaled, if shares are compared) and head.
// Semicolons in names become commas and line breaks blanks.
func Folded(w io.Writer, t *profile.Tree, column int) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	names := foldedNames(t.Frames)
	v := &t.Values[column]
	var path []string
	var number []byte
	var failed error // of the writer, after which nothing is written
	walkTree(t, func(n uint32, depth int) {
		if failed != nil {
			return
		}
		if n != 0 {
			path = append(path[:depth-1], names[t.Frame[n]])
		}
		own, base := v.Self[n], int64(0)
		if v.Folded != nil {
			own += v.Folded[n]
		}
		if v.BaseTotal != nil {
			if base = v.BaseSelf[n]; v.BaseFolded != nil {
				base += v.BaseFolded[n]
			}
			base = scaledBase(v, base)
		}
		if own == 0 && base == 0 {
			return
		}
		for i := range path[:depth] {
			if i > 0 {
				bw.WriteByte(';')
			}
			if t.Inverted {
				i = depth - 1 - i
			}
			bw.WriteString(path[i])
		}
		number = number[:0]
		if v.BaseTotal != nil {
			number = strconv.AppendInt(append(number, ' '), base, 10)
		}
		number = strconv.AppendInt(append(number, ' '), own, 10)
		_, failed = bw.Write(append(number, '\n'))
	})
	return bw.Flush()
}

// foldedNames returns what frames are called, each by a name of its own: with the
// line where lines are frames, with the file where functions are told apart by it.
func foldedNames(frames []profile.Frame) []string {
	names := make([]string, len(frames))
	count := map[string]int{}
	for i := range names {
		names[i] = foldedName(frames[i].Label())
		count[names[i]]++
	}
	for i := range names {
		if f := &frames[i]; count[names[i]] > 1 && f.File != "" {
			names[i] = foldedName(f.Label() + " " + f.File)
		}
	}
	return names
}

// foldedName returns name as it can stand in a line of folded stacks.
func foldedName(name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ','
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029:
			return ' '
		}
		return r
	}, name))
	if strings.HasPrefix(name, "#") {
		name = "_" + name // not a comment
	}
	return cmp.Or(name, "<unknown>")
}

// walkTree calls f for each node, parents first, siblings in order, with the
// node's distance from the root.
func walkTree(t *profile.Tree, f func(n uint32, depth int)) {
	type entry struct {
		node  uint32
		depth int
	}
	todo := []entry{{0, 0}}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		f(e.node, e.depth)
		first, end := t.Children(e.node)
		for n := end; n > first; n-- {
			todo = append(todo, entry{n - 1, e.depth + 1})
		}
	}
}
