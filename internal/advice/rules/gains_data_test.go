//go:build unix

//lint:file-ignore S1001,S1012,S1032,S1033 These are the forms that rules replace.

package rules

//lint:file-ignore SA1019 what is measured is what is better not used

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"encoding/json"
	"hash"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

//lint:file-ignore SA1019 what is measured is what is better not used

//lint:file-ignore SA1019 what is measured is what is better not used

func looped() map[string]versus {
	data, mask, out := make([]byte, 1024), make([]byte, 1024), make([]byte, 1024)
	ring, from := make([]byte, 4096), 3000
	var big [64]struct{ a [32]int }
	numbers, scratch := make([]int, 200), make([]int, 200)
	square := func(n int) string { return strings.Repeat("ab", n) }
	return map[string]versus{
		"bulk-append": {
			func() {
				out = out[:0]
				for i := range len(paragraph) {
					out = append(out, paragraph[i])
				}
			},
			func() { out = append(out[:0], paragraph...) },
		},
		"byte-loop": {
			func() {
				b := make([]byte, 80)
				for i := range b {
					b[i] = '-'
				}
				madeText = string(b)
			},
			func() { madeText = strings.Repeat("-", 80) },
		},
		"copy-loop": {
			func() {
				for i := range data {
					mask[i] = data[i]
				}
			},
			func() { copy(mask, data) },
		},
		"slide-loop": {
			func() {
				for i := 0; i < len(data)-1; i++ {
					data[i] = data[i+1]
				}
			},
			func() { copy(data[:len(data)-1], data[1:]) },
		},
		"xor-loop": {
			func() {
				for i := range data {
					data[i] ^= mask[i]
				}
			},
			func() { subtle.XORBytes(data, data, mask) },
		},
		"ring-loop": {
			func() {
				for i := range len(data) {
					data[i] = ring[(from+i)%len(ring)]
				}
			},
			func() { n := copy(data, ring[from:]); copy(data[n:], ring) },
		},
		"object-per-element": {
			func() {
				all := make([]*object, 100)
				for i := range all {
					all[i] = new(object)
				}
				madeObjects = all
			},
			func() {
				all, objects := make([]*object, 100), make([]object, 100)
				for i := range all {
					all[i] = &objects[i]
				}
				madeObjects = all
			},
		},
		"math-pow": {
			func() {
				sum := 0.0
				for _, n := range numbers {
					sum += math.Pow(float64(n), 2)
				}
				madeFloat = sum
			},
			func() {
				sum := 0.0
				for _, n := range numbers {
					sum += float64(n) * float64(n)
				}
				madeFloat = sum
			},
		},
		"slice-on-stack": {
			func() {
				row := make([]int, len(numbers)/8)
				for i := range row {
					row[i] += i
				}
				madeInt = row[3]
			},
			func() {
				var array [32]int
				var row []int
				if n := len(numbers) / 8; n <= len(array) {
					row = array[:n:n]
				} else {
					row = make([]int, n)
				}
				for i := range row {
					row[i] += i
				}
				madeInt = row[3]
			},
		},
		"math-max": {
			func() {
				sum := 0.0
				for _, n := range numbers {
					sum += math.Max(float64(n), 3)
				}
				madeFloat = sum
			},
			func() {
				sum := 0.0
				for _, n := range numbers {
					sum += max(float64(n), 3)
				}
				madeFloat = sum
			},
		},
		"large-copy": {
			func() {
				n := 0
				for _, e := range big {
					n += e.a[3]
				}
				madeInt = n
			},
			func() {
				n := 0
				for i := range big {
					n += big[i].a[3]
				}
				madeInt = n
			},
		},
		"slice-grows": {
			func() {
				var all []int
				for i := range 1000 {
					all = append(all, i)
				}
				madeInt = len(all)
				madeAny = &all
			},
			func() {
				all := make([]int, 0, 1000)
				for i := range 1000 {
					all = append(all, i)
				}
				madeInt = len(all)
				madeAny = &all
			},
		},
		"filter-copy": {
			func() {
				var kept []int
				for _, n := range numbers {
					if n&1 == 0 {
						kept = append(kept, n)
					}
				}
				madeInt = len(kept)
				madeAny = &kept
			},
			func() {
				kept := scratch[:0]
				for _, n := range numbers {
					if n&1 == 0 {
						kept = append(kept, n)
					}
				}
				madeInt = len(kept)
				madeAny = &kept
			},
		},
		"loop-invariant-call": {
			func() {
				for _, w := range someWords[:20] {
					madeBool = w == square(10)
				}
			},
			func() {
				same := square(10)
				for _, w := range someWords[:20] {
					madeBool = w == same
				}
			},
		},
		"time-now-loop": {
			func() {
				for range 100 {
					madeInt += time.Now().Nanosecond()
				}
			},
			func() {
				now := time.Now()
				for range 100 {
					madeInt += now.Nanosecond()
				}
			},
		},
		"defer-in-loop": {
			func() {
				for range 100 {
					defer func() { madeInt++ }()
				}
			},
			func() {
				for range 100 {
					func() { defer func() { madeInt++ }() }()
				}
			},
		},
		"time-since": {func() { madeInt = int(time.Now().Sub(began)) }, func() { madeInt = int(time.Since(began)) }},
	}
}

