package all

import "regexp"

var (
	words = regexp.MustCompile(`[a-z]+(?:-[a-z]+)*`)
	begin = regexp.MustCompile(`^ +`)
)

func all(text, with string, n int) (count int) {
	// want B: findAllWordsIndex
	count += len(words.FindAllStringIndex(text, -1)) // hot: regexp.(*Regexp).FindAllStringIndex
	// want C: it may not find all matches. (end)
	count += len(words.FindAllString(text, n)) // hot: regexp.(*Regexp).FindAllString
	// want C: the replacement may have a $. (end)
	count += len(words.ReplaceAllString(text, with)) // hot: regexp.(*Regexp).ReplaceAllString
	// want B: replaceAllWords
	count += len(words.ReplaceAllLiteralString(text, with)) // hot: regexp.(*Regexp).ReplaceAllLiteralString
	// want C: it has at most one match. (end)
	return count + len(begin.ReplaceAllString(text, "")) // hot: regexp.(*Regexp).ReplaceAllString
}
