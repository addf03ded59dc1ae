package shell

import (
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// oraclePath returns the file of `go tool pprof`, or "" if there is none.
func oraclePath(t *testing.T) string {
	t.Helper()
	path, err := findOracle()
	if err != nil {
		t.Logf("go tool pprof is missing, nothing is compared with it: %v", err)
		return ""
	}
	return path
}

var findOracle = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	return strings.TrimSpace(string(out)), err
})
