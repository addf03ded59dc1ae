package silent

import (
	"context"
	"fmt"
	"log/slog"
)

func debug(ctx context.Context, l *slog.Logger, rows []int) {
	if l.Enabled(ctx, slog.LevelDebug) {
		l.Debug("rows", "all", fmt.Sprint(rows)) // hot: fmt.Sprint
	}
	l.Info("rows", "all", fmt.Sprint(rows)) // hot: fmt.Sprint
	l.Debug("rows", "n", len(rows))         // hot: log/slog.(*Logger).Debug
	fmt.Println(fmt.Sprint(rows))           // hot: fmt.Sprint
}
