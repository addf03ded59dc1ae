package debug

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
)

func debug(ctx context.Context, l *slog.Logger, rows []int, d time.Duration) {
	// want C: fmt.Sprintf runs before slog.Debug
	slog.Debug("rows", "all", fmt.Sprintf("%v", rows)) // hot: fmt.Sprintf
	// want C: (time.Duration).String runs before
	l.DebugContext(ctx, "took", "time", d.String()) // hot: time.Duration.String
	// want C: fmt.Sprint runs before
	l.Debug(fmt.Sprint(rows)) // hot: fmt.Sprint
}

func encode(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
