package report

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// SourceFile tells where the text of a function comes from.
type SourceFile struct {
	Path   string   `json:"path,omitempty"`   // the file read, if it isn't the one the profile names
	Err    string   `json:"error,omitempty"`  // why there is no source
	Looked []string `json:"looked,omitempty"` // where the file was looked for and not found, for people
}

// sourceOf returns the lines of a function's file, not to be changed, and their
// origin: no lines if the file found can't be the function's source. With
// asOriginal a file that go tool pprof would show is shown, too, with a warning.
func sourceOf(r *Report, file string, claim *sourceClaim, asOriginal bool) ([]string, SourceFile) {
	if r.env.Text == nil {
		return nil, SourceFile{Err: "no source available"}
	}
	text, err := r.env.Text(file)
	if err != nil {
		o := SourceFile{Err: err.Error()}
		if missing, ok := errors.AsType[*srcfind.NotFoundError](err); ok {
			o.Looked = missing.Looked
		}
		return nil, o
	}
	var origin SourceFile
	if text.Path != file {
		origin.Path = text.Path
	}
	for i, err := range claim.verify(text) {
		switch {
		case err == nil:
		case i > 0:
			r.pass(Warning{Text: err.Error() + "; its lines show the values of both versions", Unlike: true})
		case asOriginal && !text.Elsewhere:
			r.pass(Warning{Text: err.Error(), Unlike: true})
		default:
			return nil, SourceFile{Err: err.Error()}
		}
	}
	return text.Lines, origin
}

// sourceClaim is what a profile tells of where a function stands in a file. That
// of a merge may tell of several versions, by their first lines.
type sourceClaim struct {
	function string
	inlined  bool // see srcfind.Use
	versions map[int64]*versionClaim
}

type versionClaim struct {
	lines  []srcfind.Line
	weight int64
}

func newSourceClaim(function string) *sourceClaim {
	return &sourceClaim{function: function, inlined: true, versions: map[int64]*versionClaim{}}
}

// add adds a line with its value. inlined is whether inlined calls are told of
// there.
func (c *sourceClaim) add(startLine, line, value int64, inlined bool) {
	v := c.versions[startLine]
	if v == nil {
		v = &versionClaim{}
		c.versions[startLine] = v
	}
	v.lines = append(v.lines, srcfind.Line{Number: line, Weight: abs(value)})
	v.weight += abs(value)
	c.inlined = c.inlined && inlined
}

// verify checks a text against each version, the heaviest first.
func (c *sourceClaim) verify(text *srcfind.Text) []error {
	starts := slices.SortedFunc(maps.Keys(c.versions), func(a, b int64) int {
		return cmp.Or(cmp.Compare(c.versions[b].weight, c.versions[a].weight), cmp.Compare(a, b))
	})
	var errs []error
	for _, start := range starts {
		errs = append(errs, text.Verify(srcfind.Use{
			Function: c.function, StartLine: start, Lines: c.versions[start].lines, Inlined: c.inlined,
		}))
	}
	return errs
}

// inlineMappings returns the files of the mappings, "" for none, in which the
// profile tells inlined functions from those they are inlined into.
func inlineMappings(p *profile.Profile) map[string]bool {
	has := make([]bool, len(p.Mappings)+1)
	for i := range p.Locations {
		if l := &p.Locations[i]; l.NumLines > 1 {
			has[l.Mapping] = true
		}
	}
	out := map[string]bool{"": has[0]}
	for i := range p.Mappings {
		if has[i+1] {
			out[p.Mappings[i].File] = true
		}
	}
	return out
}
