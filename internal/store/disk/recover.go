package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// A store that can't be opened, or whose log has a gap, is recovered while another store
// is in use: the one from before the gap, or else a new one. All its files are moved
// aside, to a directory with the name of the store and the suffix .recovering. What can
// be read there is put into the store in use, which ignores profiles that it has. Then
// the directory gets the suffix .damaged, and hone never reads it again. An interrupted
// recovery starts again from the beginning.
const (
	recoveringExt = ".recovering"
	damagedExt    = ".damaged"
	// whyFile says when and why a store was moved aside: a time, and a line of text.
	whyFile = "WHY.txt"
)

// A Recovery is the recovery of a store that was moved aside.
type Recovery struct {
	Dir     string // where its files are
	Since   time.Time
	Problem string // why it was moved aside
	Done    bool
	// Kept and Lost are numbers of profiles so far. Kept includes profiles that the
	// new store already had; Lost counts only known losses.
	Kept, Lost int64
	Unsure     bool   // more may be lost
	Waiting    string // why it waits, "" if it doesn't
	left       []Aside
}

// moveAside moves a store that can't be opened out of the way.
func moveAside(o *Options, dir string, why error) error {
	to, err := freeName(o.FS, dir+recoveringExt)
	if err != nil {
		return err
	}
	var g *gap
	switch {
	case errors.As(why, &g):
		err = cutLog(o.FS, dir, to, g)
	default:
		err = renameDir(o.FS, dir, to)
	}
	if err != nil {
		return err
	}
	problem := strings.TrimSuffix(strings.ReplaceAll(why.Error(), "\n", " "), ": "+errRepair.Error())
	o.Log.Error("the store can't be opened: its files were moved aside, and what can be read is recovered while the server runs",
		"files", to, "problem", problem)
	text := o.Now().UTC().Format(time.RFC3339) + "\n" + problem + "\n"
	return writeFile(o.FS, o.FS.PathJoin(to, whyFile), strings.NewReader(text))
}

// recoveries recovers stores that were moved aside into the store in use.
type recoveries struct {
	*kv
	o      *Options
	intake *intake
	list   []*Recovery // it doesn't change

	mu sync.Mutex // guards what is in the list
}

// findRecoveries finds the stores in the parent directory that are to be recovered.
func findRecoveries(o *Options, dir string) (list []*Recovery, err error) {
	parent := o.FS.PathDir(dir)
	names, err := o.FS.List(parent)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasPrefix(name, o.FS.PathBase(dir)+recoveringExt) || strings.HasSuffix(name, ".part") {
			continue
		}
		r := &Recovery{Dir: o.FS.PathJoin(parent, name), Since: o.Now(), Problem: "it could not be opened"}
		if f, err := o.FS.Open(o.FS.PathJoin(r.Dir, whyFile)); err == nil {
			text, _ := io.ReadAll(io.LimitReader(f, 1<<20)) // what can't be read is not known
			f.Close()
			since, problem, _ := strings.Cut(string(text), "\n")
			if at, err := time.Parse(time.RFC3339, since); err == nil {
				r.Since, r.Problem = at, cmp.Or(strings.TrimSpace(problem), r.Problem)
			}
		}
		// Which services it has is known when it has been read.
		r.left = []Aside{{Since: r.Since, Profiles: -1, Problem: r.Problem, Returning: true}}
		list = append(list, r)
	}
	return list, nil
}

// run recovers one store after another until closing is done.
func (x *recoveries) run(closing context.Context) {
	for _, r := range x.list {
		err := x.recover(closing, r)
		if closing.Err() != nil {
			return // the next start goes on
		}
		x.mu.Lock()
		if err != nil {
			r.Waiting = "it failed; hone tries again at the next start: " + err.Error()
		} else {
			r.Done = true
		}
		now := *r
		x.mu.Unlock()
		if err != nil {
			x.o.Log.Error("could not recover the store that was moved aside; hone tries again at the next start", "files", now.Dir, "error", err)
			continue
		}
		x.o.Log.Info("recovered what can be read of the store that was moved aside", "files", now.Dir, "result", now.String())
	}
}

func (r Recovery) String() string { return keptText(r.Kept, r.Lost, r.Unsure) }

