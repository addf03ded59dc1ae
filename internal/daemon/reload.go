package daemon

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/hone-go/hone/internal/server/auth"
)

// reloadOnHangup reads the configuration again when the process is told to. What
// can change while the server runs does; the rest is for the next start.
func (d *daemon) reloadOnHangup(ctx context.Context) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hangup)
		for {
			select {
			case <-hangup:
				d.reload()
			case <-ctx.Done():
				return
			}
		}
	}()
}

func (d *daemon) reload() {
	event := auth.Event{Action: "config.reload", Result: auth.OK, Target: d.cfg.file}
	err := func() error {
		cfg, err := d.o.Reload()
		if err != nil {
			return err
		}
		if d.auth != nil && d.auth.OIDC != nil && cfg.Auth.OIDC != nil {
			of, err := cfg.oidc()
			if err != nil {
				return err
			}
			d.auth.OIDC.SetRules(of.Rules)
		}
		if err := d.scraper.Apply(cfg.Scrape); err != nil {
			return cfg.Blame("scrape", err)
		}
		if err := d.applyFunctionMetrics(cfg); err != nil {
			return err
		}
		level, err := cfg.logLevel()
		d.level.Set(level)
		return err
	}()
	if err != nil {
		event.Result, event.Detail = auth.Failed, err.Error()
	}
	if d.auth != nil {
		d.auth.Audit.Log(event) // before the log tells of it, where one then looks it up
	}
	if err != nil {
		d.log.Error("the configuration can't be read again, the one before stays in force", "error", err)
	} else {
		d.log.Info("read the configuration again")
	}
}
