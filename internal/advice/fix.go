package advice

import (
	"encoding/json"
	"fmt"
)

// A Fix is a rewrite of files of one package.
type Fix struct {
	Diff string // unified, of all files, with paths relative to the module
	// Files are what changes. The first is the finding's, if that changes, and new files come last.
	Files []FileChange
}

// A FileChange is a file before and after a rewrite.
type FileChange struct {
	File string // absolute
	New  bool   // it doesn't exist before
	// Before and After are the complete texts. JSON doesn't have them: see Fix.Texts.
	Before, After []byte
}

// fixJSON is how a Fix is written.
type fixJSON struct {
	File  string      `json:"file"` // the finding's
	Diff  string      `json:"diff"`
	Also  []fileNamed `json:"also,omitempty"`  // other files that change
	Added []fileNamed `json:"added,omitempty"` // new files
}

type fileNamed struct {
	File string `json:"file"`
}

// MarshalJSON writes the names of the files, without their texts.
func (f *Fix) MarshalJSON() ([]byte, error) {
	out := fixJSON{Diff: f.Diff}
	for i, c := range f.Files {
		switch {
		case i == 0:
			out.File = c.File
		case c.New:
			out.Added = append(out.Added, fileNamed{c.File})
		default:
			out.Also = append(out.Also, fileNamed{c.File})
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Fix) UnmarshalJSON(text []byte) error {
	var in fixJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*f = Fix{Diff: in.Diff, Files: []FileChange{{File: in.File}}}
	for _, also := range in.Also {
		f.Files = append(f.Files, FileChange{File: also.File})
	}
	for _, added := range in.Added {
		f.Files = append(f.Files, FileChange{File: added.File, New: true})
	}
	return nil
}

// A Text is a file before and after a rewrite, for what keeps a Fix as JSON.
type Text struct{ Before, After []byte }

// Texts are the texts of the files, in their order.
func (f *Fix) Texts() (all []Text) {
	for _, c := range f.Files {
		all = append(all, Text{c.Before, c.After})
	}
	return all
}

// SetTexts gives the files their texts, in their order.
func (f *Fix) SetTexts(all []Text) error {
	if len(all) != len(f.Files) {
		return fmt.Errorf("%d texts for %d files", len(all), len(f.Files))
	}
	for i, t := range all {
		f.Files[i].Before, f.Files[i].After = t.Before, t.After
	}
	return nil
}

// Added are the files that a rewrite adds.
func (f *Fix) Added() (all []FileChange) {
	for _, c := range f.Files {
		if c.New {
			all = append(all, c)
		}
	}
	return all
}

// Rewritten returns the texts of all files after the rewrite, by name.
func (f *Fix) Rewritten() map[string][]byte {
	texts := make(map[string][]byte)
	for _, c := range f.Files {
		texts[c.File] = c.After
	}
	return texts
}

// WithoutTexts is the rewrite with the names of its files only.
func (f *Fix) WithoutTexts() *Fix {
	named := &Fix{Diff: f.Diff}
	for _, c := range f.Files {
		named.Files = append(named.Files, FileChange{File: c.File, New: c.New})
	}
	return named
}
