package others

import "fmt"

func message(args ...any) string {
	// want A: If there is a single string
	return fmt.Sprint(args...) // hot: fmt.Sprint
}

func line(args ...any) string {
	// want C: If there is a single string
	text := fmt.Sprintln(args...) // hot: fmt.Sprintln
	return text[:len(text)-1]
}

func shadowed(strconv string, n int) string {
	// want C: Append the parts
	return fmt.Sprintf("%s%d", strconv, n) // hot: fmt.Sprintf
}

func table(name string, v any) string {
	// want C: Append the parts
	return fmt.Sprintf("%-10s|%+v", name, v) // hot: fmt.Sprintf
}
