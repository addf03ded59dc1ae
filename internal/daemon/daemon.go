// Package daemon is hone serve: a server of continuous profiling from its
// configuration to its end.
//
//	config      what it is told: the file, defaults, what is wrong with it; check.go
//	log         lines that repeat others are counted
//	run         the start, in one line from the store to the server, and the end
//	daemon      the parts of a server
//	start       opening the store, and what is answered until it is open
//	store       what a server asks of a store beyond profiles; of each engine
//	protocols   the wire protocols of agents and other tools; proxy.go
//	status      how the parts fare
//	functionmetrics
//	            rules that make metrics of functions
//	reload      what changes while it runs; certificate.go
package daemon

import (
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler"
	"github.com/hone-go/hone/internal/ingest/scrape"
	"github.com/hone-go/hone/internal/notify"
	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/stored"
)

// Options is what a daemon gets of the outside.
type Options struct {
	// Reload reads the configuration anew, when the process is told to.
	Reload func() (*Config, error)
	// Site is how profiles are read and shown: Options, Env, Graphs and Decode.
	Site    reports.Config
	Version string
	Stdout  io.Writer // addresses, for people
	Stderr  io.Writer // the log
	Getenv  func(string) string
}

// daemon is a server of continuous profiling with its parts, in the order in which
// they are made.
type daemon struct {
	cfg   *Config
	o     Options
	log   *slog.Logger
	level *slog.LevelVar

	store   keeper
	auth    *auth.Auth // nil without login
	metrics *prometheus.Registry
	memory  *ingest.Memory // of what comes in
	markers *stored.Markers
	hub     *ingest.Hub
	scraper *scrape.Scraper

	cloudProfiler *cloudprofiler.Service // among the protocols

	server   *server.Server
	kept     *stored.Service
	watching *regress.Watch
	notifier *notify.Notifier
	profiles *reports.Service

	functions *fnmetrics.Watch

	changes changes // of the figures that status tells
}

// warn tells the log what the user of a page can't be told.
func (d *daemon) warn(line string) { d.log.Warn(line) }
