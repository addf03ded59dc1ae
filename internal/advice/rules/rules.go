// Package rules has the slow patterns that hone knows: one rule per file, with its documentation, and
// its test data in testdata/ID.
//
// testdata/ID/NAME.go is a program with a pattern, or one that looks like it. A
// comment at the end of a line says what a profile would show there:
//
//	re := regexp.MustCompile("a+") // hot: regexp.MustCompile regexp.compile
//	s += x                         // hot: runtime.concatstring2
//	b = append(b, x)               // alloc
//	m[line[:n]] = true             // live: 4096
//
// live means that 100 MB in blocks of this size are in use, a sixth of the heap or less.
//
// and the line above it what the rule has to say:
//
//	// want A: compiled anew
//
// with the class, A, B, C or look, and a part of the title or reason, or its end followed by (end), and above that, if
// needed, what the compiler says about the line:
//
//	// says: ... argument escapes to heap | x escapes to heap
//	// says: cannot inline: unhandled op DEFER
//	// says: index checked
//
// A file with the comment "No CPU profile." only has the others.
//
// A file without any want is a look-alike: the rule must not report anything. NAME.go.golden is
// NAME.go after the rewrites of all its findings, applied one after the other.
//
// NAME+MORE.go is another file of the package of NAME.go. Nothing in it is hot, and if a rewrite changes it, it
// has a golden file, too.
package rules

import (
	"slices"

	"github.com/hone-go/hone/internal/advice"
)

// All returns the rules, in the order that doc/rules.md has them.
func All() []*advice.Rule {
	return slices.Concat(lineRules, advice.ProgramRules())
}

// lineRules are the rules about lines; those about programs as a whole are in internal/advice.
var lineRules = []*advice.Rule{
	callerLookup,
	clientPerRequest,
	deepEqual,
	mutexContention,
	mutexOnlyReads,
	lockForSeveral,
	rwmutexReaders,
	falseSharing,
	busySelect,
	pollingLoop,
	channelHandover,
	jsonAny,
	jsonReflection,
	listParsedPerCall,
	literalPerCall,
	locationPerCall,
	logArgs,
	loopInvariantCall,
	adjacentIndexes,
	loopInvariantLoad,
	loopStoresField,
	passwordHash,
	randSourcePerCall,
	readPerRequest,
	reflectFirst,
	regexpEngine,
	regexpPerCall,
	replacerPerCall,
	smallReads,
	smallWrites,
	sortSlice,
	workPerComparison,
	sqlPrepare,
	sliceGrows,
	mapGrows,
	filterCopy,
	templatePerCall,
	sprintfSimple,
	encoderPerCall,
	hashSum,
	hotAllocation,
	objectPerElement,
	sliceOnStack,
	escapesInBranch,
	largeCopy,
	poolCandidate,
	readAllDecode,
	poolValue,
	poolEmpty,
	partKept,
	sizeClass,
	fieldOrder,
	mapShrink,
	poolLarge,
	equalStrings,
	poolFresh,
	oncePerObject,
	mapRange,
	rangeLookup,
	mapTwice,
	mathMax,
	callTwice,
	mathPow,
	smallKeyMap,
	materialiseToCount,
	timerInLoop,
	triesInTurn,
	deferInLoop,
	deferredCall,
	timeNowLoop,
	goroutinePerItem,
	bytesSprintf,
	joinLiteral,
	sliceToJoin,
	stringBytesConversion,
	textCopied,
	splitForOnePart,
	tolowerEqual,
	bufferToBuilder,
	bufferGrow,
	scannerText,
	byteLoop,
	xorLoop,
	ringLoop,
	bulkAppend,
	errorfStatic,
	errorDiscarded,
	errorFormatted,
	concatIntoBuffer,
	appendFormatted,
	appendVariant,
	keptTemporary,
	containsAny,
	costlyCall,
	calleeAllocates,
	stringConcatLoop,
	errorsAs,
	reflectAssert,
	reflectType,
	appendChain,
	prependLoop,
	headerKey,
	binaryReflection,
	mapGuard,
	deleteGuard,
	copyLoop,
	slideLoop,
	shiftLoop,
	timeSince,
	headerTwice,
	waitingLine,
	hotLineAlone,
}
