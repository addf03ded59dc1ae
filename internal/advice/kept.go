package advice

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Kept keeps texts between runs, by keys of letters and digits. Read returns nil for a text that isn't there. A text may be lost, but
// not changed. Several processes may use one at the same time.
type Kept interface {
	Read(ctx context.Context, key string) []byte
	Write(key string, text []byte)
}

// keptFormat changes when compiledFile changes, or the choice of remarks that are kept.
const keptFormat = "1"

// key is the key for the compiler's remarks about a package; "" if they can't be kept. The build ID has a hash of all that the compiler
// read: sources and their folder, flags, the imports, and the compiler.
func (c *compiled) key() string {
	if c.built == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(keptFormat + "\n" + c.path + "\n" + c.built))
	return hex.EncodeToString(sum[:])
}

// recall fills in what an earlier run kept, and reports whether there was something.
func (c *compiled) recall(ctx context.Context, kept Kept) bool {
	key := c.key()
	if kept == nil || key == "" {
		return false
	}
	var files []compiledFile
	if text := kept.Read(ctx, key); text == nil || json.Unmarshal(text, &files) != nil {
		return false
	}
	c.files = files
	return true
}

// keep keeps what the compiler has just said of packages. The result of a compilation has the same contents as that of the usual build,
// unless a source was written in the meantime. Files about several commands may have replaced each other.
func keep(kept Kept, pkgs []*compiled) {
	if kept == nil {
		return
	}
	commands := 0
	for _, c := range pkgs {
		if c.main {
			commands++
		}
	}
	for _, c := range pkgs {
		key := c.key()
		if key == "" || contents(c.id) == "" || contents(c.id) != contents(c.built) || c.main && commands > 1 {
			continue
		}
		if text, err := json.Marshal(slices.Concat([]compiledFile{}, c.files)); err == nil {
			kept.Write(key, text)
		}
	}
}

// contents is the part of a build ID that is a hash of the compiler's output.
func contents(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// buildID returns the build ID in a file with a package's export data; "" if it has none. It is in a line near the beginning:
//
//	build id "wX5tPGoy…/Ztn4OSNF…"
func buildID(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	in := bufio.NewScanner(io.LimitReader(f, 4096))
	for in.Scan() {
		if quoted, ok := strings.CutPrefix(in.Text(), "build id "); ok {
			id, err := strconv.Unquote(quoted)
			if err != nil {
				return ""
			}
			return id
		}
	}
	return ""
}
