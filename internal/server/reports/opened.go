package reports

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// Config is what the service is made of. Options has no useful zero value.
type Config struct {
	// Profiles are listed in this order.
	Profiles []Source
	// Shown and Base are the places in Profiles of what is shown at first, and
	// of what it is compared with.
	Shown, Base []int
	// Options are the options of the first view. Their SourcePath and TrimPath
	// hold for all.
	Options shell.Config

	// Opener opens profiles by the ids that it knows, before those above are
	// looked at; nil knows none.
	Opener Opener
	// Lookup finds a profile of a kept run by its name, RUN:Benchmark/kind. An
	// error that is fs.ErrNotExist says that there is none. nil finds none.
	Lookup func(ctx context.Context, name string) (Source, error)
	// Offers is what else there is to look at.
	Offers api.Offers

	// Decode opens what was uploaded. It fails with a *profile.LimitError if
	// that is too large. nil refuses uploads.
	Decode func(ctx context.Context, data []byte) (*profile.Profile, error)
	// Env gives reports source and binaries. Its functions are called from
	// several goroutines at a time; Warn is not used.
	Env       report.Env
	Graphs    graphviz.Engine // lays out call graphs; the zero engine does in this process
	ViewsFile string          // where saved views are kept, "" for nowhere
	// Shared bounds what a pattern may cost: who has the profile on a machine of
	// their own may wait as long as they like.
	Shared bool
}

// An Opener opens profiles by ids. Its methods are called from several goroutines
// at a time.
type Opener interface {
	// Opens reports whether an id is one of this opener's, valid or not.
	Opens(id string) bool
	// Open returns the profile with an id. Times in it are relative to now. An
	// error about the id blames the parameter "profile".
	Open(ctx context.Context, id string, now time.Time) (Opened, error)
}

// Opened is a profile that can be asked for. Its content is told by ID and Version:
// what is made of it holds as long as those do. Until Load is called it may hold the
// profile, which no limit of the cache counts: it is not to be kept.
type Opened struct {
	ID, Name string
	Version  string // "" where the ID alone tells
	Load     func(context.Context) (*profile.Profile, error)
	// Selection returns what a store says of a selection; nil for other profiles.
	Selection func() *api.SelectionInfo
}

// key tells opened profiles with different content apart.
func (o *Opened) key() string { return o.ID + o.Version }

// perSecond reports whether its values are rates.
func (o *Opened) perSecond() bool { return o.Selection != nil && o.Selection().Per == api.PerSecond }

// A Source is a profile to be listed.
type Source struct {
	// ID is a lasting name of the profile, "" to have one made of its content.
	ID     string
	Name   string
	Merged int // how many it is the sum of; 0 is one
	// Paths are the sources as a command line names them, for commands that a
	// user copies; they are shown to whoever may ask.
	Paths []string
	// Ready is the profile if it is loaded already. Otherwise Load returns it; it
	// is called once, when the profile is first asked for. It may fail: the
	// profile is then listed with the error.
	Ready *profile.Profile
	Load  func(context.Context) (*profile.Profile, error)
}
