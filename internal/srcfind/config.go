package srcfind

// DefaultMaxBytes is the size above which a source file is refused.
const DefaultMaxBytes = 64 << 20

// Config says where to search. The zero value searches as go tool pprof does
// without flags.
type Config struct {
	// SearchPath and TrimPath are the values of -source_path and -trim_path:
	// lists separated by filepath.ListSeparator. An empty SearchPath is Dir.
	SearchPath, TrimPath string
	// Dir is where the search for go.mod and go.work starts, upward. Empty
	// is the process's current directory.
	Dir string
	// MaxBytes bounds a source file; 0 is DefaultMaxBytes.
	MaxBytes int64
	// CacheBytes bounds the memory for what was found, and for what was not; 0 is
	// DefaultCacheBytes.
	CacheBytes int64
	// Confined is for servers, where whoever sends a profile chooses the file
	// names that others then read. It serves only Go and cgo source, only from
	// the directories of SearchPath (not their parents), GOROOT, the module
	// cache, the modules and vendor, and follows no symbolic link out of them.
	Confined bool
	// Recorded reports whether a confined search may also open an absolute file name as
	// it is: those of profiles that the user chose, not of uploads. nil is never.
	Recorded func(file string) bool
}
