package lsp

import (
	"context"
	"strings"
	"sync"

	"github.com/hone-go/hone/internal/srcfind"
)

// A recordedFile is a file as it was when it was measured, with its costs.
type recordedFile struct {
	matcher matcher
	costs   *fileCosts
	decls   []declaration
	symbols map[string]bool
	// byLine are the spots of costs, by their line.
	byLine map[int64][]spot
	// sure means that the source is known to be what was measured. If not, only functions that start where the profile says count as
	// known.
	sure bool
}

// recorded returns a file as it was measured. It is found once per measurement: later, the file may have been written.
func (m *measured) recorded(mod *module, doc *document) *recordedFile {
	m.mu.Lock()
	of := m.files[doc.path]
	if of == nil {
		// Others may wait for it, so it doesn't end with one request.
		of = sync.OnceValue(func() *recordedFile { return m.record(context.Background(), mod, doc) })
		m.files[doc.path] = of
	}
	m.mu.Unlock()
	return of()
}

func (m *measured) record(ctx context.Context, mod *module, doc *document) *recordedFile {
	r := &recordedFile{matcher: mod.matcher(doc.path), byLine: make(map[int64][]spot)}
	if !m.has(r.matcher) {
		return r // most files: their source doesn't matter
	}
	var src string
	src, r.sure = m.sourceOf(ctx, mod, doc)
	r.decls = declarations(src)
	r.symbols = symbolsOf(r.decls)
	r.costs = m.costsOf(r.matcher, r.symbols)
	for at := range r.costs.lines {
		r.byLine[at.line] = append(r.byLine[at.line], at)
	}
	return r
}

// has reports whether a profile has anything of a file.
func (m *measured) has(at matcher) bool {
	for i := range m.Profiles {
		if len(m.inFile(i, at)) > 0 {
			return true
		}
	}
	return false
}

// sourceOf returns the text of a file when it was measured. sure is false if that is a guess.
func (m *measured) sourceOf(ctx context.Context, mod *module, doc *document) (src string, sure bool) {
	now, older := m.onDisk(ctx, mod, doc.path)
	if older {
		return now, true
	}
	if m.Revision != "" {
		finder := srcfind.New(srcfind.Config{Dir: mod.dir, Confined: true})
		if t, err := finder.At(ctx, doc.path, m.Revision); err == nil {
			return strings.Join(t.Lines, "\n") + "\n", !m.Dirty
		}
	}
	if now == "" {
		now = doc.text.all // not saved yet
	}
	return now, false
}

// onDisk returns the text of a file on the disk, "" if it can't be read, and whether it was last written before the measurement.
func (m *measured) onDisk(ctx context.Context, mod *module, file string) (src string, older bool) {
	f, err := mod.openFile(file)
	if err != nil {
		return "", false
	}
	info, err := f.Stat()
	f.Close()
	if err != nil {
		return "", false
	}
	data, err := mod.read(ctx, file, maxText)
	if err != nil {
		return "", false
	}
	return string(data), !m.Taken.IsZero() && info.ModTime().Before(m.Taken)
}

// known reports whether a declaration is what was measured, as far as can be told.
func (r *recordedFile) known(d *declaration) bool {
	if r.sure || d.symbol == "" {
		return r.sure
	}
	of := r.costs.functions[d.symbol]
	if of == nil || of.start == 0 || of.start != int64(d.first) {
		return false
	}
	// Compilers give single instructions of an inlined function its line, and the file and name of the function around it.
	const most = 0.1 // of the time, in lines elsewhere
	var all, elsewhere float64
	for at, costs := range r.costs.lines {
		if at.symbol != d.symbol {
			continue
		}
		for _, c := range costs {
			all += c.share()
			if at.line < int64(d.first) || int64(d.last) < at.line {
				elsewhere += c.share()
			}
		}
	}
	return elsewhere <= most*all
}
