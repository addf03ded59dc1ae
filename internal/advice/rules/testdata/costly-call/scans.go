package calls

import (
	"fmt"
	"io"
)

func words(text string, in io.Reader) (a, b string) {
	// want C: strings.Cut and package strconv
	fmt.Sscan(text, &a, &b) // hot: fmt.Sscan fmt.Fscan
	// want C: strings.Cut and package strconv
	fmt.Sscanln(text, &a, &b) // hot: fmt.Sscanln fmt.Fscanln
	// want C: strings.Cut and package strconv
	fmt.Fscan(in, &a, &b) // hot: fmt.Fscan
	// want C: strings.Cut and package strconv
	fmt.Fscanf(in, "%s %s", &a, &b) // hot: fmt.Fscanf
	// want C: strings.Cut and package strconv
	fmt.Fscanln(in, &a, &b) // hot: fmt.Fscanln
	return a, b
}
