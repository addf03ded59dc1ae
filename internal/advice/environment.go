package advice

import (
	"context"
	"strings"

	"github.com/hone-go/hone/internal/gocmd"
)

// A GoEnv is the environment of the go command in a folder.
type GoEnv struct {
	Version string   // "go1.26.1"
	Root    string   // GOROOT
	Work    string   // go.work, "" or "off"
	Flags   []string // GOFLAGS
	// All are these and all other variables that change how packages are built, in a fixed order.
	All []string
}

// Environ asks the go command for its environment.
func Environ(ctx context.Context, dir string) (*GoEnv, error) {
	all, err := gocmd.Command{Dir: dir}.Environ(ctx, "GOVERSION", "GOROOT", "GOWORK", "GOFLAGS", "GOMOD", "GOMODCACHE", "GOPATH", "GO111MODULE",
		"GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM", "GOEXPERIMENT", "GODEBUG", "GOFIPS140",
		"CGO_ENABLED", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_LDFLAGS", "CC", "CXX")
	if err != nil {
		return nil, err
	}
	for i, v := range all {
		all[i] = strings.TrimSpace(v)
	}
	return &GoEnv{Version: all[0], Root: all[1], Work: all[2], Flags: gocmd.SplitFlags(all[3]), All: all}, nil
}
