package shell

import (
	"errors"
	"flag"
	"io"
	"testing"
	"time"
)

// TestFlagErrors: a wrong value is named, with what is expected.
func TestFlagErrors(t *testing.T) {
	for arg, want := range map[string]string{
		"-n=x":      `invalid value "x" for flag -n: use a whole number`,
		"-n=1.5":    `invalid value "1.5" for flag -n: use a whole number`,
		"-seed=-1":  `invalid value "-1" for flag -seed: use a whole number of 0 or more`,
		"-size=1e9": `invalid value "1e9" for flag -size: use a whole number`,
		"-share=5%": `invalid value "5%" for flag -share: use a number`,
		"-for=10":   `invalid value "10" for flag -for: use a duration such as 500ms, 10s or 2m`,
		"-json=on":  `invalid boolean value "on" for -json: use true or false`,
		"-own=x":    `invalid value "x" for flag -own: its own words`,
		"-name=x":   "",
		"-n=0x10":   "",
		"-json":     "",
	} {
		fs := flag.NewFlagSet("verb", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		fs.Int("n", 0, "")
		fs.Uint64("seed", 0, "")
		fs.Int64("size", 0, "")
		fs.Float64("share", 0, "")
		fs.Duration("for", time.Second, "")
		json := fs.Bool("json", false, "")
		fs.String("name", "", "")
		fs.Func("own", "", func(string) error { return errors.New("its own words") })
		got := ""
		for range 2 { // a verb may parse several times
			if err := ParseFlags("verb", fs, []string{arg}); err != nil {
				got = err.Error()
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", arg, got, want)
		}
		if arg == "-json" && !*json {
			t.Error("-json alone doesn't set it")
		}
	}
}
