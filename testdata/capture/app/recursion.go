package main

import "context"

// recursion recurses directly, mutually, and far deeper than a profile's stack.
func recursion(ctx context.Context) error {
	total := 0
	var rows []*row
	for ctx.Err() == nil {
		total += fibonacci(22) + descend(3000)
		if isEven(500) {
			total += ackermann(2, 60)
		}
		total += permutations([]int{1, 2, 3, 4, 5, 6, 7}, 0)
		if len(rows) < 40 {
			rows = append(rows, nest(60))
		}
	}
	keep = []any{total, rows}
	return nil
}

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

func descend(n int) int {
	if n == 0 {
		return fibonacci(12)
	}
	return descend(n-1) + 1
}

func isEven(n int) bool {
	if n == 0 {
		return fibonacci(15) > 0
	}
	return isOdd(n - 1)
}

func isOdd(n int) bool {
	if n == 0 {
		return false
	}
	return isEven(n - 1)
}

func ackermann(m, n int) int {
	switch {
	case m == 0:
		return n + 1
	case n == 0:
		return ackermann(m-1, 1)
	}
	return ackermann(m-1, ackermann(m, n-1))
}

func permutations(xs []int, from int) int {
	if from == len(xs) {
		return 1
	}
	count := 0
	for i := from; i < len(xs); i++ {
		xs[from], xs[i] = xs[i], xs[from]
		count += permutations(xs, from+1)
		xs[from], xs[i] = xs[i], xs[from]
	}
	return count
}

type row struct {
	cells [256]byte
	next  *row
}

func nest(depth int) *row {
	if depth == 0 {
		return nil
	}
	r := &row{next: nest(depth - 1)}
	r.cells[depth] = 1
	return r
}
