package rules

import (
	"fmt"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var passwordHash = &advice.Rule{
	ID:    "password-hash",
	Title: "password hashing takes much of the time",
	Doc: `bcrypt, scrypt, argon2 and PBKDF2 are slow on purpose: each hash occupies a core for ten to hundreds of milliseconds, so
that passwords can't be guessed by trial. That is right for a login and wrong for every request. After the login, issue
a session or signed token and check that. Limit how many hashes run concurrently, so that logins don't starve other
requests.

A lower cost makes the program faster and passwords weaker; don't go below current recommendations. This rule only gives
advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^golang\.org/x/crypto/(bcrypt|scrypt|argon2|pbkdf2|blowfish)\.|^crypto/pbkdf2\.|^crypto/internal/fips140/pbkdf2\.`),
	Match: func(s *advice.Site) []advice.Match {
		var matches []advice.Match
		for _, c := range s.Calls("golang.org/x/crypto/bcrypt.GenerateFromPassword", "golang.org/x/crypto/bcrypt.CompareHashAndPassword", "golang.org/x/crypto/scrypt.Key",
			"golang.org/x/crypto/argon2.Key", "golang.org/x/crypto/argon2.IDKey", "golang.org/x/crypto/pbkdf2.Key", "crypto/pbkdf2.Key") {
			if !facts.RunsOnce(s.Place, c.Cursor) {
				matches = append(matches, advice.Match{Node: c.CallExpr,
					Why: fmt.Sprintf("%s is slow on purpose. Check a password once, when somebody logs in, and a session or signed token from then on; bound how many hashes run at once.", edit.Short(c.Name))})
			}
		}
		return matches
	},
}
