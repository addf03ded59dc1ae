package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// worker is a service that spends processor time on each request.
const worker = `package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
)

var block [4096]byte

func work(w http.ResponseWriter, _ *http.Request) {
	var sum byte
	for range ROUNDS {
		h := sha256.Sum256(block[:])
		sum += h[0]
	}
	fmt.Fprintln(w, sum)
}

func main() {
	http.HandleFunc("/", work)
	fmt.Println(http.ListenAndServe(os.Args[1], nil))
}
`

// versus has hone compare versions of a service: some that do the same and are other
// programs all the same, as a line was put in above, and some that do 5 % more. A change
// of the former, for the better or worse, is a false alarm.
func versus(hone string, same, slower int, sample time.Duration) error {
	hone, err := filepath.Abs(hone)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "versus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666) }
	rounds := func(n string) string { return strings.Replace(worker, "ROUNDS", n, 1) }
	if err := errors.Join(write("go.mod", "module example.com/worker\n\ngo 1.24\n"), write("main.go", rounds("400"))); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@y.example", "commit", "-qm", "start"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	for _, family := range []struct {
		name, text string
		n          int
	}{
		{"the same", strings.Replace(rounds("400"), "func work", "// The same.\nfunc work", 1), same},
		{"5 % more", rounds("421"), slower}, // of the hashes and net/http's own part together
	} {
		if err := write("main.go", family.text); err != nil {
			return err
		}
		changed, void := 0, 0
		for i := range family.n {
			changes, err := compareOnce(hone, dir, sample)
			if err != nil {
				void++
				fmt.Printf("%s, %d of %d: %v\n", family.name, i+1, family.n, err)
				continue
			}
			if len(changes) > 0 {
				changed++
			}
			fmt.Printf("%s, %d of %d: %s\n", family.name, i+1, family.n, strings.Join(changes, ", "))
		}
		fmt.Printf("%s: a change in %d of %d, %d without a verdict\n", family.name, changed, family.n, void)
	}
	return nil
}

// compareOnce returns what hone says that has changed, and confirms.
func compareOnce(hone, dir string, sample time.Duration) (changes []string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	l.Close()
	cmd := exec.Command(hone, "load", "http", "-against", "HEAD", "-serve", "go run . "+address, "-rate", "200", "-duration", sample.String(), "-warmup", "100ms",
		"-precheck", "0", "-json", "http://"+address+"/")
	cmd.Dir = dir
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	var r struct {
		Unchanged  bool
		Comparison struct {
			Comparisons []struct {
				Comparisons []struct {
					Unit, Verdict string
					Confirmed     bool
					Change        float64 // head over base
				}
			}
		}
	}
	if jsonErr := json.Unmarshal(out, &r); jsonErr != nil {
		return nil, fmt.Errorf("%w: %s", errors.Join(err, jsonErr), complaint.String())
	}
	if r.Unchanged {
		return nil, errors.New("hone takes both versions for the same program")
	}
	for _, c := range r.Comparison.Comparisons {
		for _, u := range c.Comparisons {
			if u.Confirmed {
				changes = append(changes, fmt.Sprintf("%s %s %+.1f %%", u.Unit, u.Verdict, 100*(u.Change-1)))
			}
		}
	}
	return changes, nil
}
