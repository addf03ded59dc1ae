package kept

import (
	"bufio"
	"io"
	"strings"
)

func words(r io.Reader, count map[string]int) (all []string) {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		line := sc.Text() // hot: bufio.(*Scanner).Text
		all = append(all, line)
		word := sc.Text() // hot: bufio.(*Scanner).Text
		count[word]++
		name := sc.Text() // hot: bufio.(*Scanner).Text
		count[name] = 1
		fields := strings.Fields(sc.Text()) // hot: bufio.(*Scanner).Text
		all = append(all, fields...)
		part := sc.Text() // hot: bufio.(*Scanner).Text
		all = append(all, part[1:])
		before := sc.Text() // hot: bufio.(*Scanner).Text
		if sc.Scan() && before == "more" {
			return all
		}
		late := sc.Text() // hot: bufio.(*Scanner).Text
		defer func() {
			if late == "x" {
				all = nil
			}
		}()
	}
	return all
}
