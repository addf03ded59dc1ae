package experiment

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/temporary"
)

// A Writer writes a run. It is for one goroutine.
type Writer struct {
	info    Info
	dir     string
	bench   map[part]*benchOut
	folders map[string][2]string // by folder in lower case: package and benchmark
	closed  bool
	began   time.Time
}

type benchOut struct {
	file *os.File
	out  *benchfmt.Writer
}

// Create starts a run below root, which it makes if it is missing. Schema, ID,
// Created (when zero) and State of info are set by it. The directory appears in
// one step, with the state partial, which it keeps until Close.
func Create(root string, info Info) (*Writer, error) {
	if info.Created.IsZero() {
		info.Created = time.Now()
	}
	// Two short runs begin in one second: its parts are what orders them.
	info.Created = info.Created.UTC().Truncate(time.Millisecond)
	info.Schema, info.State, info.Files = SchemaVersion, Partial, nil
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	// Names by the second; the random end tells apart those of one.
	for taken := true; taken; {
		var random [2]byte
		if _, err := rand.Read(random[:]); err != nil {
			return nil, err
		}
		info.ID = info.Created.Format("20060102-150405-") + hex.EncodeToString(random[:])
		_, err := os.Lstat(filepath.Join(root, info.ID))
		taken = err == nil
	}
	temporary.SweepTree(root) // also what killed ones left in their runs
	hidden, err := temporary.MakeIn(root)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	w := &Writer{info: info, dir: hidden.Path, bench: make(map[part]*benchOut), folders: make(map[string][2]string), began: time.Now()}
	err = os.Chmod(hidden.Path, 0o777&^umask)
	if err == nil {
		err = w.writeInfo()
	}
	if err == nil {
		err = hidden.Rename(filepath.Join(root, info.ID))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create run: %w", err), hidden.Remove())
	}
	w.dir = hidden.Path
	return w, nil
}

// umask is assumed: temporary directories and files are for the owner only, and runs
// are as public as other output of a build.
const umask = 0o022

// ID returns the run's name; Dir its directory.
func (w *Writer) ID() string  { return w.info.ID }
func (w *Writer) Dir() string { return w.dir }

// Note and Warn add a line to run.json, which is rewritten at once: an
// interrupted run keeps what was said of it.
func (w *Writer) Note(text string) error {
	w.info.Notes = append(w.info.Notes, text)
	return w.writeInfo()
}

func (w *Writer) Warn(text string) error {
	w.info.Warnings = append(w.info.Warnings, text)
	return w.writeInfo()
}

// Fail adds a failure to run.json.
func (w *Writer) Fail(f Failure) error {
	w.info.Failures = append(w.info.Failures, f)
	return w.writeInfo()
}

// Time says how long the run will take, or took.
func (w *Writer) Time(t Timing) error {
	w.info.Timing = &t
	return w.writeInfo()
}

// Append writes what one process of a side printed: results and unit lines. It
// is on disk, though not synced, when Append returns. slot is written as a line
// that other readers of the format skip; nil for runs that compare nothing.
func (w *Writer) Append(phase Phase, side Side, slot *Slot, records ...benchfmt.Record) error {
	if w.closed {
		return errors.New("append to a closed run")
	}
	p := part{phase, side}
	if w.info.Base == nil {
		p = part{Measure, Head}
	}
	b := w.bench[p]
	if b == nil {
		f, err := os.OpenFile(filepath.Join(w.dir, w.info.file(p)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		b = &benchOut{f, benchfmt.NewWriter(f)}
		w.bench[p] = b
	}
	if slot != nil {
		if _, err := b.file.WriteString(slotText(slot)); err != nil {
			return err
		}
	}
	for _, r := range records {
		if err := b.out.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// AddProfile copies a profile into the run; kind is "cpu", "mem" and the like,
// and side counts only in a run that compares. r has to give a gzipped protobuf
// profile, or, of the kind "trace", an execution trace; what it is, is checked
// when somebody reads it.
func (w *Writer) AddProfile(pkg, benchmark string, side Side, kind string, r io.Reader) error {
	if w.closed {
		return errors.New("add a profile to a closed run")
	}
	if kind == "" || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return fmt.Errorf("profile kind %q: want lower-case letters, digits and _", kind)
	}
	name := [2]string{pkg, benchmark}
	folder := folderOf(pkg, benchmark)
	if other, taken := w.folders[strings.ToLower(folder)]; taken && other != name {
		folder = foldedFolderOf(pkg, benchmark)
	} else {
		w.folders[strings.ToLower(folder)] = name
	}
	file := kind + profileExt
	if kind == traceKind {
		file = kind + traceExt
	}
	if w.info.Base != nil {
		file = side.String() + "." + file
	}
	path := filepath.Join(w.dir, profilesDir, filepath.FromSlash(folder), file)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return temporary.Replace(path, 0o666&^umask, func(f *os.File) error {
		_, err := io.Copy(f, r)
		return err
	})
}

// Close syncs all files and marks the run complete. A Writer that is dropped
// instead leaves a partial run.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	for _, p := range w.info.parts() {
		if w.bench[p] == nil {
			continue
		}
		f := w.bench[p].file
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return fmt.Errorf("close run: %w", err)
		}
	}
	files, err := sumFiles(w.dir)
	if err != nil {
		return fmt.Errorf("close run: %w", err)
	}
	w.info.Files, w.info.State = files, Complete
	w.info.Took = time.Since(w.began).Round(time.Millisecond).Seconds()
	if err := w.writeInfo(); err != nil {
		return fmt.Errorf("close run: %w", err)
	}
	return nil
}

// Abandon closes the files and leaves the run partial, with a note why.
func (w *Writer) Abandon(why string) error {
	if w.closed {
		return nil
	}
	w.closed = true
	var errs []error
	for _, b := range w.bench {
		errs = append(errs, b.file.Close())
	}
	w.info.Warnings = append(w.info.Warnings, why)
	return errors.Join(append(errs, w.writeInfo())...)
}

func (w *Writer) writeInfo() error {
	text, err := json.MarshalIndent(&w.info, "", "  ")
	if err != nil {
		return err
	}
	return temporary.ReplaceText(filepath.Join(w.dir, infoFile), 0o666&^umask, append(text, '\n'))
}
