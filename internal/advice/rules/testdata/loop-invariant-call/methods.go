package methods

import (
	"net/netip"
	"strings"
	"time"
)

type server struct {
	addr    netip.Addr
	started *time.Time
}

func (s *server) lines(texts []string, at time.Time, wait time.Duration, addr netip.Addr, layout string) string {
	var out strings.Builder
	for _, text := range texts {
		// want B: (time.Time).Format gets at, layout in each iteration
		out.WriteString(at.Format(layout)) // hot: time.Time.Format
		// want B: (time.Duration).String gets wait in each iteration
		out.WriteString(wait.String()) // hot: time.Duration.String
		// want B: the rewrite calls it once
		out.WriteString(addr.String()) // hot: net/netip.Addr.String
		// want C: The loop doesn't seem to change the arguments
		out.WriteString(s.addr.String()) // hot: net/netip.Addr.String
		// want C: The loop doesn't seem to change the arguments
		out.WriteString(s.started.String()) // hot: time.Time.String
		out.WriteString(text)
	}
	for i, text := range texts {
		at = at.Add(time.Duration(i))
		out.WriteString(at.Format(layout)) // hot: time.Time.Format
		out.WriteString(text)
	}
	return out.String()
}

func stamp(at time.Time) string { return at.Format(time.RFC3339) } // hot: time.Time.Format

func stamps(at time.Time, n int) (all []string) {
	for range n {
		all = append(all, stamp(at))
	}
	return all
}
