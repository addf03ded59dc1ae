package server

import (
	"cmp"
	"io/fs"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server/auth"
)

// Config is what a server is made of. Hosts has no useful zero value.
type Config struct {
	// Hosts are the values of the Host header that are answered: names or
	// addresses with a port. AnyAddress accepts all numeric addresses too, for
	// a server that listens on all of them.
	Hosts      []string
	AnyAddress bool
	// PublicURL is how browsers reach the server where that is not as it listens:
	// through a proxy. "" otherwise.
	PublicURL string

	// Pages is the web UI; nil for the API alone.
	Pages fs.FS
	// Auth tells who asks; nil lets everyone do everything.
	Auth *auth.Auth
	// Agents is what programs send; nil takes nothing in.
	Agents *Agents
	// Metrics gets the server's own figures; nil has none.
	Metrics *prometheus.Registry
	// Log gets what the user of a page can't be told: a line each, without its
	// end. nil is package log.
	Log func(string)

	Limits Limits
}

// Limits bound what a server uses. A zero is the default.
type Limits struct {
	Body        int64 // bytes of an upload as sent: 256 MB
	Uploads     int   // uploaded profiles kept: 32
	UploadBytes int64 // of their size in memory: 2 GB
	CacheBytes  int64 // of results kept: 512 MB
	Parallel    int   // computations at a time: one per processor
	Queue       int   // computations that wait for those: 256
	Sending     int64 // bytes of memory of pushes at a time, sent, decompressed and decoded, and of answers: 1 GB
	Push        int64 // of one of them: 320 MiB
	Answer      int64 // bytes of an answer: 128 MB
	Work        int64 // bytes of memory, of Sending, that one computation takes; 0 is no limit
	Rate        int64 // bytes per second that a push comes in with, after Grace, or is ended: 1 kB; negative is no bound
	Grace       time.Duration
}

// DefaultLimits returns the limits that hold where zeros stand.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

func (l Limits) withDefaults() Limits {
	return Limits{
		Body:        cmp.Or(l.Body, 256<<20),
		Uploads:     cmp.Or(l.Uploads, 32),
		UploadBytes: cmp.Or(l.UploadBytes, 2<<30),
		CacheBytes:  cmp.Or(l.CacheBytes, 512<<20),
		Parallel:    cmp.Or(l.Parallel, runtime.GOMAXPROCS(0)),
		Queue:       cmp.Or(l.Queue, 256),
		Sending:     cmp.Or(l.Sending, ingest.DefaultMemory),
		Push:        cmp.Or(l.Push, ingest.DefaultCallMemory),
		Answer:      cmp.Or(l.Answer, ingest.DefaultAnswer),
		Work:        l.Work,
		Rate:        cmp.Or(l.Rate, 1000),
		Grace:       cmp.Or(l.Grace, sendingGrace),
	}
}

// sendingGrace is how long a body may take however slowly it comes, if nothing
// else is said.
const sendingGrace = 10 * time.Second
