package scrape

import (
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// A Relabel is a rule that changes the labels of targets, or drops targets, as
// in Prometheus.
type Relabel struct {
	SourceLabels []string `toml:"source_labels"`
	Separator    *string  `toml:"separator"` // between the values of SourceLabels; ";"
	Regex        string   `toml:"regex"`     // of the whole text; "(.*)"
	Modulus      uint64   `toml:"modulus"`
	TargetLabel  string   `toml:"target_label"`
	Replacement  *string  `toml:"replacement"` // "$1"
	// Action is what is done with a target whose source matches: replace (the
	// default) sets TargetLabel, keep and drop tell whether the target stays,
	// keepequal and dropequal do so where the source is TargetLabel's value,
	// hashmod sets TargetLabel to a hash of the source modulo Modulus, lowercase
	// and uppercase set it to the source. labelmap, labeldrop and labelkeep are
	// about the names of labels that match: copied to what Replacement makes of
	// them, dropped, or the only ones that stay.
	Action string `toml:"action"`
}

// rule is a Relabel that is ready for use.
type rule struct {
	Relabel
	regex                  *regexp.Regexp
	separator, replacement string
}

func (r Relabel) compile() (*rule, error) {
	out := &rule{Relabel: r, separator: ";", replacement: "$1"}
	if r.Separator != nil {
		out.separator = *r.Separator
	}
	if r.Replacement != nil {
		out.replacement = *r.Replacement
	}
	if out.Action == "" {
		out.Action = "replace"
	}
	if out.Regex == "" {
		out.Regex = "(.*)"
	}
	if _, err := syntax.Parse(out.Regex, syntax.Perl); err != nil {
		return nil, err
	}
	var err error
	if out.regex, err = regexp.Compile("^(?s:" + out.Regex + ")$"); err != nil {
		return nil, err
	}
	switch out.Action {
	case "replace", "lowercase", "uppercase", "keepequal", "dropequal":
		if r.TargetLabel == "" {
			return nil, fmt.Errorf("%s needs a target_label", out.Action)
		}
	case "hashmod":
		if r.TargetLabel == "" || r.Modulus == 0 {
			return nil, errors.New("hashmod needs a target_label and a modulus")
		}
	case "keep", "drop", "labelmap":
	case "labeldrop", "labelkeep":
		if len(r.SourceLabels) > 0 || r.TargetLabel != "" {
			return nil, fmt.Errorf("%s matches names of labels: give it only a regex", out.Action)
		}
	default:
		return nil, fmt.Errorf("unknown action %q", r.Action)
	}
	return out, nil
}

// apply changes labels and reports whether the target stays.
func (r *rule) apply(labels map[string]string) bool {
	values := make([]string, len(r.SourceLabels))
	for i, name := range r.SourceLabels {
		values[i] = labels[name]
	}
	source := strings.Join(values, r.separator)
	set := func(name, value string) {
		if value == "" {
			delete(labels, name)
		} else {
			labels[name] = value
		}
	}
	switch r.Action {
	case "keep":
		return r.regex.MatchString(source)
	case "drop":
		return !r.regex.MatchString(source)
	case "keepequal":
		return labels[r.TargetLabel] == source
	case "dropequal":
		return labels[r.TargetLabel] != source
	case "replace":
		if at := r.regex.FindStringSubmatchIndex(source); at != nil {
			name := string(r.regex.ExpandString(nil, r.TargetLabel, source, at))
			if name != "" {
				set(name, string(r.regex.ExpandString(nil, r.replacement, source, at)))
			}
		}
	case "lowercase":
		set(r.TargetLabel, strings.ToLower(source))
	case "uppercase":
		set(r.TargetLabel, strings.ToUpper(source))
	case "hashmod":
		// The same hash as Prometheus': targets are divided among servers by it.
		hash := md5.Sum([]byte(source))
		set(r.TargetLabel, fmt.Sprint(binary.BigEndian.Uint64(hash[8:])%r.Modulus))
	case "labelmap":
		for _, name := range slices.Sorted(maps.Keys(labels)) {
			if at := r.regex.FindStringSubmatchIndex(name); at != nil {
				if to := string(r.regex.ExpandString(nil, r.replacement, name, at)); to != "" {
					set(to, labels[name])
				}
			}
		}
	case "labeldrop":
		maps.DeleteFunc(labels, func(name, _ string) bool { return r.regex.MatchString(name) })
	case "labelkeep":
		maps.DeleteFunc(labels, func(name, _ string) bool { return !r.regex.MatchString(name) })
	}
	return true
}
