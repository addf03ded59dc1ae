package reports

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/graphviz"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/srcfind"
	"github.com/hone-go/hone/profile"
)

// Config configures the service. Options has no useful zero value.
type Config struct {
	// Profiles are listed in this order.
	Profiles []Source
	// Shown and Base are the indexes in Profiles of the profiles to show first, and
	// of those to compare them with.
	Shown, Base []int
	// Options are the options of the first view. Their SourcePath and TrimPath
	// hold for all.
	Options shell.Config

	// Opener opens the ids that it knows; all others are looked up in Profiles. It
	// may be nil.
	Opener Opener
	// Lookup finds a profile of a kept run by its name, RUN:Benchmark/kind. It fails
	// with fs.ErrNotExist if there is none. It may be nil.
	Lookup func(ctx context.Context, name string) (Source, error)
	// Offers are the other pages to look at.
	Offers api.Offers

	// Decode reads an uploaded profile. It fails with a *profile.LimitError if the
	// profile is too large. nil refuses uploads.
	Decode func(ctx context.Context, data []byte) (*profile.Profile, error)
	// Env gives reports source and binaries. Its functions are called concurrently;
	// Warn is not used.
	Env report.Env
	// Build reads the build information in a profile's program; nil if the program isn't
	// there. It is called concurrently, and may be nil where programs aren't opened.
	Build func(p *profile.Profile) *api.Build
	// TextAt finds a source file by its name in a profile as it was at a revision. It is
	// called concurrently, and may be nil.
	TextAt    func(ctx context.Context, file, revision string) (*srcfind.Text, error)
	Graphs    graphviz.Engine // lays out call graphs; the zero engine works in this process
	ViewsFile string          // where saved views are kept, "" for nowhere
	// Shared limits the cost of patterns. On a machine that others don't share,
	// users may wait as long as they like.
	Shared bool
}

// An Opener opens profiles by ids. Its methods are called concurrently.
type Opener interface {
	// Opens reports whether an id belongs to this opener, valid or not.
	Opens(id string) bool
	// Open returns the profile with an id. Times in it are relative to now. An
	// error about the id blames the parameter "profile".
	Open(ctx context.Context, id string, now time.Time) (Opened, error)
}

// Opened is a profile that is ready to load. ID and Version identify its content:
// results computed from it are valid for this pair. Don't keep an Opened: until Load is
// called it may hold the profile, and the cache doesn't count that memory.
type Opened struct {
	ID, Name string
	Version  string // "" where the ID alone tells
	Load     func(context.Context) (*profile.Profile, error)
	// Selection returns the store's information on a selection; nil for other
	// profiles.
	Selection func() *api.SelectionInfo
	// Build is what was recorded of the code along with the profile; nil for nothing.
	Build *api.Build
	// Divided returns what the values of the profiles' sum are divided by; nil for 1.
	Divided func() float64
	// Instances calls visit with the name and profile of each instance, and what its values
	// are to be divided by; of many it visits some. It returns how many there are. It is nil
	// where profiles have no instances.
	Instances func(ctx context.Context, visit func(name string, p *profile.Profile, weight float64) error) (int, error)
	// Parts are its parts by labels of whole profiles; nil if there are no such labels.
	Parts Parts
}

// Parts are the parts of a profile by labels that whole profiles have.
type Parts interface {
	// Labels returns the labels by which there are several parts, with the number of parts.
	Labels(context.Context) ([]report.GridLabel, error)
	// By returns the parts by a label, the most expensive first in a sample type; "" is
	// the default one.
	By(ctx context.Context, label, sampleType string) ([]Part, error)
}

// A Part is the part of a profile that has a label's value.
type Part struct {
	Value    string // of the label
	ID       string // opens the part
	Cost     float64
	Profiles int64
	Opened   func(context.Context) (Opened, error)
}

// divided returns what the profile's values are divided by.
func (o *Opened) divided() float64 {
	if o.Divided == nil {
		return 1
	}
	return o.Divided()
}

// key identifies the content.
func (o *Opened) key() string { return o.ID + o.Version }

// perSecond reports whether its values are rates.
func (o *Opened) perSecond() bool { return o.Selection != nil && o.Selection().Per == api.PerSecond }

// A Source is a profile to be listed.
type Source struct {
	// ID is a lasting name of the profile. If it is "", one is made from the content.
	ID     string
	Name   string
	Merged int // number of profiles added up; 0 means 1
	// Paths are the sources as a command line names them, for commands that users
	// copy. Everyone who may see the profile sees them.
	Paths []string
	// Build is what was recorded of the code along with the profile; nil for nothing.
	Build *api.Build
	// Ready is the profile if it is already loaded. Otherwise Load returns it: it is
	// called once, when the profile is first needed. If it fails, the profile is
	// listed with the error.
	Ready *profile.Profile
	Load  func(context.Context) (*profile.Profile, error)
}
