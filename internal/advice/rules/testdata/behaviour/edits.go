package edits

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

type job struct {
	name string
	n    int
	w    float64
}

type byN []job

func (b byN) Len() int           { return len(b) }
func (b byN) Less(i, j int) bool { return b[i].n < b[j].n }
func (b byN) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type byName struct{ jobs []*job }

func (s *byName) Len() int      { return len(s.jobs) }
func (s *byName) Swap(i, j int) { s.jobs[i], s.jobs[j] = s.jobs[j], s.jobs[i] }
func (s *byName) Less(i, j int) bool {
	a, b := s.jobs[i], s.jobs[j]
	if a.n != b.n {
		return a.n > b.n
	}
	return a.name < b.name
}

type ids []int

func (x ids) Len() int           { return len(x) }
func (x ids) Less(i, j int) bool { return x[i] < x[j] }
func (x ids) Swap(i, j int)      { x[i], x[j] = x[j], x[i] }

func Run() string {
	var out strings.Builder
	for _, n := range []int{0, 1, 2, 7, 40} {
		var jobs []job
		var numbers []int
		for i := range n {
			jobs = append(jobs, job{strconv.Itoa(i * 31 % 17), i * 13 % 11, float64(i % 5)})
			numbers = append(numbers, i*7%5-1)
		}
		fmt.Fprintln(&out, sorted(jobs, numbers), checked(jobs, numbers))
		found, rest := find(jobs, 5)
		fmt.Fprintln(&out, found, rest, collected(jobs))
		fmt.Fprintln(&out, string(numbersText(numbers)), written(numbers, time.Unix(int64(n)*1e8, 0).UTC()))
		fmt.Fprintln(&out, removed(slices.Clone(numbers), n/2), inserted(slices.Clone(numbers), n/3), removed(slices.Clone(numbers), n), first(slices.Clone(numbers)))
		fmt.Fprintln(&out, prepended(numbers), prepended(nil) == nil, prependedUntil(numbers, 3), prependedUntil(nil, 3) == nil, joined(numbers, numbers) == nil, joined(numbers, nil), len(merged(numbers, jobs)))
	}
	return out.String()
}

func sorted(jobs []job, numbers []int) string {
	stable, other := slices.Clone(jobs), []*job{}
	for i := range jobs {
		other = append(other, &jobs[i])
	}
	sort.Stable(byN(stable))
	reversed := slices.Clone(jobs)
	sort.Stable(sort.Reverse(byN(reversed)))
	sort.Sort(&byName{jobs: other})
	ordered := slices.Clone(numbers)
	sort.Sort(ids(ordered))
	down := slices.Clone(numbers)
	sort.Sort(sort.Reverse(ids(down)))
	names := ""
	for _, o := range other {
		names += o.name + " "
	}
	return fmt.Sprint(stable, reversed, names, ordered, down)
}

func checked(jobs []job, numbers []int) string {
	return fmt.Sprint(
		sort.IsSorted(byN(jobs)),
		sort.IsSorted(ids(numbers)),
		sort.IsSorted(sort.Reverse(sort.IntSlice(numbers))),
		sort.SliceIsSorted(numbers, func(i, j int) bool { return numbers[i] > numbers[j] }),
		sort.SliceIsSorted(jobs, func(i, j int) bool { return jobs[i].name < jobs[j].name }),
	)
}

func find(jobs []job, n int) (*job, int) {
	seen := 0
	// says: j escapes to heap
	for _, j := range jobs {
		j.n *= 2
		if j.n == 2*n {
			j.name += "!"
			return &j, seen
		}
		seen += j.n
	}
	return nil, seen
}

func collected(jobs []job) (text string) {
	var kept []*job
	for i := range jobs {
		// says: j escapes to heap
		j := jobs[i]
		if j.n%3 == 0 {
			kept = append(kept, &j)
			j.n += 100
			continue
		}
		text += j.name
	}
	for _, k := range kept {
		text += fmt.Sprint(" ", *k)
	}
	return text
}

func numbersText(numbers []int) []byte {
	var b []byte
	for _, n := range numbers {
		b = append(b, strconv.Itoa(n)...)
		b = append(b, strconv.Quote("q")...)
		b = append(b, netip.AddrFrom4([4]byte{1, 2, 3, byte(n)}).String()...)
	}
	return append(b, []byte(strconv.FormatInt(-12, 7))...)
}

func written(numbers []int, at time.Time) string {
	var buf bytes.Buffer
	var sb strings.Builder
	for _, n := range numbers {
		buf.WriteString(strconv.Itoa(n))
		sb.WriteString(at.Format("2006-01-02"))
		sb.WriteString(strconv.FormatFloat(float64(n)/3, 'g', -1, 64))
	}
	return buf.String() + sb.String()
}

func removed(s []int, k int) []int {
	for i := k; i < len(s)-1; i++ {
		s[i] = s[i+1]
	}
	return s
}

func inserted(s []int, k int) []int {
	s = append(s, -9)
	for i := len(s) - 1; i > k; i-- {
		s[i] = s[i-1]
	}
	return s
}

func first(s []int) []int {
	for i := 1; i < len(s); i++ {
		s[i-1] = s[i]
	}
	return s
}

func prepended(numbers []int) []int {
	var all []int
	for _, n := range numbers {
		if n == 2 {
			continue
		}
		all = append([]int{n}, all...)
	}
	return all
}

func prependedUntil(numbers []int, last int) []int {
	var all []int
	for i := 0; ; i++ {
		switch {
		case i == len(numbers):
			return all
		case numbers[i] == last:
			return append(all, -1)
		case numbers[i] > 100:
			return nil
		}
		all = append([]int{numbers[i]}, all...)
	}
}

func joined(a, b []int) []int {
	var all []int
	all = append(all, a...)
	all = append(all, b...)
	return all
}

func merged(a []int, b []job) map[int]bool {
	m := make(map[int]bool)
	for _, x := range a {
		m[x] = true
	}
	for _, x := range b {
		m[x.n] = false
	}
	return m
}
