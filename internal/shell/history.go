package shell

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
)

// maxHistory is the number of lines that are kept.
const maxHistory = 1000

// maxHistoryFile is how much of the file is read, in bytes.
const maxHistoryFile = 16 << 20

// HistoryFile returns where lines typed in the shell are kept by default.
func HistoryFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "hone", "pprof_history"), nil
}

// history is the lines typed, oldest first, kept in a file with one line each.
// It implements term.History. Each line is appended to the file as it is
// entered, so that shells that run at the same time lose none of each other's.
// File errors are ignored: a lost history is not worth an error message.
type history struct {
	file  string // "" for none
	lines []string
}

func newHistory(file string) *history {
	h := &history{file: file}
	if file == "" {
		return h
	}
	data, err := infile.ReadFile(context.Background(), file, maxHistoryFile)
	if err != nil {
		return h
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			h.lines = append(h.lines, line)
		}
	}
	if len(h.lines) > maxHistory {
		h.trim()
		h.rewrite()
	}
	return h
}

func (h *history) trim() {
	if n := len(h.lines) - maxHistory; n > 0 {
		h.lines = append(h.lines[:0], h.lines[n:]...)
	}
}

// rewrite replaces the file in one step, because other shells may be reading it.
func (h *history) rewrite() {
	temporary.ReplaceText(h.file, 0o600, []byte(strings.Join(h.lines, "\n")+"\n"))
}

// Add appends a line unless it is blank or the same as the one before.
func (h *history) Add(line string) {
	line = strings.TrimSpace(line)
	if line == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	h.trim()
	if h.file == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return
	}
	f, err := os.OpenFile(h.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if err := f.Chmod(0o600); err != nil {
		return
	}
	f.WriteString(line + "\n")
}

func (h *history) Len() int { return len(h.lines) }

// At returns the line entered i lines before the last.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }
