package capture

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
	"github.com/hone-go/hone/profile"
)

// convertPerf reads a file of perf record with a program that is installed:
// perf_to_profile, as go tool pprof does, or perf itself. Only files of the
// command line are read so, never what came over the network.
func convertPerf(ctx context.Context, file string, limits profile.Limits) (*profile.Profile, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir, err := temporary.Make()
	if err != nil {
		return nil, err
	}
	defer dir.Remove()
	if file, err = plainFile(file, dir.Path, limits); err != nil {
		return nil, err
	}
	if program, err := exec.LookPath("perf_to_profile"); err == nil {
		return perfToProfile(ctx, program, file, filepath.Join(dir.Path, "profile.pb.gz"), limits)
	}
	program, err := exec.LookPath("perf")
	if err != nil {
		return nil, fmt.Errorf("%w; or install perf or perf_to_profile, which hone runs to read it", profile.ErrPerfData)
	}
	cmd := exec.CommandContext(ctx, program, "script", "-f", "-i", file)
	var complaints complaints
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p, err := profile.Decode(out, limits)
	if err != nil {
		cancel() // there is no use for the rest
	}
	if wait := cmd.Wait(); wait != nil && (err == nil || complaints.text.Len() > 0) {
		return nil, fmt.Errorf("perf script failed: %w%s", wait, complaints.last())
	}
	if err != nil {
		return nil, fmt.Errorf("reading what perf script made of it: %w", err)
	}
	return p, nil
}

// plainFile returns the absolute name, which no program takes for a flag, of the
// file or, if it is compressed, of a decompressed copy in dir.
func plainFile(file, dir string, limits profile.Limits) (string, error) {
	in, err := infile.Open(file)
	if err != nil {
		return "", err
	}
	defer in.Close()
	plain, err := profile.Decompress(in)
	if err != nil {
		return "", err
	}
	if _, asItIs := plain.(*bufio.Reader); !asItIs {
		most := cmp.Or(limits.Bytes, profile.DefaultLimits().Bytes)
		copied := filepath.Join(dir, "perf.data")
		out, err := os.Create(copied)
		if err != nil {
			return "", err
		}
		if n, err := io.Copy(out, io.LimitReader(plain, most+1)); err != nil || n > most {
			out.Close()
			return "", cmp.Or(err, error(&profile.LimitError{What: "bytes", Limit: most}))
		}
		return copied, out.Close()
	}
	return filepath.Abs(file)
}

func perfToProfile(ctx context.Context, program, file, name string, limits profile.Limits) (*profile.Profile, error) {
	cmd := exec.CommandContext(ctx, program, "-i", file, "-o", name, "-f")
	var complaints complaints
	cmd.Stderr = &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("perf_to_profile failed: %w%s", err, complaints.last())
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("perf_to_profile wrote no profile%s", complaints.last())
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Decode(f, limits)
	if err != nil {
		return nil, fmt.Errorf("reading what perf_to_profile made of it: %w%s", err, complaints.last())
	}
	return p, nil
}

// complaints keeps the beginning of what a program writes on standard error.
type complaints struct{ text strings.Builder }

func (c *complaints) Write(b []byte) (int, error) {
	c.text.Write(b[:min(len(b), max(0, 4096-c.text.Len()))])
	return len(b), nil
}

// last returns the last line, ready to be appended to a message.
func (c *complaints) last() string {
	lines := strings.Split(strings.TrimSpace(c.text.String()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}
