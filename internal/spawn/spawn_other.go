//go:build !linux

package spawn

import "os/exec"

// Start starts a command, which has no context.
func Start(cmd *exec.Cmd) (*Child, error) { return plain(cmd, 0) }
