package clickhouse

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
)

// An Error is the error of a statement that a server rejected.
type Error struct {
	Address string
	Code    int // from the engine's list of errors; 0 if unknown
	Status  int // HTTP status
	Message string
}

var (
	errorCode = lazyregexp.New(`^Code: (\d+)[.,]`)
	errorText = lazyregexp.New(`(?s)^Code: \d+[.,] (?:e\.displayText\(\) = )?(?:DB::)?(?:\w+: )?(?:Exception: )?`)
)

// newError returns the error in an answer. text may be in a frame.
func newError(address string, resp *http.Response, text []byte) *Error {
	if len(text) > frameHead && (text[16] == methodLZ4 || text[16] == methodPlain) {
		s := stream{r: bytes.NewReader(text)}
		if s.fill() == nil {
			text = s.rest
		}
	}
	e := &Error{Address: address, Status: resp.StatusCode}
	if m := errorCode.FindSubmatch(text); m != nil {
		e.Code, _ = strconv.Atoi(string(m[1]))
	} else if h := resp.Header.Get("X-ClickHouse-Exception-Code"); h != "" {
		e.Code, _ = strconv.Atoi(h)
	}
	message := strings.TrimSpace(string(errorText.Get().ReplaceAll(text, nil)))
	message, _, _ = strings.Cut(message, "\n")
	if cut, _, ok := strings.Cut(message, ", e.what() ="); ok {
		message = cut
	}
	if len(message) > 600 {
		message = strings.ToValidUTF8(message[:600], "") + "..."
	}
	e.Message = message
	return e
}

// The engine's errors that mean something here.
const (
	codeUnknownTable       = 60
	codeUnknownDatabase    = 81
	codeReadOnly           = 164
	codeUnknownUser        = 192
	codeWrongPassword      = 193
	codeRequiredPassword   = 194
	codeTooManyQueries     = 202
	codeSocketTimeout      = 209
	codeNetwork            = 210
	codeReplicaBehind      = 214
	codeMemory             = 241
	codeTableReadOnly      = 242
	codeNoSpace            = 243
	codeTooManyParts       = 252
	codeAllReplicasStale   = 265
	codeAllConnections     = 279
	codeFewReplicas        = 285
	codeQuorumBefore       = 286
	codeReplicaNotInQuorum = 289
	codeUnknownInsert      = 319
	codeAuthentication     = 516
	codeKeeper             = 999
)

func (e *Error) Error() string {
	hint := ""
	switch e.Code {
	case codeUnknownTable, codeUnknownDatabase:
		hint = "; create the tables with hone store create"
	case codeUnknownUser, codeWrongPassword, codeRequiredPassword, codeAuthentication:
		hint = "; check the user and the password of the store"
	case codeReadOnly:
		hint = "; the user needs the rights to insert and to change settings (readonly 0, or 2 only to read)"
	case codeMemory:
		hint = "; query a shorter time or fewer profiles, or raise the user's max_memory_usage"
	case codeTooManyParts:
		hint = "; its merges can't keep up with the inserts"
	case codeFewReplicas, codeQuorumBefore, codeUnknownInsert:
		hint = "; replicas are down or behind, and hone acknowledges nothing until enough of them are back"
	}
	if e.Code == 0 {
		return fmt.Sprintf("%s answers %d: %s", e.Address, e.Status, e.Message)
	}
	return fmt.Sprintf("%s answered with error %d: %s%s", e.Address, e.Code, e.Message, hint)
}

// elsewhere reports whether the statement may succeed on another server, or later.
func (e *Error) elsewhere() bool {
	switch e.Code {
	case codeTooManyQueries, codeSocketTimeout, codeNetwork, codeReplicaBehind, codeTableReadOnly, codeAllReplicasStale, codeAllConnections,
		codeFewReplicas, codeQuorumBefore, codeReplicaNotInQuorum, codeUnknownInsert, codeKeeper:
		return true
	}
	// 18.16 answers 400 without a word when it gives up a connection that a request is
	// coming on.
	return e.Code == 0 && (e.Status >= 500 || e.Status == http.StatusBadRequest && e.Message == "")
}

// full reports whether the server's disks are full.
func (e *Error) full() bool {
	return e.Code == codeNoSpace || strings.Contains(e.Message, "No space left on device") || strings.Contains(e.Message, "errno: 28")
}
