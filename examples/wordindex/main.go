// Wordindex indexes the words of a generated text, over and over, under a CPU
// profile. It is the workload of hone's demo.
//
//	wordindex [-for 3s | -rounds n] [-tuned] [-cpuprofile file]
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "wordindex:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) (err error) {
	flags := flag.NewFlagSet("wordindex", flag.ExitOnError)
	duration := flags.Duration("for", 3*time.Second, "index the text again until `duration` has passed")
	rounds := flags.Int("rounds", 0, "index the text exactly `n` times instead")
	tuned := flags.Bool("tuned", false, "run the tuned version")
	cpuprofile := flags.String("cpuprofile", "", "write a CPU profile to `file`")
	_ = flags.Parse(args) // exits on error

	text := generate(2_000, 12)
	indexer := indexText
	if *tuned {
		indexer = indexTextTuned
	}

	if *cpuprofile != "" {
		f, err := os.Create(*cpuprofile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer func() {
			pprof.StopCPUProfile()
			if cerr := f.Close(); err == nil {
				err = cerr
			}
		}()
	}

	start := time.Now()
	var ix index
	done := 0
	for more := true; more; {
		ix = indexer(text)
		done++
		if *rounds > 0 {
			more = done < *rounds
		} else {
			more = time.Since(start) < *duration
		}
	}
	elapsed := time.Since(start)

	fmt.Fprintf(stdout, "indexed %d words of text %d times in %.2fs: %.2f ms each\n",
		len(strings.Fields(text)), done, elapsed.Seconds(), elapsed.Seconds()*1e3/float64(done))
	for _, c := range topWords(ix, 3) {
		fmt.Fprintf(stdout, "%8d %s\n", c.n, c.word)
	}
	return nil
}

// generate returns a text of the given number of lines, the same at every
// call. Word frequencies follow Zipf's law, as those of a natural text do.
func generate(lines, wordsPerLine int) string {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.2, 8, 4_999)
	var b strings.Builder
	for range lines {
		for i := range wordsPerLine {
			if i > 0 {
				b.WriteByte(' ')
			}
			w := name(zipf.Uint64())
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			}
			b.WriteString(w)
		}
		b.WriteString(".\n")
	}
	return b.String()
}

// name returns a pronounceable word, a different one for every n.
func name(n uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b []byte
	for {
		b = append(b, consonants[n%14], vowels[n/14%5])
		n /= 70
		if n == 0 {
			return string(b)
		}
	}
}
