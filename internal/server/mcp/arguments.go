package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// profileIn is the part of a tool's arguments that names a profile.
type profileIn struct {
	Profile string `json:"profile" jsonschema:"id of a profile, or on a server a selector of stored ones such as cpu{service=\"shop\"}; the tool profiles lists both"`
	From    string `json:"from,omitempty" jsonschema:"start of the time for a selector: -1h (default), -2d, or RFC 3339"`
	To      string `json:"to,omitempty" jsonschema:"its end (default: now)"`
}

// maxArgument bounds an argument other than a patch, in bytes.
const maxArgument = 16 << 10

// id returns the profile's id for the API.
func (p *profileIn) id() (string, error) {
	return profileID(p.Profile, p.From, p.To)
}

func profileID(text, from, to string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("no profile given: call profiles for those there are")
	case len(text) > maxArgument:
		return "", fmt.Errorf("the name of a profile has %d bytes: at most %d", len(text), maxArgument)
	case strings.HasPrefix(text, "sel:") || !strings.Contains(text, "{"):
		if from != "" || to != "" {
			return "", fmt.Errorf("from and to are for selectors such as cpu{service=\"shop\"}, not for the profile %.60q", text)
		}
		return text, nil
	}
	q := url.Values{"q": {text}, "from": {cmp.Or(from, "-1h")}}
	if to != "" {
		q.Set("to", to)
	}
	return "sel:" + q.Encode(), nil
}

// filterIn is the part that filters and shapes a report.
type filterIn struct {
	Focus      string `json:"focus,omitempty" jsonschema:"only stacks with a function or file that matches this regular expression"`
	Ignore     string `json:"ignore,omitempty" jsonschema:"without such stacks"`
	SampleType string `json:"sample_type,omitempty" jsonschema:"which values, such as alloc_space or inuse_space (default: the profile's)"`
	All        bool   `json:"all,omitempty" jsonschema:"also libraries and the runtime by name; by default their cost counts for your function that called them"`
}

// query returns the parameters for a report of profiles.
func (f *filterIn) query(profile string) url.Values {
	q := url.Values{"profile": {profile}}
	for name, value := range map[string]string{"focus": f.Focus, "ignore": f.Ignore, "sample_index": f.SampleType} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if !f.All {
		q.Set("mine", "auto")
	}
	return q
}

// limited is a number of rows.
func limited(n, usual, most int) (int, error) {
	if n < 0 || n > most {
		return 0, fmt.Errorf("invalid number %d: use 1 to %d", n, most)
	}
	return cmp.Or(n, usual), nil
}
