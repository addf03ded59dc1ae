package main

func main() { println(outer(3)) }

//go:noinline
func outer(n int) int { return middle(n) + 1 }

func middle(n int) int { return inner(n) * 2 }

func inner(n int) int {
	for i := range n {
		n += i
	}
	return n
}
