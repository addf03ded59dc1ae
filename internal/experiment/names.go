package experiment

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

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
	in, _ := newReader(text, file)
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

// Looks returns when the samples of a run with -against were looked at: as the run
// says itself, or, of older ones and loads, once, at the number that -count asked for,
// or as DefaultLooks says. Runs that were put together by hand count as one look.
func (r *Run) Looks() []Look {
	if len(r.Info.Looks) > 0 {
		return slices.Clone(r.Info.Looks)
	}
	most := mostPairs(r.Series(Measure))
	for i, arg := range r.Command {
		name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name != "count" && name != "test.count" {
			continue
		}
		if !ok && i+1 < len(r.Command) {
			value = r.Command[i+1]
		}
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			return OneLook(n)
		}
	}
	if most < DefaultLooks[0].Pairs {
		return OneLook(most)
	}
	return slices.Clone(DefaultLooks)
}

func mostPairs(series []Series) int {
	most := 1
	for _, s := range series {
		n := 0
		for _, x := range s.Samples {
			if x.Side == Head {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Samples is the number of results in the cell.
func (c *TableCell) Samples() int { return len(c.sample.Values) }
