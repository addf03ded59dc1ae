package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/hostile"
)

// TestRepeatedLines: whoever connects can have the server log something, which must
// not fill a disk. What isn't written is counted.
func TestRepeatedLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		log := newLog(&b, DefaultConfig(""), new(slog.LevelVar))
		taken := func() (lines []string) {
			lines = strings.Split(strings.TrimSpace(b.String()), "\n")
			b.Reset()
			return lines
		}
		const repeats = 50_000
		for i := range repeats {
			log.Warn(fmt.Sprintf("http: TLS handshake error from 10.%d.%d.1:%d: %x", i%7, i%255, i, i))
			if i%1000 == 0 {
				log.With("part", "scrape").Info("scrape failed", "target", i)
			}
		}
		log.Error("something else", "n", 1)
		if lines := taken(); len(lines) != 2*logBurst+1 || !strings.Contains(lines[len(lines)-1], "something else") {
			t.Errorf("%d lines were written:\n%s", len(lines), strings.Join(lines, "\n"))
		}
		time.Sleep(logPeriod + time.Second)
		synctest.Wait()
		lines := strings.Join(taken(), "\n")
		for _, want := range []string{
			fmt.Sprintf(`level=WARN msg="more lines like those before were not written" lines=%d kind="http: TLS handshake error"`, repeats-logBurst),
			fmt.Sprintf(`level=INFO msg="more lines like those before were not written" part=scrape lines=%d kind="scrape failed"`, repeats/1000-logBurst),
		} {
			if !strings.Contains(lines, want) {
				t.Errorf("got\n%s\nwant a line with\n%s", lines, want)
			}
		}
		if n := strings.Count(lines, "\n"); n != 1 {
			t.Errorf("%d lines after the period:\n%s", n+1, lines)
		}

		// It goes on, and ends: then lines are written as ever.
		for i := range 100 {
			log.Warn(fmt.Sprintf("http: TLS handshake error from [fe80::%x]:1: EOF", i))
		}
		if lines := taken(); len(lines) != 1 || !strings.Contains(lines[0], "fe80::0") {
			t.Errorf("in the next period: %q", lines)
		}
		time.Sleep(3 * logPeriod)
		synctest.Wait()
		if lines := taken(); len(lines) != 1 || !strings.Contains(lines[0], "lines=99 ") {
			t.Errorf("after the next period: %q", lines)
		}
		for i := range 2 * maxKinds {
			log.Warn(strings.Repeat("x", i/26+1) + string(rune('a'+i%26)))
		}
		if lines := taken(); len(lines) > maxKinds+logBurst {
			t.Errorf("%d lines of as many kinds were written", len(lines))
		}
		time.Sleep(3 * logPeriod)
		synctest.Wait()
	})
}

// A log in JSON is lines of JSON without anything that a terminal obeys, whatever is logged.
func TestLogJSON(t *testing.T) {
	for _, bad := range append(hostile.Texts, "\U000e0001tag") {
		var out bytes.Buffer
		cfg := DefaultConfig("")
		cfg.Log.Format = "json"
		newLog(&out, cfg, new(slog.LevelVar)).Error("message "+bad, "key", bad)
		line := out.String()
		var got struct{ Msg, Key string }
		if err := json.Unmarshal([]byte(line), &got); err != nil || strings.Count(line, "\n") != 1 {
			t.Errorf("%.60q: %v: %.200q", bad, err, line)
		}
		if r, obeyed := hostile.Obeyed(line); obeyed {
			t.Errorf("%.60q: the log has %q: %.200q", bad, r, line)
		}
		if want := strings.ToValidUTF8(bad, "\ufffd"); utf8.ValidString(bad) && (got.Key != want || got.Msg != "message "+want) {
			t.Errorf("%.60q: logged as %.60q and %.60q", bad, got.Key, got.Msg)
		}
	}
}
