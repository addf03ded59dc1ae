package daemon

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/server"
)

// patience is how long a store may take to open before the server answers that it
// is starting.
const patience = 2 * time.Second

// openStore opens the store of a server. While that takes long, as on a disk
// without room, connections are told so. It returns nil if ctx is done before.
func openStore(ctx context.Context, l net.Listener, cfg *Config, log *slog.Logger) (keeper, error) {
	var st keeper
	var err error
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		st, err = openKeeper(ctx, cfg, log.With("part", "store"))
	}()
	select {
	case <-opened:
	case <-time.After(patience):
		log.Warn("the store takes long to open; until then only /healthz is answered", "store", cfg.Keeps())
		stop, serr := answerStarting(l, cfg, log)
		if serr != nil {
			return nil, serr
		}
		<-opened
		stop()
	}
	if err != nil && ctx.Err() != nil {
		log.Info("ended before the store was open", "error", err)
		return nil, nil
	}
	return st, err
}

// openKeeper opens the store that a configuration names.
func openKeeper(ctx context.Context, cfg *Config, log *slog.Logger) (keeper, error) {
	if cfg.Store.URL != "" {
		return openClickHouse(ctx, cfg, log)
	}
	return openDisk(ctx, cfg, log)
}

// answerStarting answers connections of l until stop is called; l stays open.
func answerStarting(l net.Listener, cfg *Config, log *slog.Logger) (stop func(), err error) {
	hs := &http.Server{Handler: server.Starting(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	if cfg.TLS.Cert != "" {
		cert, err := openCertificate(cfg.TLS.Cert, cfg.TLS.Key, log)
		if err != nil {
			return nil, cfg.Blame("tls", err)
		}
		hs.TLSConfig = cert.config()
	}
	lent := &lentListener{Listener: l}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if hs.TLSConfig != nil {
			hs.ServeTLS(lent, "", "")
		} else {
			hs.Serve(lent)
		}
	}()
	return func() {
		hs.Close()
		<-done
		lent.giveBack()
	}, nil
}

// A lentListener is a listener that outlasts the server it is lent to.
type lentListener struct {
	net.Listener
	once sync.Once
}

// Close ends Accept.
func (l *lentListener) Close() error {
	l.once.Do(func() { l.deadline(time.Unix(1, 0)) })
	return nil
}

func (l *lentListener) giveBack() { l.deadline(time.Time{}) }

func (l *lentListener) deadline(t time.Time) {
	if tcp, ok := l.Listener.(*net.TCPListener); ok {
		tcp.SetDeadline(t)
	}
}
