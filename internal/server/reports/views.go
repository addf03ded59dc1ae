package reports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/temporary"
)

// Limits of saved views.
const (
	maxViewName  = 100 // characters
	maxViewQuery = 8 << 10
	maxViews     = 500
	maxViewsFile = 8 << 20
)

// views are the saved views, which live in a file. It is read anew each time:
// several servers may use it.
type views struct {
	file string
	mu   sync.Mutex
}

// viewsFile is the content of the file.
type viewsFile struct {
	Version int        `json:"version"`
	Views   []api.View `json:"views"`
}

const viewsVersion = 1

var errNoViewsFile = errors.New("can't save views: the user has no configuration folder")

// read returns the saved views. A file that is not there has none.
func (v *views) read() ([]api.View, error) {
	if v.file == "" {
		return []api.View{}, nil
	}
	data, err := infile.ReadFile(context.Background(), v.file, maxViewsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return []api.View{}, nil
	}
	if err != nil {
		return nil, err
	}
	var f viewsFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s is damaged (%w): repair or remove it", v.file, err)
	}
	if f.Version > viewsVersion {
		return nil, fmt.Errorf("%s was written by a newer hone", v.file)
	}
	return append([]api.View{}, f.Views...), nil
}

// change replaces the saved views by what f makes of them. If they can't be
// read they stay as they are. The file is complete at any time.
func (v *views) change(f func([]api.View) ([]api.View, error)) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.file == "" {
		return &server.Error{Status: http.StatusUnprocessableEntity, Err: errNoViewsFile}
	}
	all, err := v.read()
	if err != nil {
		return err
	}
	if all, err = f(all); err != nil {
		return err
	}
	data, err := json.MarshalIndent(viewsFile{viewsVersion, all}, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(v.file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return temporary.ReplaceText(v.file, 0o600, append(data, '\n'))
}

func (v *views) list(w http.ResponseWriter, r *http.Request) error {
	if err := server.OnlyParams(r); err != nil {
		return err
	}
	all, err := v.read()
	if err != nil {
		return err
	}
	return server.WriteJSON(w, r, map[string][]api.View{"views": all})
}

func (v *views) save(w http.ResponseWriter, r *http.Request) error {
	view := api.View{Name: r.PathValue("name"), By: auth.From(r.Context()).Name}
	if err := checkViewName(view.Name); err != nil {
		return err
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2*maxViewQuery))
	if err != nil {
		return err
	}
	var body struct {
		Query string `json:"query"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return server.BadParam("", `invalid body, want {"query": "…"}: %w`, err)
	}
	if view.Query, err = checkViewQuery(body.Query); err != nil {
		return err
	}
	err = v.change(func(all []api.View) ([]api.View, error) {
		i := slices.IndexFunc(all, func(old api.View) bool { return old.Name == view.Name })
		switch {
		case i >= 0:
			if err := mayChange(r, &all[i]); err != nil {
				return nil, err
			}
			all[i] = view
		case len(all) >= maxViews:
			return nil, server.BadParam("name", "too many saved views, %d: remove one first", len(all))
		default:
			all = append(all, view)
		}
		return all, nil
	})
	if err != nil {
		return err
	}
	a, err := server.JSONAnswer(r.Context(), view)
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

func (v *views) remove(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	err := v.change(func(all []api.View) ([]api.View, error) {
		i := slices.IndexFunc(all, func(old api.View) bool { return old.Name == name })
		if i < 0 {
			return nil, server.NotFound("unknown view %q", name)
		}
		if err := mayChange(r, &all[i]); err != nil {
			return nil, err
		}
		return slices.Delete(all, i, i+1), nil
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// mayChange returns an error unless a request's sender saved a view, or is an admin.
func mayChange(r *http.Request, view *api.View) error {
	if p := auth.From(r.Context()); view.By != "" && p.Name != view.By && !p.Roles.Has(auth.Admin) {
		return &server.Error{Status: http.StatusForbidden, Param: "name", Err: fmt.Errorf("only %s, who saved the view %q, or an admin may change it", view.By, view.Name)}
	}
	return nil
}

func checkViewName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return server.BadParam("name", "a view needs a name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return server.BadParam("name", "the name has control characters or invalid UTF-8")
	case utf8.RuneCountInString(name) > maxViewName:
		return server.BadParam("name", "the name is longer than %d characters", maxViewName)
	}
	return nil
}

// checkViewQuery returns the query in one order, and fails for what is no
// option.
func checkViewQuery(query string) (string, error) {
	if len(query) > maxViewQuery {
		return "", server.BadParam("query", "the query is longer than %d bytes", maxViewQuery)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", server.BadParam("query", "the query can't be read: %w", err)
	}
	c := shell.DefaultConfig()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			return "", server.BadParam(name, "%s is given %d times", name, len(values[name]))
		}
		if err := SetOption(&c, name, values.Get(name)); err != nil {
			return "", err
		}
	}
	return values.Encode(), nil
}
