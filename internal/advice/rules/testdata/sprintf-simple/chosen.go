package chosen

import "fmt"

func quoted(n int, quote bool) string {
	format := "%d"
	if quote {
		format = "'%d'"
	}
	// want A: format is one of 2 constants
	return fmt.Sprintf(format, n) // hot: fmt.Sprintf
}

func unit(seconds float64) (s string) {
	format := "%.1fs"
	switch {
	case seconds < 1e-3:
		format, seconds = "%.1fµs", seconds*1e6
	case seconds < 1:
		format, seconds = "%.1fms", seconds*1e3
	}
	// want A: format is one of 3 constants
	text := fmt.Sprintf(format, seconds) // hot: fmt.Sprintf
	// want A: format is one of 3 constants
	s += fmt.Sprintf(format, seconds) // hot: fmt.Sprintf
	return text + s
}

func unknown(n int, given string, pick int) string {
	format := "%d"
	if given != "" {
		format = given
	}
	s := fmt.Sprintf(format, n) // hot: fmt.Sprintf
	var later string
	if pick > 0 {
		later = "%d"
	}
	s += fmt.Sprintf(later, n) // hot: fmt.Sprintf
	wide := "%d"
	if pick > 1 {
		wide = "%5d"
	}
	s += fmt.Sprintf(wide, n) // hot: fmt.Sprintf
	shared := "%d"
	set := func() { shared = "%x" }
	if pick > 2 {
		set()
		shared = "%o"
	}
	return s + fmt.Sprintf(shared, n) // hot: fmt.Sprintf
}

// The variable would hide the argument, the format or the package.
func hidden(n int, quote bool) (s string) {
	format := "%d"
	if quote {
		format = "'%d'"
	}
	{
		n := fmt.Sprintf(format, n) // hot: fmt.Sprintf
		s += n
	}
	{
		strconv := fmt.Sprintf(format, n) // hot: fmt.Sprintf
		s += strconv
	}
	{
		format := fmt.Sprintf(format, n) // hot: fmt.Sprintf
		s += format
	}
	return s
}
