package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/temporary"
)

// Outlet writes reports to their destination. All fields except Out and Err may be
// zero. It is for one goroutine.
type Outlet struct {
	Out, Err io.Writer

	// ToScreen is set if Out is a terminal: binary reports then go to a new
	// file instead.
	ToScreen bool
	// Background leaves viewers running; otherwise Deliver waits for them.
	Background bool
	// View shows a file with the first program that starts; a program may have
	// arguments, separated by spaces. nil runs them.
	View func(file string, programs []string) error
	// Getenv is os.Getenv if nil.
	Getenv func(string) string

	forViewers *temporary.Dir // files for viewers, which Close removes; nil: none yet
	lastView   time.Time      // when a viewer was last started
}

// keepForViewer is how long a file stays for a viewer that passes it to another
// process, such as xdg-open or a running browser.
const keepForViewer = time.Second

// holdBack is how many bytes of a report are buffered before anything is written, so
// that a report that fails early leaves no output.
const holdBack = 1 << 20

// Deliver writes the report that generate makes for the command name. It goes to
// the file output, "-" for Out; if output is "", to the default of the command: a
// viewer, a new file, or Out. The empty name means plain text. A report that fails
// within its first megabyte leaves no file and no output. When ctx is done, Deliver
// returns its error, even if generate hasn't returned.
func (o *Outlet) Deliver(ctx context.Context, name, output string, generate func(ctx context.Context, w io.Writer) error) error {
	c := lookupCommand(name)
	if c == nil {
		c = new(command)
	}
	var file *os.File // nil unless the report goes to a file
	var announce string
	open := func() (w io.Writer, err error) {
		switch {
		case output == "-":
			return o.Out, nil
		case output != "":
			file, err = os.Create(output)
			announce = output
		case c.viewer != noViewer:
			if o.forViewers == nil {
				if o.forViewers, err = temporary.Make(); err != nil {
					return nil, err
				}
			}
			file, err = createNumbered(o.forViewers.Path, "pprof", "."+c.viewExt)
		case c.file != "" && o.ToScreen:
			file, err = createNumbered("", "profile", "."+c.file)
			if err == nil {
				announce = file.Name()
			}
		default:
			return o.Out, nil
		}
		if err != nil {
			return nil, err
		}
		if announce != "" {
			fmt.Fprintln(o.Err, "Generating report in", announce)
		}
		return file, nil
	}

	w := &lateWriter{open: open}
	done := make(chan error, 1)
	go func() {
		err := generate(ctx, w)
		if err == nil {
			err = w.flush()
		}
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	w.stop() // from here on, the goroutine doesn't touch file or o
	if file != nil {
		err = errors.Join(err, file.Close())
	}
	if err != nil || output != "" || c.viewer == noViewer {
		return err
	}
	return o.view(file.Name(), c.viewer)
}

func (o *Outlet) view(file string, v viewer) error {
	getenv := o.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	programs := v.programs(runtime.GOOS, getenv)
	show := o.View
	if show == nil {
		show = o.run
	}
	o.lastView = time.Now()
	return show(file, programs)
}

// run starts the first of programs that can be started.
func (o *Outlet) run(file string, programs []string) error {
	var tried []string
	for _, program := range programs {
		args := strings.Fields(program)
		if len(args) == 0 {
			continue
		}
		cmd := exec.Command(args[0], append(args[1:], file)...)
		cmd.Stderr = TerminalOf(o.Err)
		if o.Background {
			detach(cmd)
		}
		if err := cmd.Start(); err != nil {
			tried = append(tried, args[0])
			continue
		}
		if o.Background {
			go cmd.Wait() // only to reap it: its exit code doesn't matter
			return nil
		}
		return cmd.Wait()
	}
	return fmt.Errorf("no program found to show the report (tried %s): write it to a file with -output or >", strings.Join(tried, ", "))
}

// Close removes the files made for viewers, after giving the last one a moment
// to read its file.
func (o *Outlet) Close() error {
	if o.forViewers == nil {
		return nil
	}
	time.Sleep(time.Until(o.lastView.Add(keepForViewer)))
	err := o.forViewers.Remove()
	o.forViewers = nil
	return err
}

// createNumbered makes the first file of the form prefix001suffix that does
// not exist.
func createNumbered(dir, prefix, suffix string) (*os.File, error) {
	for i := 1; i < 10000; i++ {
		name := filepath.Join(dir, fmt.Sprintf("%s%03d%s", prefix, i, suffix))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("could not create file of the form %s%03d%s", prefix, 1, suffix)
}

// lateWriter opens its destination at the first flush: when it has holdBack bytes, or
// the report is complete. After stop it writes nothing.
type lateWriter struct {
	open func() (io.Writer, error)

	mu      sync.Mutex
	buf     bytes.Buffer
	w       io.Writer
	stopped bool
}

func (w *lateWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return 0, context.Canceled
	}
	w.buf.Write(p)
	if w.buf.Len() < holdBack {
		return len(p), nil
	}
	if err := w.flushLocked(); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *lateWriter) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return context.Canceled
	}
	return w.flushLocked()
}

func (w *lateWriter) flushLocked() error {
	if w.w == nil {
		dst, err := w.open()
		if err != nil {
			return err
		}
		w.w = dst
	}
	_, err := w.buf.WriteTo(w.w)
	return err
}

func (w *lateWriter) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}
