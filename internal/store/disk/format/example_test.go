package format_test

import (
	"fmt"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/profile"
)

// cpuProfile returns a CPU profile of main, which calls serve and parse, with how often
// each was seen. What wasn't seen at all is not in it.
func cpuProfile(serve, parse int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	m := b.Mapping(profile.Mapping{Start: 0x400000, Limit: 0x500000, File: "/app"})
	location := func(address uint64, name string) uint32 {
		f := b.Function(name, name, "app.go", 1)
		return b.Location(address, m, profile.Line{Function: f, Line: 7})
	}
	sample := func(address uint64, name string, count int64) {
		if count > 0 {
			leaf := location(address, name)
			b.Sample([]uint32{leaf, location(0x400010, "main")}, nil, count, count*10)
		}
	}
	sample(0x400030, "parse", parse)
	sample(0x400020, "serve", serve)
	return b.Profile()
}

// Two profiles of an instance of a service come in, are packed, and are asked for.
func Example() {
	// The dictionary of the service's week gives numbers to what profiles repeat. A stack
	// with its labels is a site, so that a profile is a list of sites with values.
	dictionary := format.NewDictionary([]string{store.LabelInstance})
	interner := format.NewInterner(dictionary)
	start := time.Date(2026, 11, 2, 15, 0, 0, 0, time.UTC).UnixNano()
	labels, _ := store.NewLabels(store.Label{Name: store.LabelService, Value: "api"}, store.Label{Name: store.LabelKind, Value: "cpu"},
		store.Label{Name: store.LabelInstance, Value: "a"})
	// As they come they are written one by one: version, numbers of columns and samples, the
	// sites with their size; then mode, size and bytes of each column. Counts are numbers
	// (mode 1), and times are column 0 times 10 (mode 3; 10 is 14 in zigzag).
	var heads format.Heads
	var fresh [][]byte
	for i, p := range []*profile.Profile{cpuProfile(3, 0), cpuProfile(4, 1)} {
		var all []uint32
		for s := range p.Stacks {
			all = append(all, uint32(s))
		}
		sites, schema := interner.Intern(p, all, nil)
		samples := format.Samples{Sites: sites, Values: p.Values}
		head := format.Head{Seq: uint64(i) + 1, Time: start + int64(i)*int64(time.Minute), Duration: 10e9, Schema: schema,
			Series: interner.Series(labels, schema), Samples: uint32(len(sites))}
		heads.Add(head, []int64{sum(p.Values[0]), sum(p.Values[1])})
		value, _ := format.AppendSamples(nil, &samples, nil)
		fresh = append(fresh, value)
		fmt.Printf("profile %d: sites %d, counts %d, cpu %d\n", head.Seq, samples.Sites, samples.Values[0], samples.Values[1])
		fmt.Printf("  v: % x\n", value)
	}

	// When nothing comes for the hour any more, its profiles become a block: a row for each
	// site, in it an entry for each profile that has the site. Version, 2 profiles, 2
	// columns, 3 entries; rows, as they are (00), of sites 0 and 0+1 with 2 entries and 1;
	// places: 1 profile is left out before the entry of the second row. Counts are coded by
	// rows (2): the first one as differences in bits (0b), the second is all 1 (01 02); then
	// the bit lengths of 3 and of 4-3, zigzag, and the bits. Times are a product again (1).
	var packer format.Packer
	for i := range fresh {
		if err := format.ReadSamples(packer.Next(), fresh[i], 2, -1, dictionary.Sites()); err != nil {
			fmt.Println(err)
		}
	}
	block := packer.Block(2, dictionary.Sites())
	fmt.Printf("block of %d profiles\n  b: % x\n", block.Profiles, block.Append(nil))

	// They are added to the roll-ups of their hour and day: a head with the totals, and the
	// sum of each site. Version, 2 columns, sites; lengths and bits of the counts; product.
	var rollup format.Rollup
	for i := range heads.List {
		rollup.AddHead(&heads.List[i], heads.TotalsOf(&heads.List[i]))
	}
	sums := block.Sums()
	fmt.Printf("roll-up of %d profiles: totals %d\n", rollup.Profiles, rollup.Totals)
	fmt.Printf("  w: % x\n", sums.Append(nil))

	// A query adds up what it selects, by site: roll-ups where it asks for whole hours and
	// days, else blocks and fresh profiles. The dictionary makes a profile of that.
	adder := format.NewAdder(2, -1, dictionary.Sites())
	sums.AddTo(adder)
	merged, err := dictionary.Profile(adder, map[uint32]int64{0: start}, nil)
	if err != nil {
		panic(err) // without a budget there is none
	}
	for s := range merged.Stacks {
		for _, l := range merged.Stack(s) {
			fmt.Printf("%s ", merged.Strings[merged.Functions[merged.LocationLines(l)[0].Function].Name])
		}
		fmt.Println(merged.Values[0][s], merged.Values[1][s])
	}

	// Output:
	// profile 1: sites [0], counts [3], cpu [30]
	//   v: 01 02 01 01 00 01 01 03 03 02 00 14
	// profile 2: sites [1 0], counts [1 4], cpu [10 40]
	//   v: 01 02 02 02 02 01 01 02 01 04 03 02 00 14
	// block of 2 profiles
	//   b: 01 02 02 03 05 00 00 01 02 01 02 00 01 02 04 00 0b 01 02 03 00 03 02 01 02 01 00 14
	// roll-up of 2 profiles: totals [8 80]
	//   w: 01 02 03 00 00 01 02 03 00 04 02 01 06 01 00 14
	// serve main 7 70
	// parse main 1 10
}

func sum(values []int64) (n int64) {
	for _, v := range values {
		n += v
	}
	return n
}
