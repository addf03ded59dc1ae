package notify

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/durable"
	"github.com/hone-go/hone/internal/temporary"
)

// A memory remembers in a file what each target was told, so that it isn't told again after a
// restart. It reads the file when it is first used.
type memory struct {
	file string // "" keeps it in memory only
	log  func(string)

	mu      sync.Mutex
	loaded  bool
	err     error // of reading the file
	targets map[string]map[string]record
}

// memoryFile is the content of the file.
type memoryFile struct {
	Version int                          `json:"version"`
	Targets map[string]map[string]record `json:"targets"` // by name, then by ID of the regression
}

const (
	memoryVersion = 1
	maxMemoryFile = 64 << 20
	// Records are dropped at these ages. Resolved regressions are kept for 90 days.
	forgetEnded = 100 * 24 * time.Hour
	forgetOpen  = 1000 * 24 * time.Hour
)

// load reads the file once. The caller holds the lock.
func (m *memory) load() error {
	if m.loaded {
		return m.err
	}
	m.loaded, m.targets = true, map[string]map[string]record{}
	if m.file == "" {
		return nil
	}
	var f memoryFile
	found, damage, err := durable.Load(m.file, maxMemoryFile, func(data []byte) error {
		if err := json.Unmarshal(data, &f); err != nil {
			return err
		}
		if f.Version > memoryVersion {
			return fmt.Errorf("%s was written by a newer hone: %w", m.file, durable.ErrKeep)
		}
		return nil
	})
	if damage != nil {
		m.log(damage.String() + "; notifications of the last day may be sent again")
	}
	if found && f.Targets != nil {
		m.targets = f.Targets
	}
	m.err = err
	return err
}

// of returns a copy of what a target was told.
func (m *memory) of(target string) (map[string]record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.load()
	return maps.Clone(m.targets[target]), err
}

// note records what a target was told. It is remembered even if the file can't be written.
func (m *memory) note(target string, told map[string]record, now int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.load(); err != nil {
		return err
	}
	if m.targets[target] == nil {
		m.targets[target] = map[string]record{}
	}
	maps.Copy(m.targets[target], told)
	for name, all := range m.targets {
		maps.DeleteFunc(all, func(_ string, r record) bool {
			return now-r.At > int64(forgetOpen) || r.Ended && now-r.At > int64(forgetEnded)
		})
		if len(all) == 0 {
			delete(m.targets, name)
		}
	}
	if m.file == "" {
		return nil
	}
	data, err := json.Marshal(memoryFile{memoryVersion, m.targets})
	if err != nil {
		return err
	}
	return temporary.ReplaceText(m.file, 0o600, append(data, '\n'))
}
