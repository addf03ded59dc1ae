package experiment

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment/benchtext"
	"github.com/hone-go/hone/internal/infile"
)

// Benchmarks returns the names of the benchmarks measured so far, in the order
// of the file, for a list: nothing else of the run is read or checked.
func (e Entry) Benchmarks(ctx context.Context) ([]string, error) {
	measured, err := e.Measured(ctx)
	var names []string
	for _, k := range measured {
		names = append(names, k.Benchmark)
	}
	return names, err
}

// Measured returns what Benchmarks does with the packages; units are left out.
func (e Entry) Measured(ctx context.Context) ([]Key, error) {
	if e.Info == nil {
		return nil, e.Err
	}
	file := filepath.Join(e.Dir, e.Info.file(part{Measure, Head}))
	text, err := infile.ReadFile(ctx, file, maxBenchFile)
	if errors.Is(err, fs.ErrNotExist) && e.State == Partial {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var names []Key
	seen := make(map[Key]bool)
	in, _ := benchtext.NewReader(text, file)
	for in.Scan() {
		if r, ok := in.Result().(*benchfmt.Result); ok {
			name := Key{Package: r.GetConfig("pkg"), Benchmark: r.Name.String()}
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names, in.Err()
}
