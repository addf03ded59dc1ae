package shell

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// lineReader asks for lines.
type lineReader interface {
	// readLine shows the prompt and returns the next line. At the end of input
	// it returns io.EOF, perhaps with a last line without a newline.
	readLine(prompt string) (string, error)
}

// plainReader reads lines from something other than a terminal.
type plainReader struct {
	in  *bufio.Reader
	out io.Writer
}

func newPlainReader(in io.Reader, out io.Writer) *plainReader {
	return &plainReader{bufio.NewReader(in), out}
}

func (r *plainReader) readLine(prompt string) (string, error) {
	if _, err := io.WriteString(r.out, prompt); err != nil {
		return "", err
	}
	return r.in.ReadString('\n')
}

// terminal edits lines on a terminal. The terminal is in raw mode only while it reads, so
// output and ^C work as usual while a command runs.
type terminal struct {
	fd       int
	keys     *keyReader
	out      io.Writer
	history  *history
	complete completeFunc
	term     *term.Terminal
}

// completeFunc completes line at the byte pos. It returns the new line and cursor
// position, and the candidates to list if there are several. ok is false if there is
// nothing to complete.
type completeFunc func(line string, pos int) (newLine string, newPos int, candidates []string, ok bool)

// openTerminal returns nil if in is not a terminal that can be put in raw mode.
func openTerminal(in *os.File, out io.Writer, h *history, complete completeFunc) *terminal {
	fd := int(in.Fd())
	state, err := term.MakeRaw(fd)
	if err != nil {
		return nil
	}
	if err := term.Restore(fd, state); err != nil {
		return nil
	}
	t := &terminal{fd: fd, keys: &keyReader{in: in}, out: out, history: h, complete: complete}
	t.reset()
	return t
}

// reset starts with an empty line. A term.Terminal that has stopped at ^C keeps its line,
// and would stop at the same ^C again.
func (t *terminal) reset() {
	t.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{t.keys, t.out}, "")
	t.term.History = t.history
	t.term.AutoCompleteCallback = t.key
}

func (t *terminal) readLine(prompt string) (string, error) {
	state, err := term.MakeRaw(t.fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(t.fd, state)
	for {
		t.term.SetPrompt(prompt)
		if width, height, err := term.GetSize(t.fd); err == nil && width > 0 {
			t.term.SetSize(width, height)
		}
		line, err := t.term.ReadLine()
		switch {
		case err == term.ErrPasteIndicator:
			return line, nil
		case err == io.EOF && t.keys.takeInterrupt():
			if _, err := io.WriteString(t.out, "^C\r\n"); err != nil {
				return "", err
			}
			t.reset()
			continue
		case err == io.EOF:
			// Further output should not follow the prompt.
			io.WriteString(t.out, "\r\n")
		}
		return line, err
	}
}

// maxListed is how many candidates Tab lists at most.
const maxListed = 60

// key handles keys that term.Terminal doesn't use for editing.
func (t *terminal) key(line string, pos int, key rune) (newLine string, newPos int, ok bool) {
	if key != '\t' {
		return "", 0, false
	}
	newLine, newPos, candidates, ok := t.complete(line, pos)
	if !ok {
		return line, pos, true // ignore tabs
	}
	if len(candidates) > 1 {
		width, _, err := term.GetSize(t.fd)
		if err != nil {
			width = 80
		}
		// The Terminal writes it above the line being edited.
		io.WriteString(t.term, columns(candidates, width))
	}
	return newLine, newPos, true
}

// columns lays names out like ls, down and then across.
func columns(names []string, width int) string {
	more := ""
	if len(names) > maxListed {
		more = "...\n"
		names = names[:maxListed]
	}
	longest := 0
	for _, name := range names {
		longest = max(longest, len(name))
	}
	cols := max(1, (width-1)/(longest+2))
	rows := (len(names) + cols - 1) / cols
	var b strings.Builder
	for row := range rows {
		for i := row; i < len(names); i += rows {
			b.WriteString(names[i])
			if i+rows < len(names) {
				b.WriteString(strings.Repeat(" ", longest+2-len(names[i])))
			}
		}
		b.WriteByte('\n')
	}
	return b.String() + more
}

const ctrlC = 3

// keyReader passes on what is typed, up to one ^C per read. Unlike term.Terminal, it
// distinguishes ^C from the end of input.
type keyReader struct {
	in          io.Reader
	pending     []byte // read and not passed on
	interrupted bool   // the last byte passed on was a ^C
	buf         [256]byte
}

func (r *keyReader) Read(p []byte) (int, error) {
	if len(r.pending) == 0 {
		n, err := r.in.Read(r.buf[:])
		if n == 0 {
			return 0, err
		}
		r.pending = r.buf[:n] // an error will come again
	}
	chunk := r.pending
	if i := bytes.IndexByte(chunk, ctrlC); i >= 0 {
		chunk = chunk[:i+1]
	}
	n := copy(p, chunk)
	r.pending = r.pending[n:]
	r.interrupted = n > 0 && p[n-1] == ctrlC
	return n, nil
}

// takeInterrupt reports whether reading stopped at a ^C, once.
func (r *keyReader) takeInterrupt() bool {
	was := r.interrupted
	r.interrupted = false
	return was
}
