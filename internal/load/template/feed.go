package template

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// A Feed has rows of data. Request n uses row n modulo their number.
type Feed struct {
	name    string
	columns []string
	rows    [][]string
}

// FeedLimit is the largest size of a feed's file, in bytes: feeds are held in memory.
const FeedLimit = 1 << 30

// ReadFeed reads a feed from a file: .csv, whose first line names the columns, or .jsonl
// or .ndjson, with one object per line, all with the same names.
func ReadFeed(ctx context.Context, path string) (*Feed, error) {
	in, err := infile.OpenText(ctx, path, FeedLimit)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var feed *Feed
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".csv":
		feed, err = readCSV(path, in)
	case ".jsonl", ".ndjson":
		feed, err = readLines(path, in.Reader)
	default:
		return nil, fmt.Errorf("%s: unknown format of a feed: use a .csv, .jsonl or .ndjson file", path)
	}
	if err == nil && len(feed.rows) == 0 {
		err = fmt.Errorf("%s: the feed has no rows", path)
	}
	return feed, err
}

func readCSV(path string, r io.Reader) (*Feed, error) {
	in := csv.NewReader(r)
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: can't read the names of the columns: %w", path, err)
	}
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return nil, fmt.Errorf("%s:1: two columns are named %q", path, name)
		}
	}
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Feed{path, header, rows}, nil
}

func readLines(path string, r *bufio.Reader) (*Feed, error) {
	feed := &Feed{name: path}
	for line := 1; ; line++ {
		text, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			if err := feed.add(text); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, line, err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return feed, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

// add appends the row of an object. Texts are taken as they are, other values as
// they are written.
func (f *Feed) add(text []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	if object == nil {
		return errors.New("not a JSON object")
	}
	if len(f.rows) == 0 {
		for name := range object {
			f.columns = append(f.columns, name)
		}
		slices.Sort(f.columns)
	}
	row := make([]string, len(f.columns))
	for i, name := range f.columns {
		value, ok := object[name]
		if !ok {
			return fmt.Errorf("missing %q, which the first line has", name)
		}
		row[i] = string(value)
		if value[0] == '"' {
			if err := json.Unmarshal(value, &row[i]); err != nil {
				return err
			}
		}
	}
	f.rows = append(f.rows, row)
	return nil
}

// Rows returns the number of rows.
func (f *Feed) Rows() int { return len(f.rows) }

// Row returns the row for request n. It belongs to the feed: don't change it. For a nil
// Feed it returns nil.
func (f *Feed) Row(n int64) []string {
	if f == nil {
		return nil
	}
	return f.rows[uint64(n)%uint64(len(f.rows))]
}

func (f *Feed) column(name string) (int, error) {
	if f == nil {
		return 0, fmt.Errorf("{{row.%s}} needs a feed: use -feed FILE", name)
	}
	if i := slices.Index(f.columns, name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%s has no column %q (columns: %s)", f.name, name, strings.Join(f.columns, ", "))
}