// recover copies what can be read of a store into the one in use.
func (x *recoveries) recover(closing context.Context, r *Recovery) error {
	a, err := newAudit(closing, r.Dir, x.o.FS, func(problem string) {
		x.o.Log.Warn("part of the store that was moved aside can't be read", "files", r.Dir, "problem", problem)
	})
	if err != nil {
		return err
	}
	parts, err := x.toRecover(a, r)
	for i := 0; i < len(parts) && err == nil; i++ {
		before := a.found
		err = a.copyTo(parts[i], func(ctx context.Context, records []store.Record) error { return x.putBack(ctx, r, records) })
		x.mu.Lock()
		r.Kept += a.readable()
		r.Lost += a.found.Lost - before.Lost
		r.Unsure = a.files.lossy
		if err == nil {
			r.left = r.left[1:]
		}
		x.mu.Unlock()
	}
	a.close()
	if err != nil {
		return err
	}
	to, err := freeName(x.o.FS, x.space.dir+damagedExt)
	if err == nil {
		err = renameDir(x.o.FS, r.Dir, to)
	}
	if err == nil {
		x.mu.Lock()
		r.Dir = to
		x.mu.Unlock()
	}
	return err
}

// toRecover returns the partitions that may have profiles missing in the store in use, the
// latest first.
func (x *recoveries) toRecover(a *audit, r *Recovery) ([]*partition, error) {
	parts := slices.Clone(a.parts)
	behind, err := behindGap(a, r.Dir)
	if err != nil {
		return nil, err
	}
	if behind != nil {
		parts = slices.DeleteFunc(parts, func(p *partition) bool { return !behind[p.id] })
	}
	slices.SortStableFunc(parts, func(a, b *partition) int { return cmp.Compare(b.Epoch, a.Epoch) })
	left := make([]Aside, len(parts))
	for i, p := range parts {
		left[i] = Aside{Service: p.Service, Epoch: time.Unix(0, p.Epoch).UTC(), Since: r.Since, Profiles: -1, Problem: r.Problem, Returning: true}
		if p.Service == "" {
			left[i].Epoch = time.Time{} // it is found out when it is read
		}
	}
	x.mu.Lock()
	r.left = left
	x.mu.Unlock()
	return parts, nil
}

// behindGap returns the partitions that are mentioned in the logs after the gap, nil if that
// may be all of them.
func behindGap(a *audit, dir string) (map[uint32]bool, error) {
	l, err := listFiles(a.fs, dir)
	if err != nil {
		return nil, err
	}
	name, err := currentManifest(a.fs, dir)
	if err != nil || name == "" {
		return nil, nil
	}
	m := readManifest(a.fs, dir, name)
	if m.uncertain(a.fs, dir, l) != nil {
		return nil, nil
	}
	g, err := findGap(a.fs, dir, l, m, nil)
	if err != nil || g == nil {
		return nil, err
	}
	ids := map[uint32]bool{}
	for _, n := range l.live(m) {
		if n < g.log {
			continue
		}
		// That in front of the gap is in the same files, and does no harm.
		versions, err := a.files.readLog(a.fs, dir, l.logs[n], n)
		if err != nil {
			return nil, err
		}
		for _, v := range versions {
			if id, ok := format.PartitionOfKey(v.key); ok {
				ids[id] = true
			}
		}
	}
	return ids, nil
}

// errNoSpare is the error of a recovery that would leave too little disk space.
var errNoSpare = errors.New("not enough disk space to recover profiles")

// spareFactor times Options.MinFree is the disk space that recovery leaves free.
const spareFactor = 4

// putBack stores records. It waits while the disk is too full.
func (x *recoveries) putBack(ctx context.Context, r *Recovery, records []store.Record) error {
	for {
		oldest := x.o.oldest()
		records = slices.DeleteFunc(records, func(r store.Record) bool { return format.HourOf(r.Time).End() <= oldest })
		err := x.roomToSpare()
		if err == nil {
			err = x.intake.put(ctx, records, 0)
		}
		wait := errors.Is(err, errNoSpare) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnavailable)
		x.mu.Lock()
		if r.Waiting = ""; wait {
			r.Waiting = err.Error()
		}
		x.mu.Unlock()
		switch {
		case errors.Is(err, store.ErrExpired):
			continue // while it came back
		case !wait:
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func (x *recoveries) roomToSpare() error {
	u, err := x.o.FS.GetDiskUsage(x.space.dir)
	if least := spareFactor * uint64(x.space.min); err == nil && u.AvailBytes < least {
		return fmt.Errorf("%w: %d MiB are left, and recovery keeps %d MiB free", errNoSpare, u.AvailBytes>>20, least>>20)
	}
	return nil // who doesn't know how much there is finds out
}

// now returns the recoveries with their current progress.
func (x *recoveries) now() []Recovery {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := make([]Recovery, len(x.list))
	for i, r := range x.list {
		out[i] = *r
	}
	return out
}

// left returns the partitions that are still to be recovered.
func (x *recoveries) left() (left []Aside) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range x.list {
		if !r.Done {
			left = append(left, r.left...)
		}
	}
	return left
}
