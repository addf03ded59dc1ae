package facts

import "sync"

// A CostKind is the reason why functions cost more than is needed.
type CostKind uint8

const (
	ScansByReflection CostKind = iota
	ChangesCase
	MapsRunes
	AsksSystem
	EncodesTwice
	KnowsUnicode
	DecodesIntoSlice
	CopiesAll
	LinksAny
	AsksFiles
	AddressesAsSlices
	JoinsPaths
	SearchesTable
	HeapsAny
	BisectsByCalls
	MakesText
	ParsesQuery
	SearchesEnvironment
	StatsFiles
	SplitsAll
	SplitsIntoFew
	SplitsFields
	SplitsByCalls
	ReplacesAll
	TestsByCalls
	MakesAddressText
	ParsesURL
	ReadsPattern
	MakesTimer
	CopiesPieces
	DecodesXML
	ReadsLayout
	FillsTable
	ParsesBuildInfo
	StopsProgram
	MakesNetworkText
	MakesNumberBytes
	LimitsReader
	AddsContext
	CopiesRequest
	EscapesPath
	ParsesAnyBase
	MakesTimeText
	RepeatsText
	RaisesToAny
	ParsesMediaType
	ReadsClock
	AsksForRandom
	MakesNumber
	PrintsStack
)

// A CostlyFunction of the standard library handles every case, and usually has a cheaper
// counterpart. Its gain is at most what costly-call/gains.txt in testdata of package rules has for
// it, and less for most functions, because nothing else is measured there.
type CostlyFunction struct {
	Name string // as go/types writes it
	Kind CostKind
	Gain float64
}

// CostlyFunctions returns all costly functions. The caller must not change the slice.
func CostlyFunctions() []CostlyFunction { return costlyFunctions }

// Costly returns the costly function with a name.
func Costly(name string) (CostlyFunction, bool) {
	f, ok := costlyByName()[name]
	return f, ok
}

