package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
)

const loadFile = "load.json"

// maxLoadFile is how large a load.json may be: with all its limits it has a tenth.
const maxLoadFile = 32 << 20

// MaxLoadRounds is how many rounds a side has at most: of more, the first.
const MaxLoadRounds = 10_000

// MaxLoadWindows is how many windows a side has at most: an hour of seconds.
const MaxLoadWindows = 3600

// SetLoad writes load.json, or replaces it.
func (w *Writer) SetLoad(l *Load) error {
	if w.closed {
		return errors.New("add a load to a closed run")
	}
	kept := *l
	kept.Sides = append([]LoadSide(nil), l.Sides...)
	for i := range kept.Sides {
		kept.Sides[i].Windows = together(kept.Sides[i].Windows, MaxLoadWindows)
		kept.Sides[i].Rounds = kept.Sides[i].Rounds[:min(len(kept.Sides[i].Rounds), MaxLoadRounds)]
	}
	text, err := json.Marshal(&kept)
	if err != nil {
		return err
	}
	return temporary.ReplaceText(filepath.Join(w.dir, loadFile), 0o666&^umask, append(text, '\n'))
}

// together returns at most some windows: of more, neighbours are put together.
// Quantiles of a sum are unknown; the largest is kept, so that no peak is lost.
func together(windows []LoadWindow, most int) []LoadWindow {
	n := (len(windows) + most - 1) / most
	if n <= 1 {
		return windows
	}
	var sums []LoadWindow
	for i := 0; i < len(windows); i += n {
		sum := windows[i]
		asked := sum.Asked * (sum.End - sum.Start).Seconds()
		for _, w := range windows[i+1 : min(i+n, len(windows))] {
			asked += w.Asked * (w.End - w.Start).Seconds()
			sum.End = w.End
			if sum.Succeeded+sum.Failed == 0 {
				sum.P50, sum.P99, sum.Max = w.P50, w.P99, w.Max
			} else if w.Succeeded+w.Failed > 0 {
				sum.P50, sum.P99 = longer(sum.P50, w.P50), longer(sum.P99, w.P99)
				if sum.Max == nil || w.Max != nil && *w.Max > *sum.Max {
					sum.Max = w.Max
				}
			}
			sum.Succeeded, sum.Failed = sum.Succeeded+w.Succeeded, sum.Failed+w.Failed
			sum.Overdue, sum.Late = sum.Overdue+w.Overdue, sum.Late+w.Late
		}
		if length := (sum.End - sum.Start).Seconds(); length > 0 {
			sum.Asked = asked / length
		}
		sums = append(sums, sum)
	}
	return sums
}

// longer returns the longer of two quantiles: nil, a failed request, is the longest.
func longer(a, b *time.Duration) *time.Duration {
	if a == nil || b != nil && *a > *b {
		return a
	}
	return b
}

// HasLoad reports whether the run has a load.json.
func (r *Run) HasLoad() bool {
	_, err := os.Lstat(filepath.Join(r.Dir, loadFile))
	return err == nil
}

// ErrNoLoad is what Load returns for a run that is of no load.
var ErrNoLoad = fmt.Errorf("the run has no %s: it is not of hone load, or of an older one: %w", loadFile, fs.ErrNotExist)

// Load reads load.json. What is wrong with it is a *CorruptError.
func (r *Run) Load() (*Load, error) {
	file := filepath.Join(r.Dir, loadFile)
	text, err := infile.ReadFile(context.Background(), file, maxLoadFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoLoad
	}
	if err != nil {
		return nil, &CorruptError{file, 0, -1, err}
	}
	l := new(Load)
	if err := unmarshal(file, text, l); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, &CorruptError{file, 0, -1, err}
	}
	return l, nil
}

// check says what no load has measured.
func (l *Load) check() error {
	sides := make(map[string]bool)
	for _, s := range l.Sides {
		switch {
		case s.Side != Base.String() && s.Side != Head.String():
			return fmt.Errorf("unknown side %q", s.Side)
		case sides[s.Side]:
			return fmt.Errorf("side %q is there twice", s.Side)
		case s.Succeeded < 0 || s.Failed < 0:
			return fmt.Errorf("%s: negative number of requests", s.Side)
		}
		sides[s.Side] = true
		for i, w := range s.Windows {
			if w.Start < 0 || w.End <= w.Start || i > 0 && w.Start < s.Windows[i-1].End || w.Succeeded < 0 || w.Failed < 0 {
				return fmt.Errorf("%s: window %d does not follow the one before, or has negative numbers", s.Side, i)
			}
		}
		for i, r := range s.Rounds {
			if r.Start < 0 || r.End < r.Start || i > 0 && r.Start < s.Rounds[i-1].End || r.Succeeded < 0 || r.Failed < 0 {
				return fmt.Errorf("%s: round %d does not follow the one before, or has negative numbers", s.Side, i)
			}
		}
		for i, d := range s.Deliveries {
			if d.Arrived < 0 || d.Lost < 0 || d.Doubled < 0 || d.Unconfirmed < 0 {
				return fmt.Errorf("%s: delivery %d has negative numbers", s.Side, i)
			}
		}
		for _, curve := range [][]LoadPoint{s.Response.Curve, s.Service.Curve} {
			for i, p := range curve {
				if p.Q < 0 || p.Q > 1 || p.Time < 0 || i > 0 && (p.Q <= curve[i-1].Q || p.Time < curve[i-1].Time) {
					return fmt.Errorf("%s: point %d of the quantiles is out of order", s.Side, i)
				}
			}
		}
	}
	if len(l.Sides) == 0 {
		return errors.New("has no side")
	}
	return nil
}
