package disk

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Repaired is the result of Repair.
type Repaired struct {
	Kept, Lost int64  // profiles; Lost counts only known losses
	Unsure     bool   // more may be lost
	Old        string // directory of the original store
}

func (r Repaired) String() string { return keptText(r.Kept, r.Lost, r.Unsure) }

// Repair writes what can be read of the store in a directory to a new store, which
// takes its place. The store must not be open. Roll-ups and indexes are rebuilt. The
// original is kept under another name. Problems are reported as in Verify. After an
// error the store is unchanged, and nothing of a new one is left.
func Repair(ctx context.Context, dir string, o Options, report func(problem string)) (done Repaired, err error) {
	o.fill()
	fresh := dir + ".repaired"
	if done, err := finishRepair(o.FS, dir, fresh); err != nil || done.Old != "" {
		return done, err
	}
	a, err := newAudit(ctx, dir, o.FS, report)
	if err != nil {
		return done, err
	}
	defer a.close()
	// What a repair left that was killed.
	if err := o.FS.RemoveAll(fresh); err != nil {
		return done, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.FS.RemoveAll(fresh))
		}
	}()
	o.Epoch, o.Retention, o.MaxBytes, o.PackAfter = time.Duration(a.epoch), 0, 0, -1
	to, err := Open(fresh, o)
	if err != nil {
		return done, err
	}
	for _, p := range a.parts {
		if err = a.copyTo(p, to.Put); err != nil {
			break
		}
	}
	if err == nil {
		err = to.Compact(ctx)
	}
	done.Kept, done.Lost = to.Stats().Profiles, a.found.Lost
	done.Unsure = a.files.lossy
	if err = cmp.Or(err, to.Close()); err != nil {
		return done, err
	}
	if done.Old, err = freeName(o.FS, dir+damagedExt); err != nil {
		return done, err
	}
	if err = renameDir(o.FS, dir, done.Old); err != nil {
		return done, err
	}
	if err = renameDir(o.FS, fresh, dir); err != nil {
		return done, errors.Join(err, renameDir(o.FS, done.Old, dir))
	}
	return done, nil
}

// finishRepair completes a repair that was killed before its last step.
func finishRepair(fsys vfs.FS, dir, fresh string) (done Repaired, err error) {
	for _, name := range []string{fresh, dir + damagedExt} {
		if _, err := fsys.Stat(name); err != nil {
			return done, nil
		}
	}
	if _, err := fsys.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	if err := renameDir(fsys, fresh, dir); err != nil {
		return done, err
	}
	s, err := Open(dir, Options{FS: fsys, PackAfter: -1})
	if err != nil {
		return done, err
	}
	done.Kept, done.Old = s.Stats().Profiles, dir+damagedExt
	return done, s.Close()
}
