package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/gocmd"
)

func run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}

// ask runs a verb of hone that prints JSON, and measures. Regressions aren't failures.
func ask(ctx context.Context, o *options, dir string, said any, args ...string) error {
	cmd := exec.CommandContext(ctx, o.hone, args...)
	cmd.Dir = dir
	return decode(cmd, said)
}

// decode runs a verb of hone that prints JSON. A non-zero exit code is accepted if the output is JSON.
func decode(cmd *exec.Cmd, said any) error {
	out, err := cmd.Output()
	if jsonErr := json.Unmarshal(out, said); jsonErr != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(gocmd.LastLine(exit.Stderr))
		}
		return fmt.Errorf("hone %s: %w", cmd.Args[1], errors.Join(err, jsonErr))
	}
	return nil
}

func git(ctx context.Context, dir string, args ...string) error {
	out, err := run(ctx, dir, "git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com"}, args...)...)
	if err != nil {
		return fmt.Errorf("git %s: %s", args[0], firstLine(out))
	}
	return nil
}
