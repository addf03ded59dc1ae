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
	// Hosts are the accepted values of the Host header: names or addresses with a
	// port. AnyAddress accepts all numeric addresses too, for a server that listens
	// on all of them.
	Hosts      []string
	AnyAddress bool
	// PublicURL is the URL that browsers use if the server is behind a proxy, ""
	// otherwise.
	PublicURL string

	// Pages is the web UI; nil for the API alone.
	Pages fs.FS
	// Auth identifies senders of requests; nil lets everyone do everything.
	Auth *auth.Auth
	// Agents receives profiles that programs send; nil refuses them.
	Agents *Agents
	// Metrics gets the server's own metrics; nil collects none.
	Metrics *prometheus.Registry
	// Log is called with lines for the operator, without a newline; nil is package
	// log.
	Log func(string)
	// Refused is told of senders without the right token, once per hour for each
	// address; nil tells no one.
	Refused func(address string, err error)

	Limits Limits
}

// Limits limit what a server uses. Zero is the default.
type Limits struct {
	Body        int64 // bytes of an upload as sent: 256 MB
	Uploads     int   // uploaded profiles kept: 32
	UploadBytes int64 // of their size in memory: 2 GB
	CacheBytes  int64 // of results kept: 512 MB
	Parallel    int   // computations in parallel: one per processor
	Queue       int   // computations that wait for those: 256
	Sending     int64 // bytes of memory of all pushes and answers in progress: 1 GB
	Push        int64 // bytes of memory of one push: 320 MiB
	Answer      int64 // bytes of an answer: 128 MB
	Work        int64 // bytes of memory, part of Sending, for one computation; 0 is no limit
	Rate        int64 // least bytes per second of a push after Grace: 1 kB; negative is no limit
	Grace       time.Duration
}

// DefaultLimits returns the defaults.
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

// sendingGrace is the default of Limits.Grace: how long a body may arrive at any rate.
const sendingGrace = 10 * time.Second
