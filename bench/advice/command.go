package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"

	"github.com/hone-go/hone/internal/gocmd"
)

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
