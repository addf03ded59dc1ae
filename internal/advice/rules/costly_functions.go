package rules

import "sync"

// A costKind is why functions cost more than is needed.
type costKind uint8

const (
	scansByReflection costKind = iota
	changesCase
	mapsRunes
	asksSystem
	encodesTwice
	knowsUnicode
	decodesIntoSlice
	copiesAll
	linksAny
	asksFiles
	addressesAsSlices
	joinsPaths
	searchesTable
	heapsAny
	bisectsByCalls
	makesText
	parsesQuery
	searchesEnvironment
	statsFiles
	splitsAll
	splitsIntoFew
	splitsFields
	splitsByCalls
	replacesAll
	testsByCalls
	makesAddressText
	parsesURL
	readsPattern
	makesTimer
	copiesPieces
	decodesXML
	readsLayout
	fillsTable
	parsesBuildInfo
	stopsProgram
	makesNetworkText
	makesNumberBytes
	limitsReader
	addsContext
	copiesRequest
	escapesPath
	parsesAnyBase
	makesTimeText
	repeatsText
	raisesToAny
	parsesMediaType
	readsClock
	asksForRandom
	makesNumber
	printsStack
)

// A costly function has a name as go/types writes it. Its gain is no more than testdata/costly-call/gains.txt
// has for it, and for most functions less: what is measured there does nothing else.
type costly struct {
	Name string
	Kind costKind
	Gain float64
}

