package handler

import (
	"net/http"
	"regexp"
)

// valid checks a name.
func valid(name string) bool {
	// want B: the same pattern
	re := regexp.MustCompile(`^[a-z]+$`) // hot: regexp.MustCompile regexp.compile
	return re.MatchString(name)
}

func greet(w http.ResponseWriter, r *http.Request) {
	// want B: the same pattern
	if ok, _ := regexp.MatchString(`^[a-z]*$`, r.FormValue("color")); !ok { // hot: regexp.MatchString regexp.Compile
		http.Error(w, "no color", http.StatusBadRequest)
	}
}

func find(text string) ([]string, error) {
	// want B: regexp.Compile compiles
	word, err := regexp.Compile("[A-Za-z]+") // hot: regexp.Compile regexp.compile
	if err != nil {
		return nil, err
	}
	return word.FindAllString(text, -1), nil
}

func matches(pattern, text string) (bool, error) {
	// want C: compiles a pattern that is built at run time
	return regexp.MatchString(pattern, text) // hot: regexp.MatchString regexp.Compile
}
