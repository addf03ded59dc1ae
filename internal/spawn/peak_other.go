//go:build !unix

package spawn

import "os"

// PeakRSS is not known here: the handle of a process that has ended does not
// tell through package os.
func PeakRSS(*os.ProcessState) (bytes int64, ok bool) { return 0, false }
