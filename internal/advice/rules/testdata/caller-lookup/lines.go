package lines

import (
	"log"
	"log/slog"
	"runtime"
)

func request(l *log.Logger, path string) string {
	// want C: log.Lshortfile
	l.Printf("asked for %s", path) // hot: log.(*Logger).Printf log.(*Logger).output runtime.Caller
	// want C: AddSource
	slog.Info("asked", "path", path) // hot: log/slog.Info log/slog.(*Logger).log runtime.CallersFrames
	// want C: walks the stack each time this runs
	_, file, _, _ := runtime.Caller(1) // hot: runtime.Caller
	return file
}
