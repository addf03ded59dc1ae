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

// A Load is what a run under load has beyond its samples: its course, how response
// times are distributed, what failed, what a request cost. It is the content of
// load.json, which doc/runs.md describes. Times are in nanoseconds in JSON.
type Load struct {
	Package   string     `json:"package"` // as its samples and profiles have it
	Benchmark string     `json:"benchmark"`
	Sides     []LoadSide `json:"sides"` // the head, or base and head
}

// A LoadSide is what was measured of a side, over all of its periods.
type LoadSide struct {
	Side        string        `json:"side"`
	Started     time.Time     `json:"started"`
	Elapsed     time.Duration `json:"elapsed"`
	Period      time.Duration `json:"period"` // in which requests were due, of all periods
	Asked       float64       `json:"asked"`  // requests per second; 0: as many as it takes
	Rate        *float64      `json:"rate"`   // that succeeded per second, within the periods; nil: too few to tell
	Succeeded   int64         `json:"succeeded"`
	Failed      int64         `json:"failed"`
	Overdue     int64         `json:"overdue,omitempty"` // succeeded, but after their period
	Late        int64         `json:"late"`
	Waited      int64         `json:"waited"`
	Redirected  int64         `json:"redirected,omitempty"` // requests beside those, as answers asked for them
	Bytes       int64         `json:"bytes"`
	Connections int           `json:"connections,omitempty"` // open at once at most
	Streams     int           `json:"streams,omitempty"`     // requests at once at most, where they share connections

	Periods  []LoadPeriod  `json:"periods"`
	Windows  []LoadWindow  `json:"windows"`
	Rounds   []LoadRound   `json:"rounds,omitempty"`
	Response LoadTimes     `json:"response"` // since a request was due
	Service  LoadTimes     `json:"service"`  // since it was sent
	Statuses []LoadStatus  `json:"statuses,omitempty"`
	Failures []LoadFailure `json:"failures,omitempty"`
	Silences []LoadSilence `json:"silences,omitempty"`
	Costs    []LoadCost    `json:"costs,omitempty"`
	GCShare  *float64      `json:"gc_share,omitempty"` // of CPU time
	Hottest  []LoadHot     `json:"hottest,omitempty"`
	Goals    []LoadGoal    `json:"goals,omitempty"`

	Deliveries []LoadDelivery `json:"deliveries,omitempty"` // of each period, where a consumer read the messages

	Void        string `json:"void,omitempty"`
	Stopped     string `json:"stopped,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
}

// A LoadPeriod is a stretch of a side's windows, which have one time for all periods.
type LoadPeriod struct {
	Start   time.Duration `json:"start"`
	End     time.Duration `json:"end"`
	Started time.Time     `json:"started"`
}

// A LoadWindow is what ended within a second or so. A quantile is nil where that
// request failed.
type LoadWindow struct {
	Start     time.Duration  `json:"start"`
	End       time.Duration  `json:"end"`
	Asked     float64        `json:"asked"`
	Succeeded int64          `json:"succeeded"`
	Failed    int64          `json:"failed"`
	Overdue   int64          `json:"overdue,omitempty"`
	Late      int64          `json:"late,omitempty"`
	P50       *time.Duration `json:"p50"`
	P99       *time.Duration `json:"p99"`
	Max       *time.Duration `json:"max"`
}

// A LoadRound is what all users did in a round.
type LoadRound struct {
	Start     time.Duration `json:"start"`
	End       time.Duration `json:"end"`
	Succeeded int64         `json:"succeeded"`
	Failed    int64         `json:"failed"`
	Rate      *float64      `json:"rate"` // that succeeded per second; nil: too few to tell
}

// A LoadSilence is a time in which requests were due and no answer came.
type LoadSilence struct {
	Start time.Duration `json:"start"`
	End   time.Duration `json:"end"`
	Due   int64         `json:"due"` // requests that were due meanwhile
}

// A LoadDelivery is what a consumer saw of the messages of a period and its warm-up.
type LoadDelivery struct {
	Arrived     int64     `json:"arrived"`     // different messages
	Lost        int64     `json:"lost"`        // acknowledged, or sent where nothing is acknowledged, but not there
	Doubled     int64     `json:"doubled"`     // arrivals of messages that had arrived before
	Unconfirmed int64     `json:"unconfirmed"` // they arrived, but failed: their acknowledgement was missed
	Time        LoadTimes `json:"time"`        // from when they were due until the consumer had them
	Incomplete  string    `json:"incomplete,omitempty"`
	Unread      int64     `json:"unread,omitempty"` // then: messages that were not looked for to the end
}

// LoadTimes are how times are distributed. A failed request counts as slower than
// any, so a curve ends where those begin.
type LoadTimes struct {
	Mean  *time.Duration `json:"mean"`
	P50   *time.Duration `json:"p50"`
	P90   *time.Duration `json:"p90"`
	P99   *time.Duration `json:"p99"`
	P999  *time.Duration `json:"p99.9"`
	P9999 *time.Duration `json:"p99.99"`
	Max   *time.Duration `json:"max"`
	Curve []LoadPoint    `json:"curve"`
}

// A LoadPoint says that a share Q of all requests took at most Time.
type LoadPoint struct {
	Q    float64       `json:"q"`
	Time time.Duration `json:"time"`
}

// A LoadStatus is how many answers had a status.
type LoadStatus struct {
	Status int   `json:"status"`
	Count  int64 `json:"count"`
}

// A LoadFailure is failures of one kind, with some in full.
type LoadFailure struct {
	Name    string   `json:"name"`
	Count   int64    `json:"count"`
	Samples []string `json:"samples"`
}

// A LoadCost is what a request took of something: by a profile of a kind, by the
// service's memory statistics or by its process.
type LoadCost struct {
	Kind  string  `json:"kind"` // of the profile, "memory" or "process"
	Unit  string  `json:"unit"` // of the run's samples: cpu-ns/op
	Value float64 `json:"value"`
}

// A LoadHot is a function with much of the CPU time.
type LoadHot struct {
	Function string  `json:"function"`
	Share    float64 `json:"share"`
}

// A LoadGoal is a bound that was asked for.
type LoadGoal struct {
	Text string `json:"text"`
	Met  bool   `json:"met"`
}

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
