// Package hotlines is a program whose hot lines no rule knows a pattern for.
package hotlines

// A scorer gives points.
type scorer interface{ score(n int) int }

type squares struct{ bias int }

//go:noinline
func (s squares) score(n int) int { return n*n + s.bias }

//go:noinline
func spread(n int) int {
	for range 4 {
		n = n<<7 ^ n>>3
	}
	return n
}

// Total adds up scores of a grid's cells.
func Total(cells []int, rows, columns int, s scorer) (sum int) {
	for y := range rows {
		for x := range columns {
			sum += s.score(cells[y*columns+x])
		}
	}
	return sum
}

// A Node is a word with how often it occurs.
type Node struct {
	Word        string
	Count       int
	Left, Right *Node
}

// Insert adds a word to a tree.
func Insert(root *Node, word string) *Node {
	if root == nil {
		return newNode(word)
	}
	for n := root; ; {
		switch {
		case word == n.Word:
			n.Count++
			return root
		case word < n.Word && n.Left != nil:
			n = n.Left
		case word < n.Word:
			n.Left = newNode(word)
			return root
		case n.Right != nil:
			n = n.Right
		default:
			n.Right = newNode(word)
			return root
		}
	}
}

//go:noinline
func newNode(word string) *Node {
	n := Node{Word: word, Count: 1}
	return &n
}

// Mix spreads the bits of numbers.
func Mix(numbers []int) (all int) {
	for _, n := range numbers {
		all ^= spread(n)
	}
	return all
}

// Shares counts keys in a map.
func Shares(counts map[int]int, keys []int) (sum int) {
	for _, k := range keys {
		sum += counts[k]
	}
	return sum
}
