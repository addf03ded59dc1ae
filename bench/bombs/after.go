//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// reports are asked for of more and more profiles, until a server refuses.
var reports = []string{"top?", "flame?", "graph?", "tree?format=text&", "traces?", "peek?match=.&format=text&", "raw?format=text&", "proto?"}

// measureAfter measures what comes after pushes: what a server takes to pack most profiles of
// distinct stacks that it accepts, and for the largest report of each kind that it answers.
func measureAfter(hone, config string, most int, wanted *regexp.Regexp) error {
	s, err := start(hone, config)
	if err != nil {
		return err
	}
	defer s.stop()
	const apart = 60 // seconds
	first := time.Now().Truncate(time.Hour).Add(-2 * time.Hour).Unix()
	if err := s.forget(); err != nil {
		return err
	}
	for i := range most {
		// Their hour is over, so that they are packed soon. A service may have two of them: max_dictionary.
		p := push{path: strings.Replace(own, "service=x", fmt.Sprint("service=x", i/2), 1), kind: octets, at: first + apart*int64(i)}
		if kind, text := p.send(s.url, pprofStacksOf(i), 0); kind != "ok" {
			return fmt.Errorf("push %d: %s", i+1, text)
		}
	}
	tell := func(name string) error {
		peak, err := peak(s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		fmt.Printf("%-36s %8d\n", name, peak)
		return s.forget()
	}
	fmt.Printf("%-36s %8s\n", fmt.Sprintf("after %d pushes of %d MB", most, size/1_000_000), "peak MB")
	if err := tell("pushes, one after the other"); err != nil {
		return err
	}
	if err := s.awaitPacked(most); err != nil {
		return err
	}
	if err := tell("packing"); err != nil {
		return err
	}
	for _, report := range reports {
		if !wanted.MatchString(report) {
			continue
		}
		largest := "none was answered"
		for n := 1; n <= most; n++ {
			v := url.Values{"q": {`{service=~"x.*"}`}, "from": {strconv.FormatInt(1000*first, 10)}, "to": {strconv.FormatInt(1000*(first+apart*int64(n)), 10)}}
			resp, err := http.Get(s.url + "/api/v1/report/" + report + "profile=" + url.QueryEscape("sel:"+v.Encode()))
			if err != nil {
				return err
			}
			size, err := io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK {
				largest += fmt.Sprintf(", then %d", resp.StatusCode)
				break
			}
			largest = fmt.Sprintf("%d profiles, %.1f MB", n, float64(size)/1e6)
		}
		if err := tell(report[:len(report)-1] + ": " + largest); err != nil {
			return err
		}
	}
	return nil
}

// forget begins the peak of a server anew.
func (s *server) forget() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0)
}

// awaitPacked waits until a server has packed so many profiles.
func (s *server) awaitPacked(profiles int) error {
	for range 3000 {
		resp, err := http.Get(s.url + "/api/v1/status")
		if err != nil {
			return err
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		var status struct {
			Store struct {
				Packed int
				Busy   bool
			}
		}
		if err := json.NewDecoder(bytes.NewReader(data)).Decode(&status); err != nil {
			return err
		}
		if status.Store.Packed >= profiles && !status.Store.Busy {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the server has not packed %d profiles after 5 minutes", profiles)
}
