package advisor

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/profile"
)

// A digest is a hash of what a report depends on.
type digest [sha256.Size]byte

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest in hexadecimal.
func (d digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *digest) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(d[:], text[:min(len(text), 2*len(d))]); err != nil || n != len(d) {
		return fmt.Errorf("invalid digest %q", text)
	}
	return nil
}

// keyOf returns the digest of all that a report depends on, apart from files in the modules. ok is false if it
// depends on something else, too.
func keyOf(inputs []advice.Input, o *advice.Options) (key digest, ok bool) {
	for _, f := range slices.Concat(o.BuildFlags, o.Env.Flags) {
		if name := strings.TrimLeft(f, "-"); strings.HasPrefix(name, "modfile") || strings.HasPrefix(name, "overlay") || strings.HasPrefix(name, "toolexec") {
			return key, false // files elsewhere
		}
	}
	if os.Getenv("GOPACKAGESDRIVER") != "" { // another program than the go command lists packages
		return key, false
	}
	program, err := os.Executable()
	if err != nil {
		return key, false
	}
	info, err := os.Stat(program)
	if err != nil {
		return key, false
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %d\n", program, info.Size(), info.ModTime().UnixNano())
	fmt.Fprintf(h, "%q %v %v %d %d %q %q %v\n", o.Dir, o.MinShare, o.MinHotLine, o.MaxHotLines, o.MaxPackages, o.Only, o.BuildFlags, o.Compiler)
	fmt.Fprintf(h, "%q\n", o.Env.All)
	for _, in := range inputs {
		fmt.Fprintf(h, "%q %q %v\n", in.Subject, in.Kind, in.OpTime)
		if err := hashProfile(h, in.Profile); err != nil {
			return key, false
		}
	}
	h.Sum(key[:0])
	return key, true
}

// hashProfile hashes all of a profile.
func hashProfile(h hash.Hash, p *profile.Profile) error {
	fmt.Fprintf(h, "%q %q %q %d %d %d %q %q %q %q\n", p.SampleTypes, p.DefaultSampleType, p.PeriodType, p.Period, p.TimeNanos, p.DurationNanos,
		p.Comments, p.DocURL, p.DropFrames, p.KeepFrames)
	fmt.Fprintf(h, "%#v\n%d %d %d %d %d %d %d %d\n", p.Mappings, len(p.Strings), len(p.Functions), len(p.Locations), len(p.Lines), len(p.Frames), len(p.Stacks),
		len(p.LabelSets), len(p.Labels))
	var b []byte
	for _, s := range p.Strings {
		b = binary.AppendUvarint(b[:0], uint64(len(s)))
		h.Write(append(b, s...))
	}
	columns := []any{p.Functions, p.Locations, p.Lines, p.Frames, p.Stacks, p.SampleLabels, p.LabelSets, p.Labels}
	for _, v := range p.Values {
		columns = append(columns, v)
	}
	for _, v := range columns {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return nil
}

// sourcesOf returns the digest of the files that a report depends on: those that the go command may read in the folders of modules,
// go.work, and the binaries of profiles. newest is when the last of them was written, added or removed.
func sourcesOf(ctx context.Context, modules []string, env *advice.GoEnv, inputs []advice.Input) (all digest, newest time.Time, err error) {
	var files []string
	for _, dir := range modules {
		if files, newest, err = appendFiles(files, newest, dir); err != nil {
			return all, newest, err
		}
	}
	if filepath.IsAbs(env.Work) {
		files = append(files, env.Work, env.Work+".sum")
	}
	slices.Sort(files)
	files = slices.Compact(files) // modules may be nested
	hashed := make([]source, len(files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	const part = 64
	for from := 0; from < len(files); from += part {
		g.Go(func() error {
			for i := from; i < min(from+part, len(files)); i++ {
				if err := hashed[i].read(ctx, files[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return all, newest, err
	}
	ends := endsOf(inputs)
	h := sha256.New()
	for i := range hashed {
		f := &hashed[i]
		fmt.Fprintf(h, "%q %x %d\n", files[i], f.text, f.newerThan(ends))
		if f.written.After(newest) {
			newest = f.written
		}
	}
	for _, in := range inputs {
		if len(in.Profile.Mappings) > 0 {
			info, err := os.Stat(in.Profile.Mappings[0].File)
			if err == nil {
				fmt.Fprintf(h, "%d %d\n", info.Size(), info.ModTime().UnixNano())
			} else {
				fmt.Fprintln(h, "none")
			}
		}
	}
	h.Sum(all[:0])
	return all, newest, nil
}

// appendFiles adds the files in a module's folder, without those in hidden folders. newest becomes the time of the newest folder if
// that is later: something in it was added or removed then.
func appendFiles(files []string, newest time.Time, dir string) ([]string, time.Time, error) {
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != dir && isHidden(d.Name()):
			return filepath.SkipDir
		case !d.IsDir():
			files = append(files, name)
			return nil
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return err
	})
	return files, newest, err
}

// isHidden reports whether a folder isn't looked at: the go command only reads such folders if they are named.
func isHidden(folder string) bool { return strings.HasPrefix(folder, ".") }

// inHidden reports whether a path has a hidden folder below one of some folders.
func inHidden(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel) && rel != "." && slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), isHidden)
	})
}

// A source is what a file has.
type source struct {
	text    digest // of sources; zero for others, which can only be embedded, so that their names count
	written time.Time
}

// read reads a file. One that doesn't exist, such as the target of a link, is like an empty one.
func (f *source) read(ctx context.Context, name string) error {
	if !isSource(name) {
		return ctx.Err()
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	f.written = info.ModTime()
	text, err := infile.ReadFile(ctx, name, infile.MaxSource)
	if err != nil {
		return err
	}
	f.text = sha256.Sum256(text)
	return nil
}

// isSource reports whether the text of a file counts, by its name.
func isSource(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".mod", ".sum", ".work", ".s", ".S", ".sx", ".h", ".hh", ".hpp", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".m", ".f", ".F", ".for", ".f90",
		".swig", ".swigcxx", ".syso", ".pgo":
		return true
	}
	return filepath.Base(name) == "modules.txt" // of vendor
}

// endsOf are the times when profiles ended.
func endsOf(inputs []advice.Input) (ends []time.Time) {
	for _, in := range inputs {
		if t := in.Profile.TimeNanos; t > 0 {
			ends = append(ends, time.Unix(0, t+in.Profile.DurationNanos))
		}
	}
	return ends
}

// newerThan returns how many of some times are before the file was written. If a profile is older than its source, its lines
// are looked for elsewhere.
func (f *source) newerThan(ends []time.Time) (n int) {
	for _, t := range ends {
		if f.written.After(t) {
			n++
		}
	}
	return n
}
