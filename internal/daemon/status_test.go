package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store/disk"
)

// What is set aside is told with what to do, and a number that nobody knows is none.
func TestStatusSetAside(t *testing.T) {
	st, err := disk.Open(t.TempDir(), disk.Options{PackAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s := &diskStore{Store: st, data: "/srv/hone"}
	found := time.UnixMilli(1_800_000_000_000)
	for _, c := range []struct {
		profiles []int64
		want     string
	}{{[]int64{4, 3}, "7 in all"}, {[]int64{4, -1}, "at least 4 in all"}, {[]int64{-1, -1}, "how many is not known"}} {
		all := []disk.Aside{{Service: "api", Since: found, Profiles: c.profiles[0], Problem: "p"}, {Since: found, Profiles: c.profiles[1], Problem: "p"},
			{Service: "web", Since: found, Profiles: -1, Problem: "p", Returning: true}}
		aside, notices := s.setAside(all)
		if len(notices) != 1 || !strings.Contains(notices[0].Text, "2 weeks of services") || !strings.Contains(notices[0].Text, c.want) {
			t.Errorf("%v: notices %+v", c.profiles, notices)
		}
		for i, a := range aside {
			if (a.Profiles == nil) != (all[i].Profiles < 0) || a.Since != found.UnixMilli() || (a.Next == "stop the server, then: hone store repair /srv/hone") == all[i].Returning {
				t.Errorf("%v: %+v", c.profiles, a)
			}
		}
	}
}