var began = time.Now()

func reflected() map[string]versus {
	type fields struct {
		A uint32
		B uint16
		C uint64
		D [4]uint16
	}
	var f fields
	raw := make([]byte, binary.Size(f))
	r := bytes.NewReader(raw)
	list, same := []int{1, 2, 3, 4, 5, 6, 7, 8}, []int{1, 2, 3, 4, 5, 6, 7, 8}
	named := &struct {
		ID, Count, Size, Kind int
		Name                  string
	}{Name: "x"}
	value := reflect.ValueOf(named).Elem().FieldByName("Name")
	var kind reflect.Type
	text := []byte(`{"id": 7, "name": "somebody", "tags": ["a", "b", "c"], "at": {"x": 1.5, "y": 2.5}}`)
	var known struct {
		ID   int      `json:"id"`
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}
	plain := any("x")
	return map[string]versus{
		"binary-reflection": {
			func() { r.Reset(raw); binary.Read(r, binary.LittleEndian, &f) },
			func() {
				r.Reset(raw)
				io.ReadFull(r, raw)
				f.A = binary.LittleEndian.Uint32(raw)
				f.B = binary.LittleEndian.Uint16(raw[4:])
				f.C = binary.LittleEndian.Uint64(raw[6:])
			},
		},
		"small-reads/binary": {
			func() { r.Reset(raw); binary.Read(r, binary.LittleEndian, &f) },
			func() {
				r.Reset(raw)
				io.ReadFull(r, raw)
				f.A = binary.LittleEndian.Uint32(raw)
				f.B = binary.LittleEndian.Uint16(raw[4:])
				f.C = binary.LittleEndian.Uint64(raw[6:])
			},
		},
		"deep-equal/fields": {func() { madeBool = reflect.DeepEqual(here, there) }, func() { madeBool = equalPlace(here, there) }},
		"deep-equal/zero":   {func() { madeBool = reflect.ValueOf(here.at).IsZero() }, func() { madeBool = here.at == (spot{}) }},
		"deep-equal":        {func() { madeBool = reflect.DeepEqual(list, same) }, func() { madeBool = slices.Equal(list, same) }},
		"reflect-assert":    {func() { madeText, _ = value.Interface().(string) }, func() { madeText, _ = reflect.TypeAssert[string](value) }},
		"reflect-type":      {func() { kind = reflect.TypeOf((*io.Reader)(nil)).Elem(); madeBool = kind == nil }, func() { kind = reflect.TypeFor[io.Reader](); madeBool = kind == nil }},
		"reflect-first": {
			func() { madeText = reflect.ValueOf(named).Elem().FieldByName("Name").String() },
			func() { madeText = reflect.ValueOf(named).Elem().Field(4).String() },
		},
		"reflect-first/switch": {
			func() {
				if v := reflect.ValueOf(plain); v.Kind() == reflect.Pointer && v.IsNil() {
					return
				}
				madeText, _ = plain.(string)
			},
			func() {
				switch v := plain.(type) {
				case string:
					madeText = v
				default:
					madeBool = reflect.ValueOf(v).IsNil()
				}
			},
		},
		"reflect-first/function": {
			func() { v := reflect.New(reflect.TypeOf(f)); v.Elem().Field(0).SetUint(7); madeAny = v.Interface() },
			func() { v := new(fields); v.A = 7; madeAny = v },
		},
		"json-any": {func() { var v any; json.Unmarshal(text, &v); madeAny = v }, func() { json.Unmarshal(text, &known) }},
		"json-reflection": {
			func() { madeBytes, _ = json.Marshal(&known) },
			func() {
				b := append(madeBytes[:0], `{"id":`...)
				b = strconv.AppendInt(b, int64(known.ID), 10)
				b = append(b, `,"name":`...)
				b = strconv.AppendQuote(b, known.Name)
				b = append(b, `,"tags":[`...)
				for i, t := range known.Tags {
					if i > 0 {
						b = append(b, ',')
					}
					b = strconv.AppendQuote(b, t)
				}
				madeBytes = append(b, "]}"...)
			},
		},
	}
}

