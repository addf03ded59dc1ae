package disk

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// health records what is wrong with the files of a store. Pebble reports to it. It never ends
// the process.
type health struct {
	log *slog.Logger

	mu       sync.Mutex
	files    map[string]string // what is wrong with a file, by name
	blocks   map[place]error   // what is wrong with a block of a table
	standIns map[place][]byte  // blocks that are read in the place of those
	examined map[string]bool   // tables whose damaged blocks are all known
	cut      map[string]bool   // tables that are shorter or longer than they were
	failures int               // of compactions, since one succeeded
	rest     time.Time         // when compactions begin again
	err      error             // why nothing can be written any more
	broken   chan struct{}     // closed when err is set
}

// A place is the offset of a block in a file.
type place struct {
	file string
	at   int64
}

func newHealth(log *slog.Logger) *health {
	return &health{log: log, files: map[string]string{}, blocks: map[place]error{},
		standIns: map[place][]byte{}, examined: map[string]bool{}, cut: map[string]bool{}, broken: make(chan struct{})}
}

// note records a problem with a file.
func (h *health) note(file, problem string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.files[file] == "" {
		h.files[file] = problem
		h.log.Error("a file of the store is damaged: run hone store repair to make a new store from what can be read", "file", file, "problem", problem)
	}
}

// noteCut records that the length of a table has changed.
func (h *health) noteCut(file, problem string) {
	h.note(file, problem)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cut[file] = true
}

// knowsDamage reports whether any file is known to be damaged.
func (h *health) knowsDamage() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.files) > 0
}

// isDamaged reports whether a file is known to be damaged.
func (h *health) isDamaged(file string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.files[file] != ""
}

// blockName matches the offset and size of a block in Pebble's errors.
var blockName = lazyregexp.New(`block (\d+)/\d+`)

// noteBlock records that a block is damaged.
func (h *health) noteBlock(file string, err error) {
	m := blockName.FindStringSubmatch(err.Error())
	if m == nil {
		return
	}
	at, _ := strconv.ParseInt(m[1], 10, 64)
	h.mu.Lock()
	defer h.mu.Unlock()
	// Without what err wraps, which Pebble would take for a new discovery.
	h.blocks[place{file, at}] = fmt.Errorf("%w: %s", format.ErrDamaged, err.Error())
}

// watch records problems that are found when f is read.
func (h *health) watch(f *tableFile) {
	name := f.fs.PathBase(f.path)
	f.noted = func(_ int64, problem string) { h.note(name, problem) }
	f.lost = func(p []byte, at int64) error {
		h.mu.Lock()
		err, b := h.blocks[place{name, at}], h.standIns[place{name, at}]
		h.mu.Unlock()
		if len(b) == len(p) {
			copy(p, b)
			return nil
		}
		if err != nil {
			return err
		}
		err = fmt.Errorf("%w: %s: the block at byte %d: %w", format.ErrDamaged, name, at, errChecksum)
		h.note(name, err.Error())
		h.mu.Lock()
		h.blocks[place{name, at}] = err
		delete(h.examined, name)
		h.mu.Unlock()
		return err
	}
}

// problems returns descriptions of all problems.
func (h *health) problems() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, file := range slices.Sorted(maps.Keys(h.files)) {
		out = append(out, file+": "+h.files[file])
	}
	return out
}

// Infof logs a message of Pebble.
func (h *health) Infof(format string, args ...any) { h.log.Debug(fmt.Sprintf(format, args...)) }

// Errorf logs a message of Pebble.
func (h *health) Errorf(format string, args ...any) {
	h.log.Warn("the key-value store: " + fmt.Sprintf(format, args...))
}

// Fatalf is called if Pebble can't continue. It returns, so that the process continues, but
// nothing is written or removed any more: the files stay as after a crash.
func (h *health) Fatalf(format string, args ...any) {
	err := fmt.Errorf("%w: the key-value store has stopped: %s", store.ErrUnavailable, fmt.Sprintf(format, args...))
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = err
		close(h.broken)
		h.log.Error(err.Error() + "; nothing is stored until the server is restarted")
	}
}

// check returns an error if nothing can be written any more.
func (h *health) check() error {
	select {
	case <-h.broken:
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.err
	default:
		return nil
	}
}

// events returns a listener for Pebble's events.
func (h *health) events() *pebble.EventListener {
	return &pebble.EventListener{
		DataCorruption: func(i pebble.DataCorruptionInfo) {
			file := path.Base(filepath.ToSlash(i.Path))
			h.note(file, fmt.Sprint(i.Details))
			h.noteBlock(file, i.Details)
		},
		BackgroundError: func(err error) { h.Errorf("%v", err) },
		CompactionEnd:   func(i pebble.CompactionInfo) { h.compacted(i.Err) },
	}
}

// Pebble tries a compaction that failed again at once, which reads all that it
// needs each time. So all wait, longer each time, up to maxRest.
const (
	minRest = time.Second
	maxRest = 10 * time.Minute
)

// compacted records the result of a compaction.
func (h *health) compacted(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil || errors.Is(err, pebble.ErrCancelledCompaction) {
		h.failures, h.rest = 0, time.Time{}
		return
	}
	h.rest = time.Now().Add(min(minRest<<min(h.failures, 20), maxRest))
	h.failures++
}

// resting reports whether compactions are paused after one that failed.
func (h *health) resting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Before(h.rest)
}

// suspects returns the tables that have to be examined: they have damage whose extent isn't
// known yet.
func (h *health) suspects() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := map[string]bool{}
	for p := range h.blocks {
		names[p.file] = true
	}
	maps.Copy(names, h.cut)
	maps.DeleteFunc(names, func(file string, _ bool) bool { return h.examined[file] })
	return slices.Sorted(maps.Keys(names))
}

// noteExamined records that a table has been examined. It returns whether the table's length
// had changed.
func (h *health) noteExamined(file string) (cut bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.examined[file] = true
	return h.cut[file]
}

// replaced records that an intact table has replaced a damaged one.
func (h *health) replaced(file, problem string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[file] = problem
	maps.DeleteFunc(h.blocks, func(p place, _ error) bool { return p.file == file })
}

// standIn records blocks, by offset, that are read in place of unreadable ones.
func (h *health) standIn(file string, blocks map[int64][]byte, problem string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[file] = problem
	for at, b := range blocks {
		h.standIns[place{file, at}] = b
	}
}

// removed forgets the problems of a removed file.
func (h *health) removed(file string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.examined[file] {
		return
	}
	delete(h.examined, file)
	delete(h.files, file)
	delete(h.cut, file)
	maps.DeleteFunc(h.blocks, func(p place, _ error) bool { return p.file == file })
	maps.DeleteFunc(h.standIns, func(p place, _ []byte) bool { return p.file == file })
}
