package keys

type kind int

const (
	word kind = iota
	number
	end
)

var names = map[kind]string{word: "word", number: "number", end: "end"}

func name(k kind) string {
	// want C: its keys are numbers from 0 to 2
	return names[k] // hot: runtime.mapaccess1_fast64
}

var letters = map[rune]bool{'a': true, 'b': true, 'ß': true}

func count(s string) (n int) {
	for _, r := range s {
		// want C: use a switch or a bit mask
		if letters[r] { // hot: runtime.mapaccess1_fast32
			n++
		}
	}
	return n
}

func bytes(s string) map[byte]int {
	counts := make(map[byte]int)
	for i := range len(s) {
		// want C: an array of 256 values
		counts[s[i]]++ // hot: runtime.mapassign
	}
	return counts
}

var signs = map[int8]struct{}{-1: {}, 1: {}}

func sign(i int8) bool {
	// want C: as a uint8
	_, ok := signs[i] // hot: runtime.mapaccess2
	return ok
}

var operations = map[kind]func(int) int{word: abs, end: abs}

func abs(n int) int { return max(n, -n) }

func apply(k kind, n int) int {
	for of := range operations {
		n += int(of)
	}
	// want C: numbers from 0 to 2
	return (operations)[k](n) + len(operations) // hot: runtime.mapaccess1_fast64
}
