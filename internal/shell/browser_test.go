package shell

import (
	"io"
	"slices"
	"testing"
)

func TestPageViewers(t *testing.T) {
	for _, test := range []struct {
		goos  string
		env   map[string]string
		first string // "" for none at all
	}{
		{"linux", nil, ""},
		{"linux", map[string]string{"DISPLAY": ":0"}, "xdg-open"},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, "xdg-open"},
		{"linux", map[string]string{"BROWSER": "lynx"}, "lynx"},
		{"darwin", nil, "/usr/bin/open"},
		{"darwin", map[string]string{"BROWSER": "firefox -new-tab"}, "firefox -new-tab"},
		// An address has & in it, where cmd would begin another command.
		{"windows", nil, "rundll32 url.dll,FileProtocolHandler"},
	} {
		got := append(pageViewers(test.goos, func(name string) string { return test.env[name] }), "")
		if got[0] != test.first {
			t.Errorf("%s, %v: %q first, want %q", test.goos, test.env, got[0], test.first)
		}
	}
}

func TestUIInvocation(t *testing.T) {
	inv, err := ParseVerb("ui", nil, io.Discard)
	if err != nil || inv.HTTP != "localhost:0" || len(inv.Sources) != 0 {
		t.Errorf("without arguments: %+v, %v", inv, err)
	}
	inv, err = ParseVerb("ui", []string{"a.pb.gz", "-http=:8080", "-no_browser", "-base", "b.pb.gz"}, io.Discard)
	if err != nil || inv.HTTP != ":8080" || !inv.NoBrowser || !slices.Equal(inv.Sources, []string{"a.pb.gz"}) || !slices.Equal(inv.Base, []string{"b.pb.gz"}) {
		t.Errorf("%+v, %v", inv, err)
	}
}