func perObject() map[string]versus {
	return map[string]versus{
		"list-parsed-per-call": {
			func() {
				for _, text := range []string{"10", "20", "30", "40"} {
					n, _ := strconv.ParseFloat(text, 64)
					madeBool = n == madeFloat
				}
			},
			func() {
				for _, n := range []float64{10, 20, 30, 40} {
					madeBool = n == madeFloat
				}
			},
		},
		"once-per-object": {
			func() { f := sync.OnceValue(func() int { return madeInt }); madeInt = f() },
			func() { o := new(object); madeInt = o.value() },
		},
	}
}

var (
	madeObjects []*object
	madeHash    hash.Hash = fnv.New64a()
	zeroByte              = []byte{0}
)

type object struct {
	once sync.Once
	n    int
}

func (o *object) value() int {
	o.once.Do(func() { o.n = madeInt })
	return o.n
}

func sorted() map[string]versus {
	type person struct {
		name string
		age  int
	}
	all := make([]person, 100)
	numbers := make([]int, 100)
	for i := range all {
		all[i] = person{strconv.Itoa(i * 7919 % 1000), i * 7919 % 1000}
		numbers[i] = i * 7919 % 1000
	}
	people, ints := slices.Clone(all), slices.Clone(numbers)
	type keyed struct {
		key string
		person
	}
	byAge := func(a, b person) int { return a.age - b.age }
	return map[string]versus{
		"sort-slice": {
			func() {
				copy(people, all)
				sort.Slice(people, func(i, j int) bool { return people[i].age < people[j].age })
			},
			func() { copy(people, all); slices.SortFunc(people, byAge) },
		},
		"sort-slice/natural": {
			func() { copy(ints, numbers); slices.SortFunc(ints, func(a, b int) int { return a - b }) },
			func() { copy(ints, numbers); slices.Sort(ints) },
		},
		"sort-slice/interface": {
			func() { copy(ints, numbers); sort.Sort(sort.IntSlice(ints)) },
			func() { copy(ints, numbers); slices.SortFunc(ints, func(a, b int) int { return a - b }) },
		},
		"sort-slice/ascending": {
			func() { copy(ints, numbers); sort.Slice(ints, func(i, j int) bool { return ints[i] < ints[j] }) },
			func() { copy(ints, numbers); slices.Sort(ints) },
		},
		"sort-slice/forwards": {
			func() { copy(ints[:8], numbers); sort.Ints(ints[:8]) },
			func() { copy(ints[:8], numbers); slices.Sort(ints[:8]) },
		},
		"work-per-comparison": {
			func() {
				copy(people, all)
				slices.SortFunc(people, func(a, b person) int { return strings.Compare(strconv.Itoa(a.age), strconv.Itoa(b.age)) })
			},
			func() {
				keys := make([]keyed, len(all))
				for i, p := range all {
					keys[i] = keyed{strconv.Itoa(p.age), p}
				}
				slices.SortFunc(keys, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
				for i, k := range keys {
					people[i] = k.person
				}
			},
		},
	}
}

type (
	spot  struct{ x, y int }
	place struct {
		name string
		tags []string
		at   spot
		near *spot
	}
)

var here, there = place{"here", someWords[:2], spot{1, 2}, nil}, place{"here", slices.Clone(someWords[:2]), spot{1, 2}, nil}

func equalPlace(a, b place) bool {
	return a.name == b.name &&
		(a.tags == nil) == (b.tags == nil) &&
		slices.Equal(a.tags, b.tags) &&
		a.at == b.at &&
		(a.near == b.near || a.near != nil && b.near != nil && *a.near == *b.near)
}

var (
	statusCodes = map[string]int{"ok": 200, "created": 201, "moved": 301, "found": 302, "missing": 404, "conflict": 409, "failed": 500, "down": 503}
	numberNames = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"}
)

func mapped() map[string]versus {
	counts := make(map[string]int)
	for i, w := range someWords {
		counts[w] = i
	}
	entries := slices.Collect(maps.Values(counts))
	vowels := map[byte]bool{'a': true, 'e': true, 'i': true, 'o': true, 'u': true}
	isVowel := [256]bool{'a': true, 'e': true, 'i': true, 'o': true, 'u': true}
	lists := make(map[string]int)
	add := func(m map[int]int) {
		for i := range 1000 {
			m[i] = i
		}
		madeInt = len(m)
	}
	return map[string]versus{
		"literal-per-call": {
			func() {
				codes := map[string]int{"ok": 200, "created": 201, "moved": 301, "found": 302, "missing": 404, "conflict": 409, "failed": 500, "down": 503}
				madeInt = codes[someWords[0]]
			},
			func() { madeInt = statusCodes[someWords[0]] },
		},
		"literal-per-call/written": {
			func() { madeHash.Write([]byte{0}) },
			func() { madeHash.Write(zeroByte) },
		},
		"literal-per-call/array": {
			func() {
				names := []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"}
				madeText = names[madeInt&15]
			},
			func() { madeText = numberNames[madeInt&15] },
		},
		"map-grows": {func() { add(make(map[int]int)) }, func() { add(make(map[int]int, 1000)) }},
		"map-range": {
			func() {
				for _, n := range counts {
					madeInt += n
				}
			},
			func() {
				for _, n := range entries {
					madeInt += n
				}
			},
		},
		"range-lookup": {
			func() {
				for k := range counts {
					madeInt += counts[k]
				}
			},
			func() {
				for _, n := range counts {
					madeInt += n
				}
			},
		},
		"map-twice": {
			func() {
				for _, w := range someWords {
					if _, ok := counts[w]; ok {
						madeInt += counts[w]
					}
				}
			},
			func() {
				for _, w := range someWords {
					if value, ok := counts[w]; ok {
						madeInt += value
					}
				}
			},
		},
		"small-key-map": {
			func() {
				for i := range len(sentence) {
					if vowels[sentence[i]] {
						madeInt++
					}
				}
			},
			func() {
				for i := range len(sentence) {
					if isVowel[sentence[i]] {
						madeInt++
					}
				}
			},
		},
		"map-guard": {
			func() {
				for _, w := range someWords[:20] {
					if _, ok := lists[w]; ok {
						lists[w] = lists[w] + 1
					} else {
						lists[w] = 1
					}
				}
			},
			func() {
				for _, w := range someWords[:20] {
					lists[w]++
				}
			},
		},
		"delete-guard": {
			func() {
				lists["x"] = 1
				if _, ok := lists["x"]; ok {
					delete(lists, "x")
				}
			},
			func() { lists["x"] = 1; delete(lists, "x") },
		},
	}
}
