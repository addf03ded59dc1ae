package enabled

import (
	"fmt"
	"log/slog"
)

// The level is enabled: its records are written.
func debug(l *slog.Logger, rows []int) {
	l.Debug("rows", "all", fmt.Sprint(rows)) // hot: log/slog.(*Logger).log log/slog.(*commonHandler).handle fmt.Sprint
}
