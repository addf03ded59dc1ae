package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/load/kafkaload"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/loads"
)

// RunLoads runs a server that puts load on Kafka's brokers until ctx is done: hone
// load kafka -listen. Of the configuration it heeds what says who may ask and how
// they connect.
func RunLoads(ctx context.Context, cfg *Config, brokers kafkaload.Options, o Options) (err error) {
	d := &daemon{cfg: cfg, o: o, level: new(slog.LevelVar), metrics: prometheus.NewRegistry()}
	d.log = newLog(o.Stderr, cfg, d.level)
	l, reach, err := d.listen(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	if cfg.needsLogin(!reach.Public) {
		if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
			return cfg.Blame("data", err)
		}
		if d.auth, err = d.newAuth(); err != nil {
			return err
		}
		defer d.auth.Audit.Close()
	}
	if d.server, err = server.New(ctx, d.serverConfig(reach)); err != nil {
		return err
	}
	service := loads.New(ctx, d.server, brokers)
	defer service.Wait()
	d.server.Operate(func() error { return nil })
	of := server.Listening{Connections: cfg.connections(), Body: time.Duration(cfg.Server.BodyTimeout), Drain: time.Duration(cfg.Server.Shutdown)}
	scheme, err := d.secure(&of)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Stdout, "Serving on %s://%s/, loads for %s; ^C ends it\n", scheme, reach.Hosts[0], brokers.Brokers[0])
	if d.auth == nil && reach.Public {
		d.log.Warn("anyone who can connect can put load on the brokers")
	}
	return d.server.ServeContinuous(ctx, l, of)
}