var costlyFunctions = []CostlyFunction{
	{"fmt.Sscanf", ScansByReflection, 10},
	{"fmt.Sscan", ScansByReflection, 10},
	{"fmt.Sscanln", ScansByReflection, 10},
	{"fmt.Fscanf", ScansByReflection, 5},
	{"fmt.Fscan", ScansByReflection, 5},
	{"fmt.Fscanln", ScansByReflection, 5},
	{"strings.ToLower", ChangesCase, 2},
	{"strings.ToUpper", ChangesCase, 2},
	{"bytes.ToLower", ChangesCase, 2},
	{"bytes.ToUpper", ChangesCase, 2},
	{"strings.ToTitle", ChangesCase, 2},
	{"strings.Title", ChangesCase, 2},
	{"strings.Map", MapsRunes, 2},
	{"bytes.Map", MapsRunes, 2},
	{"os.Hostname", AsksSystem, 50},
	{"os.Getwd", AsksSystem, 50},
	{"os.Executable", AsksSystem, 50},
	{"os.UserHomeDir", AsksSystem, 5},
	{"os/user.Current", AsksSystem, 5},
	{"net.Interfaces", AsksSystem, 50},
	{"net.InterfaceAddrs", AsksSystem, 50},
	{"os/exec.LookPath", AsksSystem, 50},
	{"encoding/hex.EncodeToString", EncodesTwice, 1.5},
	{"(*encoding/base64.Encoding).EncodeToString", EncodesTwice, 1.5},
	{"unicode.ToLower", KnowsUnicode, 2},
	{"unicode.ToUpper", KnowsUnicode, 2},
	{"unicode.SimpleFold", KnowsUnicode, 2},
	{"encoding/hex.DecodeString", DecodesIntoSlice, 1.5},
	{"(*encoding/base64.Encoding).DecodeString", DecodesIntoSlice, 1.3},
	{"slices.Clone", CopiesAll, 1.5},
	{"maps.Clone", CopiesAll, 1.5},
	{"(net/http.Header).Clone", CopiesAll, 1.5},
	{"(*container/list.List).PushFront", LinksAny, 1.5},
	{"(*container/list.List).PushBack", LinksAny, 1.5},
	{"path/filepath.EvalSymlinks", AsksFiles, 3},
	{"os.Stat", AsksFiles, 3},
	{"os.Lstat", AsksFiles, 3},
	{"net.ParseIP", AddressesAsSlices, 1.5},
	{"net.ParseCIDR", AddressesAsSlices, 2},
	{"(net.IP).String", AddressesAsSlices, 2},
	{"path.Join", JoinsPaths, 2},
	{"path/filepath.Join", JoinsPaths, 1.5},
	{"path/filepath.Abs", JoinsPaths, 2},
	{"unicode.Is", SearchesTable, 2},
	{"unicode.In", SearchesTable, 3},
	{"unicode.IsOneOf", SearchesTable, 3},
	{"container/heap.Push", HeapsAny, 1.5},
	{"container/heap.Pop", HeapsAny, 1.5},
	{"container/heap.Fix", HeapsAny, 1.5},
	{"container/heap.Init", HeapsAny, 1.5},
	{"container/heap.Remove", HeapsAny, 1.5},
	{"sort.Find", BisectsByCalls, 1.5},
	{"strconv.FormatFloat", MakesText, 1.3},
	{"strconv.Quote", MakesText, 1.2},
	{"(*net/url.URL).Query", ParsesQuery, 2},
	{"os.Getenv", SearchesEnvironment, 5},
	{"os.LookupEnv", SearchesEnvironment, 5},
	{"path/filepath.Walk", StatsFiles, 2},
	{"io/ioutil.ReadDir", StatsFiles, 2},
	{"strings.Split", SplitsAll, 1.5},
	{"bytes.Split", SplitsAll, 1.5},
	{"strings.SplitN", SplitsIntoFew, 1.5},
	{"bytes.SplitN", SplitsIntoFew, 1.5},
	{"strings.Fields", SplitsFields, 1.5},
	{"bytes.Fields", SplitsFields, 1.5},
	{"strings.FieldsFunc", SplitsByCalls, 1.5},
	{"bytes.FieldsFunc", SplitsByCalls, 1.5},
	{"strings.Replace", ReplacesAll, 1.5},
	{"strings.ReplaceAll", ReplacesAll, 1.5},
	{"strings.IndexFunc", TestsByCalls, 1.5},
	{"strings.ContainsFunc", TestsByCalls, 1.1},
	{"strings.TrimFunc", TestsByCalls, 1.5},
	{"strings.TrimLeftFunc", TestsByCalls, 1.5},
	{"strings.TrimRightFunc", TestsByCalls, 1.5},
	{"bytes.IndexFunc", TestsByCalls, 1.5},
	{"bytes.ContainsFunc", TestsByCalls, 1.5},
	{"bytes.TrimFunc", TestsByCalls, 1.5},
	{"bytes.TrimLeftFunc", TestsByCalls, 1.5},
	{"bytes.TrimRightFunc", TestsByCalls, 1.5},
	{"(net.IP).MarshalText", MakesAddressText, 1.5},
	{"(net/netip.Addr).String", MakesAddressText, 1.5},
	{"(net/netip.Addr).MarshalText", MakesAddressText, 1.5},
	{"net/url.Parse", ParsesURL, 2},
	{"net/url.ParseRequestURI", ParsesURL, 2},
	{"path.Match", ReadsPattern, 2},
	{"path/filepath.Match", ReadsPattern, 2},
	{"time.NewTimer", MakesTimer, 2},
	{"time.NewTicker", MakesTimer, 2},
	{"(*bufio.Reader).ReadString", CopiesPieces, 1.2},
	{"(*bufio.Reader).ReadBytes", CopiesPieces, 1.2},
	{"(*encoding/xml.Decoder).DecodeElement", DecodesXML, 1.5},
	{"(*encoding/xml.Decoder).Decode", DecodesXML, 1.5},
	{"encoding/xml.Unmarshal", DecodesXML, 1.5},
	{"time.ParseInLocation", ReadsLayout, 2},
	{"time.Parse", ReadsLayout, 2},
	{"hash/crc32.MakeTable", FillsTable, 10},
	{"hash/crc64.MakeTable", FillsTable, 10},
	{"runtime/debug.ReadBuildInfo", ParsesBuildInfo, 50},
	{"runtime.ReadMemStats", StopsProgram, 20},
	{"(*net.IPNet).String", MakesNetworkText, 2},
	{"(*math/big.Int).Bytes", MakesNumberBytes, 1.5},
	{"io.CopyN", LimitsReader, 2},
	{"context.WithValue", AddsContext, 1.2},
	{"(*net/http.Request).WithContext", CopiesRequest, 1.2},
	{"(*net/url.URL).EscapedPath", EscapesPath, 1.5},
	{"strconv.ParseInt", ParsesAnyBase, 1.2},
	{"(time.Time).Format", MakesTimeText, 1.1},
	{"strings.Repeat", RepeatsText, 2},
	{"math.Pow", RaisesToAny, 5},
	{"mime.ParseMediaType", ParsesMediaType, 3},
	{"time.Now", ReadsClock, 2},
	{"crypto/rand.Read", AsksForRandom, 1.5},
	{"math/big.NewInt", MakesNumber, 2},
	{"runtime/debug.Stack", PrintsStack, 5},
}

var costlyByName = sync.OnceValue(func() map[string]CostlyFunction {
	byName := make(map[string]CostlyFunction, len(costlyFunctions))
	for _, f := range costlyFunctions {
		byName[f.Name] = f
	}
	return byName
})
