package rules

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var clientPerRequest = &advice.Rule{
	ID:    "client-per-request",
	Title: "a client is created per call",
	Doc: `Clients for HTTP, gRPC, databases and brokers reuse their connections. A client created per request starts without any,
so each call pays for name resolution, a TCP and a TLS handshake, and leaves connections open. Create the client once at
startup and share it; these clients are safe for concurrent use.

An http.Client without its own Transport shares the default one, costs almost nothing, and isn't reported. Neither are
clients created in functions called New, Open or Connect.

Who owns a client and closes it is a design decision, so this rule only gives advice.`,
	Class:     advice.AdviceOnly,
	Frames:    clientFrames,
	Allocates: true,
	Gain:      3,
	Match:     matchClientPerRequest,
}

var clientFrames = lazyregexp.New(`^net\.|^net/http\.|^crypto/tls\.|^crypto/x509\.|^database/sql\.|^google\.golang\.org/grpc|^github\.com/(redis|go-redis|twmb|jackc|segmentio|aws|elastic|nats-io)/|^go\.mongodb\.org/`)

// makesClient matches functions that return a client with connections.
var makesClient = lazyregexp.New(`^(database/sql\.Open(DB)?|` +
	`google\.golang\.org/grpc\.(NewClient|Dial|DialContext)|` +
	`github\.com/(redis/go-redis|go-redis/redis)/v\d+\.New(Client|ClusterClient|FailoverClient|UniversalClient)|` +
	`github\.com/twmb/franz-go/pkg/kgo\.NewClient|` +
	`github\.com/segmentio/kafka-go\.(NewReader|NewWriter|Dial|DialLeader)|` +
	`go\.mongodb\.org/mongo-driver(/v2)?/mongo\.(Connect|NewClient)|` +
	`github\.com/jackc/pgx/v\d+(/pgxpool)?\.(Connect|ConnectConfig|New|NewWithConfig)|` +
	`github\.com/nats-io/nats\.go\.Connect|` +
	`github\.com/elastic/go-elasticsearch/v\d+\.New(Default|Typed)?Client|` +
	`github\.com/aws/aws-sdk-go-v2/config\.LoadDefaultConfig|` +
	`\(\*net/http\.Transport\)\.Clone)$`)

func matchClientPerRequest(s *advice.Site) []advice.Match {
	if s.Decl != nil && facts.IsConstructor(s.Decl.Name.Name) {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls() {
		if makesClient.MatchString(c.Name) && !facts.RunsOnce(s.Place, c.Cursor) {
			matches = append(matches, advice.Match{Node: c.CallExpr,
				Why: fmt.Sprintf("%s creates a client without connections each time this runs. Create it once and share it; it is safe for concurrent use.", edit.Short(c.Name))})
		}
	}
	for _, c := range s.Nodes() {
		lit, ok := c.Node().(*ast.CompositeLit)
		if !ok || types.TypeString(s.Info.TypeOf(lit), nil) != "net/http.Transport" || facts.RunsOnce(s.Place, c) {
			continue
		}
		matches = append(matches, advice.Match{Node: lit, Title: "an http.Transport is created per call",
			Why: "A new http.Transport has no connections, so every request dials and does a TLS handshake. Create it once and share it."})
	}
	return matches
}
