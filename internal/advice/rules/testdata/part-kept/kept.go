package kept

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
)

type entry struct {
	user string
	slow bool
}

type index struct {
	entries []*entry
	users   map[string]int
	body    []byte
	first   string
}

var (
	number = regexp.MustCompile(`[0-9]+`)
	last   []byte
	names  sync.Map
)

func (x *index) read(r io.Reader) {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		// want C: The result of sc.Text has 352 bytes on average. Only a part of it is stored, which keeps all of it in memory: user in field user of entry (line 42). To free the rest, store strings.Clone(user).
		line := sc.Text() // live: bufio.(*Scanner).Text only 352
		fields := strings.Split(line, " ")
		x.add(fields[0])
	}
}

func (x *index) add(user string) {
	e := &entry{user: user}
	x.entries = append(x.entries, e)
}

// digits is what the Go blog warns of.
func digits(name string) []byte {
	// want C: store bytes.Clone(
	b, _ := os.ReadFile(name) // live: os.ReadFile only 1048576
	return number.Find(b)
}

func setLast(name string) {
	last = digits(name)
}

func (x *index) receive(r io.Reader) error {
	// want C: buf[:n] in field body of index (line 62)
	buf := make([]byte, 64<<10) // live: only 65536
	n, err := r.Read(buf)
	if err == nil {
		x.body = buf[:n]
	}
	return err
}

// count keeps each word once.
func (x *index) count(b []byte) {
	// want C: word in a key of x.users (line 72). To free the rest, store strings.Clone(word) if the key is new.
	text := string(b) // live: only 4096
	for word := range strings.FieldsSeq(text) {
		x.users[word]++
	}
}

func (x *index) header(b []byte) {
	// want C: name in field first of index
	name, _, _ := strings.Cut(strings.TrimSpace(string(b)), ":") // live: only 4096
	x.first = name
}

func known(r *bufio.Reader) {
	// want C: field in a sync.Map
	line, _ := r.ReadBytes('\n') // live: bufio.(*Reader).ReadBytes only 512
	field, _, _ := bytes.Cut(line, []byte("="))
	names.Store("name", field)
}

// labels keeps one part of each line.
func (x *index) labels(b []byte) {
	// want C: label in field user of entry
	text := string(b) // live: only 8192
	for line := range strings.Lines(text) {
		label, _, _ := strings.Cut(line, ":")
		x.entries = append(x.entries, &entry{user: label})
	}
}

func (x *index) second(lines [][]byte, join string) {
	for _, line := range lines {
		// want C: strings.Fields(text)[1] in field user of entry
		text := join + string(line) // live: only 8192
		x.entries = append(x.entries, &entry{user: strings.Fields(text)[1]})
	}
}

func best(scores []float64, n int) (top []float64) {
	// want C: all[:n] in scoreboard
	all := make([]float64, len(scores)) // live: only 8192
	copy(all, scores)
	scoreboard = all[:n]
	return nil
}

var scoreboard []float64
