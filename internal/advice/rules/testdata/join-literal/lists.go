package lists

import "strings"

type options struct {
	join  func([]string, string) string
	Other func([]string, string) string
	third func([]string, string) string
	sep   func() string
}

func defaults() options {
	o := options{join: strings.Join, Other: strings.Join, third: strings.Join}
	adapt(&o.third)
	return o
}

func adapt(join *func([]string, string) string) {
	*join = func(parts []string, sep string) string { return sep }
}

func reversed(o *options) {
	o.join = func(parts []string, sep string) string { return parts[1] + sep + parts[0] }
}

func list(o *options, parts []string, a, b string, given func([]string, string) string) {
	use(
		strings.Join(parts, ","),                                   // hot: strings.Join
		strings.Join([]string{a, b}, o.sep()),                      // hot: strings.Join
		strings.Join([]string{a, b, a, b, a, b, a, b}, ","),        // hot: strings.Join
		strings.Join([]string{1: a, 0: b}, ","),                    // hot: strings.Join
		o.join([]string{a, b}, ","),                                // hot: strings.Join
		o.Other([]string{a, b}, ","),                               // hot: strings.Join
		o.third([]string{a, b}, ","),                               // hot: strings.Join
		given([]string{a, b}, ","),                                 // hot: strings.Join
		strings.Join(append([]string{a}, parts...), ","),           // hot: strings.Join
		strings.Join([]string{a /* the first */, b /* then */}, a), // hot: strings.Join
	)
}

func use(...string) {}
