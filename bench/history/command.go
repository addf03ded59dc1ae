package history

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Run runs a program in a folder, and returns what it prints.
func Run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}

// FirstLine is the first line of a text.
func FirstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}

// Git runs git in a folder, as an author without a name.
func Git(ctx context.Context, dir string, args ...string) error {
	out, err := Run(ctx, dir, "git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com"}, args...)...)
	if err != nil {
		return fmt.Errorf("git %s: %s", args[0], FirstLine(out))
	}
	return nil
}
