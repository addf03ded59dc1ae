package findings

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/server/reports"
)

// Config configures the service.
type Config struct {
	// Module is the module with source on this machine. If it is nil, requests fail.
	Module *advisor.Module
	// Examine finds advice in profiles and source; nil means Module.Examine.
	Examine func(context.Context, []advice.Input, advice.Options) (*advice.Report, error)
	// Keep writes findings to the module's folder, so that hone fix can apply them.
	Keep bool
	// Open returns the profile with an ID, as in package reports.
	Open func(ctx context.Context, id string, now time.Time) (reports.Opened, error)
	// Run returns a kept run by its name, or fs.ErrNotExist. It is nil if there are no
	// runs.
	Run func(ctx context.Context, name string) (*experiment.Run, error)

	Limits Limits
}

// Limits limit the cost of advice. Zeros mean the defaults.
type Limits struct {
	Time     time.Duration // time for one piece of advice: 2 minutes
	Packages int           // packages read for it, hottest first: 20
	Linger   time.Duration // a job continues without a waiting request: 15 seconds
	Fresh    time.Duration // advice on changing profiles stays current: 1 minute
}

func (l Limits) withDefaults() Limits {
	set := func(d *time.Duration, usual time.Duration) {
		if *d == 0 {
			*d = usual
		}
	}
	set(&l.Time, 2*time.Minute)
	set(&l.Linger, 15*time.Second)
	set(&l.Fresh, time.Minute)
	if l.Packages == 0 {
		l.Packages = 20
	}
	return l
}
