package reports_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/server/servertest"
)

// TestViewers: files for other viewers, and what they can't hold.
func TestViewers(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.generics.pb.gz")
	for format, want := range map[string]string{"speedscope": `{"$schema":"https://www.speedscope.app/`, "firefox": `{"meta":{`} {
		if text := s.Get(s.Report("flame", "format="+format+"&inverted=1")); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %.80s", format, text)
		}
	}
	r := s.Do("GET", s.Report("flame", "format=speedscope&base="+s.IDs[0]), "")
	if text := servertest.Body(t, r); r.StatusCode != http.StatusBadRequest || !strings.Contains(text, "no place for a comparison") {
		t.Errorf("speedscope of a comparison: %s, %s", r.Status, text)
	}
	if text := s.Get(s.Report("flame", "format=firefox&base="+s.IDs[0])); !strings.Contains(text, `cpu difference"`) {
		t.Errorf("Firefox of a comparison: %.200s", text)
	}
}
