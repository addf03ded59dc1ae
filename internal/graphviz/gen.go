//go:build ignore

// Gen fetches graphviz.wasm.zst: the file graphviz.wasm in a release of the Go module
// github.com/goccy/go-graphviz, compressed. That module's own packages are not used. They
// compile the WebAssembly while the program starts, keep the machine code in a
// directory of the machine's users in common, share one instance between all
// calls, and cannot write pdf or ps.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// The version embeds Graphviz 12.1.2. On a change update NOTICE.md and the
// checksum in the test.
const module = "github.com/goccy/go-graphviz@v0.2.9"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var downloaded struct{ Dir string }
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&downloaded); err != nil {
		return err
	}
	wasm, err := os.ReadFile(filepath.Join(downloaded.Dir, "internal", "wasm", "graphviz.wasm"))
	if err != nil {
		return err
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	return os.WriteFile("graphviz.wasm.zst", encoder.EncodeAll(wasm, nil), 0o644)
}
