package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/compare"
)

// Kinds of code actions. Rewrites are both: quick fixes of the diagnostic, and rewrites of code that works.
const (
	kindQuickFix = "quickfix"
	kindRewrite  = "refactor.rewrite"
	kindAdvise   = "source.honeAdvise"
)

// asks reports whether a client that asks for some kinds wants a kind. Kinds are hierarchical: refactor includes refactor.rewrite.
func asks(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool { return o == "" || kind == o || strings.HasPrefix(kind, o+".") })
}

// kindFor is the kind of a rewrite's action; "" if the client doesn't want one.
func kindFor(only []string) string {
	for _, kind := range []string{kindQuickFix, kindRewrite} {
		if asks(only, kind) {
			return kind
		}
	}
	return ""
}

// An editor makes the edits of rewrites.
type editor struct {
	docs     *documents
	work     *workspace
	module   *module
	encoding encoding
	versions bool // the client takes changes by document, with versions
	creates  bool // the client can create files
	disabled bool // the client shows why an action can't be used
}

// action is the action for a finding in a document; nil if there is none.
func (ed *editor) action(ctx context.Context, doc *document, f *shown, only []string) *codeAction {
	kind := kindFor(only)
	if f.Fix == nil || kind == "" {
		return nil
	}
	a := &codeAction{
		Title: fmt.Sprintf("hone: %s (class %s)", compare.Printable(f.Title), f.Class), Kind: kind, Diagnostics: []diagnostic{f.diagnosticOf(doc, ed.encoding)},
	}
	edit, err := ed.edit(ctx, f.Fix)
	switch {
	case err == nil:
		a.Edit = edit
	case ed.disabled:
		a.Disabled = &reason{compare.Printable(err.Error())}
	default:
		return nil
	}
	return a
}

// edit is a rewrite as an edit. All files must be those that the rewrite was made of.
func (ed *editor) edit(ctx context.Context, fix *advice.Fix) (*workspaceEdit, error) {
	e := &workspaceEdit{}
	if !ed.versions {
		e.Changes = make(map[string][]textEdit)
	}
	for i := range fix.Files {
		if err := ed.add(ctx, e, &fix.Files[i]); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// add adds a file's change to an edit.
func (ed *editor) add(ctx context.Context, e *workspaceEdit, c *advice.FileChange) error {
	file := c.File
	if !contains(ed.module.dir, file) && contains(ed.module.real, file) { // the editor has another name for the folder
		if rel, err := filepath.Rel(ed.module.real, file); err == nil {
			file = filepath.Join(ed.module.dir, rel)
		}
	}
	mod, err := ed.work.moduleOf(ctx, file)
	if err != nil {
		return fmt.Errorf("the rewrite changes %s: %w", filepath.Base(file), err)
	}
	doc := ed.docs.at(file)
	if c.New {
		return ed.create(e, c, mod, file, doc)
	}
	uri, before, version := uriOf(file), (*text)(nil), (*int32)(nil)
	if doc != nil {
		uri, before, version = doc.uri, doc.text, &doc.version
	} else {
		data, err := mod.read(ctx, file, maxText)
		if err != nil {
			return err
		}
		before = newText(string(data))
	}
	if before.all != string(c.Before) {
		return fmt.Errorf("%s has changed since the advice was given: ask for advice again", filepath.Base(file))
	}
	var edits []textEdit
	for _, d := range udiff.Lines(before.all, string(c.After)) {
		edits = append(edits, textEdit{before.textRange(d.Start, d.End, ed.encoding), d.New})
	}
	if ed.versions {
		e.DocumentChanges = append(e.DocumentChanges, documentEdit{versionedDocument{uri, version}, edits})
	} else {
		e.Changes[uri] = edits
	}
	return nil
}

// create adds a new file to an edit.
func (ed *editor) create(e *workspaceEdit, c *advice.FileChange, mod *module, file string, doc *document) error {
	if !ed.versions || !ed.creates {
		return fmt.Errorf("the rewrite adds %s, which this editor can't do: use hone fix", filepath.Base(file))
	}
	if f, err := mod.openFile(file); err == nil || !errors.Is(err, fs.ErrNotExist) || doc != nil {
		if err == nil {
			f.Close()
		}
		return fmt.Errorf("the rewrite adds %s, which exists", filepath.Base(file))
	}
	uri := uriOf(file)
	e.DocumentChanges = append(e.DocumentChanges, createFile{Kind: "create", URI: uri},
		documentEdit{versionedDocument{URI: uri}, []textEdit{{NewText: string(c.After)}}})
	return nil
}
