package formats

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
)

type point struct{ x, y int }

type celsius float64

func (c celsius) Format(f fmt.State, verb rune) { io.WriteString(f, "warm") }

type hex int

func (h hex) String() string { return "0x" }

// A format that needs fmt; each has a small part of the profile only.
func others(format string, p point, c celsius, h hex, v any, err error) {
	use(
		fmt.Sprintf("%5d", p.x),              // hot: fmt.Sprintf
		fmt.Sprintf("%+v", p),                // hot: fmt.Sprintf
		fmt.Sprintf(format, p.x),             // hot: fmt.Sprintf
		fmt.Sprintf("%v", c),                 // hot: fmt.Sprintf
		fmt.Sprintf("%x", h),                 // hot: fmt.Sprintf
		fmt.Sprintf("%v", v),                 // hot: fmt.Sprintf
		fmt.Sprintf("%v", err),               // hot: fmt.Sprintf
		fmt.Sprintf("%[1]d", p.x),            // hot: fmt.Sprintf
		fmt.Sprintf("%d %d", p.x),            // hot: fmt.Sprintf
		fmt.Sprintf("%s", []string{""}),      // hot: fmt.Sprintf
		fmt.Sprintf("%d", "x"),               // hot: fmt.Sprintf
		fmt.Sprintf("%*d", p.x, p.y),         // hot: fmt.Sprintf
		fmt.Sprintf("%v", []byte("x")),       // hot: fmt.Sprintf
		fmt.Sprintf("%s%", "x"),              // hot: fmt.Sprintf
		fmt.Sprint(h, v),                     // hot: fmt.Sprint
		fmt.Sprintf("%s", reflect.TypeOf(v)), // hot: fmt.Sprintf
	)
}

func generic[T ~string](v T) string {
	return fmt.Sprintf("%s!", v) // hot: fmt.Sprintf
}

func comments(a, b string) string {
	return fmt.Sprintf("%s%s",
		a, // the first
		b) // hot: fmt.Sprintf
}

func depends(w *os.File, n int) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%d of %d", n, sb.Len()) // hot: fmt.Fprintf
	fmt.Fprintf(w, "%d: %d\n", n, n)          // hot: fmt.Fprintf
	written, _ := fmt.Fprintf(&sb, "%d", n)   // hot: fmt.Fprintf
	if n > 0 {
		defer fmt.Fprintf(&sb, "%d", written) // hot: fmt.Fprintf
	}
	fmt.Printf("%d\n", n) // hot: fmt.Printf fmt.Fprintf
	return sb.String()
}

func forwarded(args []string) string {
	var all []any
	for _, a := range args {
		all = append(all, a)
	}
	return fmt.Sprint(all...) // hot: fmt.Sprint
}

// fmt prints what a reflect.Value holds, and its String only strings.
func held(v reflect.Value, w *reflect.Value) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s", v)   // hot: fmt.Fprintf
	s := fmt.Sprintf("%v", v)   // hot: fmt.Sprintf
	t := fmt.Sprintf("%v;", *w) // hot: fmt.Sprintf
	u := fmt.Sprint(v.Index(0)) // hot: fmt.Sprint
	return s + t + u + sb.String()
}

const page = `<!doctype html>
<html>
	<head><title>a page that is mostly text of its own</title></head>
	<body>
		<h1>%s</h1>
		<p>%s</p>
	</body>
</html>
`

// page is for whoever reads it, and most of it is copied.
func render(w *strings.Builder, title, text string) string {
	fmt.Fprintf(w, page, title, text)     // hot: fmt.Fprintf
	return fmt.Sprintf(page, title, text) // hot: fmt.Sprintf
}

func use(...string) {}
