// Package capture gets profiles from files, standard input and servers, decodes
// and merges them.
package capture

import (
	"io"
	"time"
)

const (
	defaultTimeout = 60 * time.Second
	// headerSlack is what a server may take on top of the timeout.
	headerSlack    = 5 * time.Second
	maxRedirects   = 10
	maxErrorBody   = 1 << 10
	profileHandler = "/debug/pprof/profile"
	insecureScheme = "https+insecure"
)

// Fetcher opens the sources that a command line names: files, standard input
// and URLs. Its fields are the command line's flags; the zero value is ready.
// Do not copy or change it once used; any number of goroutines may share it.
//
// A request honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
type Fetcher struct {
	// TLSCert and TLSKey are files with a client certificate and its key:
	// both or neither. TLSCA is a file of the only authorities to trust.
	TLSCert, TLSKey, TLSCA string
	// Seconds, when positive, is asked of the server: the seconds parameter.
	Seconds int
	// Timeout bounds the time without a byte from the server, give or take
	// five seconds. Zero is 1.5 times the seconds asked for, else a minute.
	Timeout time.Duration
	// DefaultPath is what a URL without a path asks for; "" is the CPU profile.
	DefaultPath string
	// MaxBytes bounds what a server may send; 0 is no bound.
	MaxBytes int64
	// Progress gets messages, and a live line if it is a terminal. nil is silent.
	Progress io.Writer
	// Stdin is what the source "-" reads; nil is os.Stdin.
	Stdin io.Reader

	slack    time.Duration // tests replace headerSlack
	terminal bool          // tests pretend that Progress is one

	progress progress
}

// onTerminal reports whether Progress is a terminal.
func (f *Fetcher) onTerminal() bool { return f.terminal || isTerminal(f.Progress) }

// say prints a line that stays.
func (f *Fetcher) say(format string, args ...any) {
	if f.Progress != nil {
		f.progress.say(f.Progress, format, args...)
	}
}

// startLive returns the live line, nil without a terminal or while another request has it.
func (f *Fetcher) startLive() *liveLine {
	if f.Progress == nil || !f.onTerminal() {
		return nil
	}
	return f.progress.start(f.Progress)
}
