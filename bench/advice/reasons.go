package main

// reasons are, by the pattern that a case names, the rules that say what its author
// did. A pattern without any is not in the rules.
var reasons = map[string][]string{
	"loop-to-builtin":                 {"byte-loop", "bulk-append"},
	"interface-param-escape":          {"hot-allocation", "encoder-per-call", "hash-sum"},
	"closure-capture-alloc":           {"hot-allocation"},
	"variadic-boxing":                 {"sprintf-simple", "hot-allocation"},
	"closure-alloc-per-object":        {"once-per-object", "hot-allocation"},
	"error-built-then-discarded":      {"error-discarded"},
	"fmt-for-simple-value":            {"sprintf-simple", "bytes-sprintf"},
	"defer-in-hot-path":               {},
	"loop-invariant-parse":            {"loop-invariant-call", "list-parsed-per-call"},
	"loop-invariant-lowercase":        {"loop-invariant-call"},
	"map-iteration-to-slice":          {"map-range"},
	"encoder-per-call":                {"encoder-per-call", "pool-candidate"},
	"sync-pool":                       {"pool-candidate", "pool-empty", "hot-allocation", "encoder-per-call"},
	"filter-in-place":                 {"filter-copy"},
	"slice-prealloc":                  {"slice-grows", "filter-copy"},
	"try-common-case-first":           {"tries-in-turn"},
	"redundant-work":                  {"contains-any"},
	"reflection-avoidable":            {"reflect-first"},
	"regexp-compile-per-call":         {"regexp-per-call"},
	"regexp-for-simple-scan":          {"regexp-engine"},
	"algorithmic":                     {},
	"materialise-to-count":            {"materialise-to-count"},
	"sort-interface-to-slices-sort":   {"sort-slice"},
	"split-for-one-part":              {"split-for-one-part"},
	"bulk-append-fast-path":           {"bulk-append", "byte-loop"},
	"string-byte-conversion":          {"string-bytes-conversion", "text-copied"},
	"string-concat-in-loop":           {"string-concat-loop", "concat-into-buffer"},
	"bytes-buffer-to-strings-builder": {"buffer-to-builder"},
	"time-loadlocation-per-call":      {"location-per-call"},
	"time-now-per-call":               {"time-now-loop"},
	"allocation-per-element":          {"hot-allocation"},
	"error-formatted-per-call":        {"error-formatted", "hot-allocation"},
	"large-copy":                      {"large-copy", "hot-allocation"},
	"log-call-in-hot-path":            {"log-args"},
	"lowercase-to-compare":            {"tolower-equal"},
	"map-lookup-in-range":             {"range-lookup"},
	"map-prealloc":                    {"map-grows"},
	"work-per-comparison":             {"work-per-comparison"},
	"concat-into-buffer":              {"concat-into-buffer"},
	"concat-of-conversions":           {"hot-allocation"},
	"join-literal":                    {"join-literal"},
	"replacer-per-call":               {"replacer-per-call"},
	"ascii-fast-path":                 {"costly-call"},
	"binary-read-reflection":          {"binary-reflection"},
	"map-as-set-to-bitmask":           {"small-key-map"},
	"merge-of-recursive-results":      {"map-grows"},
	"method-value-alloc":              {"hot-allocation"},
	"param-stored-escapes":            {"hot-allocation"},
	"pool-reader":                     {"encoder-per-call", "pool-candidate"},
	"reflect-per-element":             {"reflect-first"},
	"returned-pointer-escapes":        {"hot-allocation"},
	"scratch-buffer-escape":           {"hot-allocation", "pool-candidate"},
	"stack-buffer":                    {"hot-allocation", "pool-candidate"},
	"syscall-invariant-per-call":      {"costly-call"},
	"temporary-copies":                {"hot-allocation"},
	"writerune-for-byte":              {},
}

// requires are modules of repositories that are older than modules, where the newest
// version can't be asked for.
var requires = map[string][]string{
	"gin-gonic/gin": {"github.com/mattn/go-isatty@v0.0.20"},
	"go-kit/log":    {"github.com/go-stack/stack@v1.8.1", "github.com/go-logfmt/logfmt@v0.6.0"},
}

// paths are of modules of such repositories that import themselves by another name.
var paths = map[string]string{"go-kit/log": "github.com/go-kit/kit/log"}