var costlyFunctions = []costly{
	{"fmt.Sscanf", scansByReflection, 10},
	{"fmt.Sscan", scansByReflection, 10},
	{"fmt.Sscanln", scansByReflection, 10},
	{"fmt.Fscanf", scansByReflection, 5},
	{"fmt.Fscan", scansByReflection, 5},
	{"fmt.Fscanln", scansByReflection, 5},
	{"strings.ToLower", changesCase, 2},
	{"strings.ToUpper", changesCase, 2},
	{"bytes.ToLower", changesCase, 2},
	{"bytes.ToUpper", changesCase, 2},
	{"strings.ToTitle", changesCase, 2},
	{"strings.Title", changesCase, 2},
	{"strings.Map", mapsRunes, 2},
	{"bytes.Map", mapsRunes, 2},
	{"os.Hostname", asksSystem, 50},
	{"os.Getwd", asksSystem, 50},
	{"os.Executable", asksSystem, 50},
	{"os.UserHomeDir", asksSystem, 5},
	{"os/user.Current", asksSystem, 5},
	{"net.Interfaces", asksSystem, 50},
	{"net.InterfaceAddrs", asksSystem, 50},
	{"os/exec.LookPath", asksSystem, 50},
	{"encoding/hex.EncodeToString", encodesTwice, 1.5},
	{"(*encoding/base64.Encoding).EncodeToString", encodesTwice, 1.5},
	{"unicode.ToLower", knowsUnicode, 2},
	{"unicode.ToUpper", knowsUnicode, 2},
	{"unicode.SimpleFold", knowsUnicode, 2},
	{"encoding/hex.DecodeString", decodesIntoSlice, 1.5},
	{"(*encoding/base64.Encoding).DecodeString", decodesIntoSlice, 1.3},
	{"slices.Clone", copiesAll, 1.5},
	{"maps.Clone", copiesAll, 1.5},
	{"(net/http.Header).Clone", copiesAll, 1.5},
	{"(*container/list.List).PushFront", linksAny, 1.5},
	{"(*container/list.List).PushBack", linksAny, 1.5},
	{"path/filepath.EvalSymlinks", asksFiles, 3},
	{"os.Stat", asksFiles, 3},
	{"os.Lstat", asksFiles, 3},
	{"net.ParseIP", addressesAsSlices, 1.5},
	{"net.ParseCIDR", addressesAsSlices, 2},
	{"(net.IP).String", addressesAsSlices, 2},
	{"path.Join", joinsPaths, 2},
	{"path/filepath.Join", joinsPaths, 1.5},
	{"path/filepath.Abs", joinsPaths, 2},
	{"unicode.Is", searchesTable, 2},
	{"unicode.In", searchesTable, 3},
	{"unicode.IsOneOf", searchesTable, 3},
	{"container/heap.Push", heapsAny, 1.5},
	{"container/heap.Pop", heapsAny, 1.5},
	{"container/heap.Fix", heapsAny, 1.5},
	{"container/heap.Init", heapsAny, 1.5},
	{"container/heap.Remove", heapsAny, 1.5},
	{"sort.Find", bisectsByCalls, 1.5},
	{"strconv.FormatFloat", makesText, 1.3},
	{"strconv.Quote", makesText, 1.2},
	{"(*net/url.URL).Query", parsesQuery, 2},
	{"os.Getenv", searchesEnvironment, 5},
	{"os.LookupEnv", searchesEnvironment, 5},
	{"path/filepath.Walk", statsFiles, 2},
	{"io/ioutil.ReadDir", statsFiles, 2},
	{"strings.Split", splitsAll, 1.5},
	{"bytes.Split", splitsAll, 1.5},
	{"strings.SplitN", splitsIntoFew, 1.5},
	{"bytes.SplitN", splitsIntoFew, 1.5},
	{"strings.Fields", splitsFields, 1.5},
	{"bytes.Fields", splitsFields, 1.5},
	{"strings.FieldsFunc", splitsByCalls, 1.5},
	{"bytes.FieldsFunc", splitsByCalls, 1.5},
	{"strings.Replace", replacesAll, 1.5},
	{"strings.ReplaceAll", replacesAll, 1.5},
	{"strings.IndexFunc", testsByCalls, 1.5},
	{"strings.ContainsFunc", testsByCalls, 1.1},
	{"strings.TrimFunc", testsByCalls, 1.5},
	{"strings.TrimLeftFunc", testsByCalls, 1.5},
	{"strings.TrimRightFunc", testsByCalls, 1.5},
	{"bytes.IndexFunc", testsByCalls, 1.5},
	{"bytes.ContainsFunc", testsByCalls, 1.5},
	{"bytes.TrimFunc", testsByCalls, 1.5},
	{"bytes.TrimLeftFunc", testsByCalls, 1.5},
	{"bytes.TrimRightFunc", testsByCalls, 1.5},
	{"(net.IP).MarshalText", makesAddressText, 1.5},
	{"(net/netip.Addr).String", makesAddressText, 1.5},
	{"(net/netip.Addr).MarshalText", makesAddressText, 1.5},
	{"net/url.Parse", parsesURL, 2},
	{"net/url.ParseRequestURI", parsesURL, 2},
	{"path.Match", readsPattern, 2},
	{"path/filepath.Match", readsPattern, 2},
	{"time.NewTimer", makesTimer, 2},
	{"time.NewTicker", makesTimer, 2},
	{"(*bufio.Reader).ReadString", copiesPieces, 1.2},
	{"(*bufio.Reader).ReadBytes", copiesPieces, 1.2},
	{"(*encoding/xml.Decoder).DecodeElement", decodesXML, 1.5},
	{"(*encoding/xml.Decoder).Decode", decodesXML, 1.5},
	{"encoding/xml.Unmarshal", decodesXML, 1.5},
	{"time.ParseInLocation", readsLayout, 2},
	{"time.Parse", readsLayout, 2},
	{"hash/crc32.MakeTable", fillsTable, 10},
	{"hash/crc64.MakeTable", fillsTable, 10},
	{"runtime/debug.ReadBuildInfo", parsesBuildInfo, 50},
	{"runtime.ReadMemStats", stopsProgram, 20},
	{"(*net.IPNet).String", makesNetworkText, 2},
	{"(*math/big.Int).Bytes", makesNumberBytes, 1.5},
	{"io.CopyN", limitsReader, 2},
	{"context.WithValue", addsContext, 1.2},
	{"(*net/http.Request).WithContext", copiesRequest, 1.2},
	{"(*net/url.URL).EscapedPath", escapesPath, 1.5},
	{"strconv.ParseInt", parsesAnyBase, 1.2},
	{"(time.Time).Format", makesTimeText, 1.1},
	{"strings.Repeat", repeatsText, 2},
	{"math.Pow", raisesToAny, 5},
	{"mime.ParseMediaType", parsesMediaType, 3},
	{"time.Now", readsClock, 2},
	{"crypto/rand.Read", asksForRandom, 1.5},
	{"math/big.NewInt", makesNumber, 2},
	{"runtime/debug.Stack", printsStack, 5},
}

var costlyByName = sync.OnceValue(func() map[string]costly {
	byName := make(map[string]costly, len(costlyFunctions))
	for _, f := range costlyFunctions {
		byName[f.Name] = f
	}
	return byName
})
