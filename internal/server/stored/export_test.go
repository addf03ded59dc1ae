package stored

import "github.com/hone-go/hone/profile"

// What tests look at that are outside of this package, since servers with services
// import it.

const (
	PreparedServices = preparedServices
	MaxMarkerText    = maxMarkerText
	MaxNoteText      = maxNoteText
)

var (
	Divided  = profile.Divided
	AutoStep = autoStep
)
