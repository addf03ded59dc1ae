package shell

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestScreen: a name can't read as another one on a terminal; a pipe has it as it is.
func TestScreen(t *testing.T) {
	const name = "a\u202eeltrut\u202c\x1b[2Jé\tشعلة\n"
	for _, c := range []struct {
		screen bool
		want   string
	}{
		{true, `a\u202eeltrut\u202c\u001b[2Jé` + "\tشعلة\n"},
		{false, name},
	} {
		for _, output := range []string{"", "-"} {
			var b strings.Builder
			o := &Outlet{Out: &b, Err: io.Discard, ToScreen: c.screen}
			err := o.Deliver(context.Background(), "", output, func(_ context.Context, w io.Writer) error {
				_, err := io.WriteString(w, name)
				return err
			})
			if err != nil || b.String() != c.want {
				t.Errorf("screen %v, output %q: %q, want %q; %v", c.screen, output, b.String(), c.want, err)
			}
		}
	}
	var b strings.Builder
	s := &screen{w: &b}
	for i := range len(name) {
		if n, err := s.Write([]byte{name[i]}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := `a\u202eeltrut\u202c\u001b[2Jé` + "\tشعلة\n"; b.String() != want {
		t.Errorf("byte by byte: %q, want %q", b.String(), want)
	}
}
