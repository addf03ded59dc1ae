package rules

import "strings"

// oneLine reports whether source fits a sentence.
func oneLine(text string) bool { return !strings.Contains(text, "\n") && len(text) < 60 }
