package schedule

import (
	"time"

	"github.com/hone-go/hone/internal/experiment"
)

// Layouts says whether a comparison links binaries in several orders.
type Layouts uint8

const (
	AutoLayouts Layouts = iota // where linking takes no longer than measuring, else to confirm a change
	AllLayouts                 // however long it takes
	NoLayouts                  // one binary a side, as linked
)

// Options of a schedule, with all defaults filled in.
type Options struct {
	experiment.Options // of the comparison; its Looks say how many pairs there are

	Benchtime Length
	Count     int           // of samples, if nothing is compared
	For       time.Duration // that a comparison may take; 0: as long as it takes
	Wait      time.Duration // limits the waiting for a free core; 0 is DefaultWait, and less than 0 never waits
	PreCheck  int           // pairs
	Layouts   Layouts
	Whole     bool // a sample is one process

	Profiles    []string
	ProfileAll  bool
	ProfileTime time.Duration
}
