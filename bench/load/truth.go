package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// compareQuantiles compares quantiles with those that the service knows of itself, by when
// requests were due. That is a pause, and what the requests that waited for its end
// then take of the processors: of requests at regular times, the share that waits
// longer than x is (pause-x)/every, to which that comes. hey sends no request while it
// waits for an answer, so for it the service knows only what became of the requests
// that were sent, and the truth is the schedule's.
func compareQuantiles(hone, rates string, length, every, pause time.Duration) error {
	url, stop, err := startService(every, pause)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%-8s %6s", "", "rate")
	for _, q := range quantiles {
		fmt.Printf("%32s", "p"+strconv.FormatFloat(100*q, 'f', -1, 64))
	}
	fmt.Println()
	for text := range strings.SplitSeq(rates, ",") {
		rate, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-rates: %w", err)
		}
		var schedule []time.Duration
		for _, q := range quantiles {
			schedule = append(schedule, max(0, pause-time.Duration((1-q)*float64(every))))
		}
		row("schedule", rate, schedule, nil)
		for _, g := range []func(string, string, int, time.Duration) (string, []time.Duration, error){honeTimes, vegetaTimes, heyTimes} {
			if _, err := truthOf(url, rate); err != nil { // from here on
				return err
			}
			name, times, err := g(hone, url, rate, length)
			if errors.Is(err, exec.ErrNotFound) {
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			want, err := truthOf(url, rate)
			if err != nil {
				return err
			}
			if name == "hey" {
				want = schedule
			}
			row(name, rate, times, want)
		}
	}
	return nil
}

// row prints quantiles, and how far they are from what they ought to be.
func row(name string, rate int, times, want []time.Duration) {
	fmt.Printf("%-8s %6d", name, rate)
	for i := range quantiles {
		switch {
		case i >= len(times):
			fmt.Printf("%32s", "–")
		case i >= len(want):
			fmt.Printf("%32v", times[i])
		default:
			fmt.Printf("%12v of %8v %+6.2f %%", times[i].Round(10*time.Microsecond), want[i].Round(10*time.Microsecond), 100*(float64(times[i])/float64(want[i])-1))
		}
	}
	fmt.Println()
}

func honeTimes(hone, url string, rate int, length time.Duration) (string, []time.Duration, error) {
	out, err := exec.Command(hone, "load", "http", "-rate", strconv.Itoa(rate), "-duration", length.String(), "-count", "1", "-warmup", "0s",
		"-json", "-o", os.TempDir(), url).Output()
	var r struct {
		Response map[string]*time.Duration
	}
	if err != nil {
		return "hone", nil, err
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return "hone", nil, err
	}
	var times []time.Duration
	for _, name := range []string{"p99", "p99.9", "p99.99"} {
		times = append(times, *r.Response[name])
	}
	return "hone", times, nil
}

func vegetaTimes(_, url string, rate int, length time.Duration) (string, []time.Duration, error) {
	vegeta, err := exec.LookPath("vegeta")
	if err != nil {
		return "vegeta", nil, err
	}
	cmd := exec.Command("sh", "-c", fmt.Sprintf("echo GET %s | %s attack -rate=%d -duration=%v | %s encode --to=csv", url, vegeta, rate, length, vegeta))
	out, err := cmd.Output()
	if err != nil {
		return "vegeta", nil, err
	}
	var all []time.Duration
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(line, ",") // time, code, latency in ns, …
		ns, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return "vegeta", nil, err
		}
		all = append(all, time.Duration(ns))
	}
	return "vegeta", exact(all), nil
}

var heyLine = regexp.MustCompile(`(?m)^([0-9.]+),`)

func heyTimes(_, url string, rate int, length time.Duration) (string, []time.Duration, error) {
	hey, err := exec.LookPath("hey")
	if err != nil {
		return "hey", nil, err
	}
	out, err := exec.Command(hey, "-z", length.String(), "-c", "20", "-q", strconv.Itoa(rate/20), "-o", "csv", url).Output()
	var all []time.Duration
	for _, m := range heyLine.FindAllSubmatch(out, -1) {
		s, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return "hey", nil, err
		}
		all = append(all, time.Duration(s*1e9))
	}
	return "hey", exact(all), err
}
