package lsp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A document is a file that is open in the editor, at one version. It doesn't change.
type document struct {
	uri     string // as the client writes it
	path    string // absolute
	version int32
	text    *text
}

// documents are the open files.
type documents struct {
	encoding encoding
	mu       sync.Mutex
	byPath   map[string]*document
}

func newDocuments(e encoding) *documents {
	return &documents{encoding: e, byPath: make(map[string]*document)}
}

// open adds a document.
func (d *documents) open(path string, p *didOpenParams) (*document, error) {
	if len(p.Document.Text) > maxText {
		return nil, errTooLong
	}
	doc := &document{p.Document.URI, path, p.Document.Version, newText(p.Document.Text)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byPath[path] = doc
	return doc, nil
}

// change applies changes to a document. One whose changes can't be applied is forgotten: hone doesn't know its text.
func (d *documents) change(path string, p *didChangeParams) (*document, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.byPath[path]
	if was == nil {
		return nil, fmt.Errorf("%.200q isn't open", p.Document.URI)
	}
	t, err := was.text.changed(p.Changes, d.encoding)
	if err != nil {
		delete(d.byPath, path)
		return nil, err
	}
	now := &document{was.uri, path, p.Document.Version, t}
	d.byPath[path] = now
	return now, nil
}

func (d *documents) close(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byPath, path)
}

// at returns the document of a file; nil if it isn't open.
func (d *documents) at(path string) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.byPath[path]
}

// all returns the documents that are open, by path.
func (d *documents) all() []*document {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*document
	for _, path := range slices.Sorted(maps.Keys(d.byPath)) {
		all = append(all, d.byPath[path])
	}
	return all
}

// forget forgets all documents, because a message about one of them was lost. Returns their addresses.
func (d *documents) forget() (uris []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, doc := range d.byPath {
		uris = append(uris, doc.uri)
	}
	clear(d.byPath)
	return uris
}

// goLine is the line of a position, as go/token counts lines.
func (d *document) goLine(p position, e encoding) int {
	return 1 + strings.Count(d.text.all[:d.text.offset(p, e)], "\n")
}
