package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A Token authenticates a program. It has only a hash of the secret.
//
// The secret has 256 random bits, so a plain SHA-256 is enough. A slow hash protects
// passwords that people think up, but 256 bits can't be guessed with any hash, and
// every request would pay for a slow one.
type Token struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Hash     string   `json:"sha256"` // hash of the secret, hexadecimal
	Roles    []string `json:"roles"`
	Services []string `json:"services,omitempty"` // patterns; nil allows all services
	Created  int64    `json:"created"`            // s since 1970
	Expires  int64    `json:"expires,omitempty"`  // s since 1970; 0 is never

	hash  [sha256.Size]byte
	roles Roles
}

func (t *Token) principal() *Principal {
	return &Principal{Name: t.Name, By: ByToken, Roles: t.roles, Services: t.Services, account: accountOf(t.ID, "", "")}
}

func (t *Token) expired() bool { return t.Expires != 0 && t.Expires <= time.Now().Unix() }

// tokensFile is the content of the file.
type tokensFile struct {
	Version int      `json:"version"`
	Tokens  []*Token `json:"tokens"`
}

// Limits of the file of tokens.
const (
	tokensVersion = 1
	maxTokens     = 10_000
	maxTokenName  = 100
	maxTokensFile = 16 << 20
)

// Tokens are the tokens in a file, which is read again whenever it changes. If that
// fails, the previous tokens stay, and Err returns the error.
type Tokens struct{ file file[[]*Token] }

// OpenTokens reads a file of tokens. A missing file has none.
func OpenTokens(path string) (*Tokens, error) {
	t := &Tokens{file[[]*Token]{path: path, most: maxTokensFile, parse: parseTokens}}
	t.file.get()
	return t, t.Err()
}

// Err returns the error of reading the file after its last change.
func (t *Tokens) Err() error { return t.file.failed() }

func parseTokens(path string, data []byte) ([]*Token, error) {
	var f tokensFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if f.Version > tokensVersion {
		return nil, fmt.Errorf("%s was written by a newer hone", path)
	}
	for i, t := range f.Tokens {
		if t == nil {
			return nil, fmt.Errorf("%s: token %d is null", path, i+1)
		}
		n, err := hex.Decode(t.hash[:], []byte(t.Hash))
		if err != nil || n != len(t.hash) || len(t.Hash) != 2*len(t.hash) {
			return nil, fmt.Errorf("%s: token %q: invalid sha256, want 64 hexadecimal digits", path, t.Name)
		}
		if t.roles, err = ParseRoles(t.Roles); err != nil {
			return nil, fmt.Errorf("%s: token %q: %w", path, t.Name, err)
		}
		if err := CheckServices(t.Services); err != nil {
			return nil, fmt.Errorf("%s: token %q: %w", path, t.Name, err)
		}
		if t.ID == "" {
			return nil, fmt.Errorf("%s: token %q has no id", path, t.Name)
		}
		if len(t.Services) == 0 {
			t.Services = nil
		}
	}
	return f.Tokens, nil
}

// Find returns the token with a secret, ErrUnknown, or ErrGone. Its time doesn't depend
// on how much of the secret is right.
func (t *Tokens) Find(secret string) (*Token, error) {
	hash := sha256.Sum256([]byte(secret))
	var found *Token
	for _, token := range t.file.get() {
		if subtle.ConstantTimeCompare(token.hash[:], hash[:]) == 1 {
			found = token
		}
	}
	if found == nil && errors.Is(t.Err(), ErrGone) {
		return nil, ErrGone // without its name
	}
	if found == nil || found.expired() {
		return nil, ErrUnknown
	}
	return found, nil
}

// byID returns the token with an ID, or nil if there is none or it has expired.
func (t *Tokens) byID(id string) *Token {
	for _, token := range t.file.get() {
		if token.ID == id && !token.expired() {
			return token
		}
	}
	return nil
}

// List returns the tokens, oldest first.
func (t *Tokens) List() []*Token { return slices.Clone(t.file.get()) }

// secretPrefix is the prefix of all secrets, so that tools that look for secrets in
// source code recognize them.
const secretPrefix = "hone_"

// Add creates a token and adds it to the file. Only the caller gets the secret. A
// zero expires means never.
func (t *Tokens) Add(name string, roles Roles, services []string, expires time.Time) (secret string, _ *Token, err error) {
	switch {
	case name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl):
		return "", nil, fmt.Errorf("invalid token name %q: it must not be empty, have control characters, or begin or end with a space", name)
	case len(name) > maxTokenName:
		return "", nil, fmt.Errorf("the token's name is longer than %d bytes", maxTokenName)
	}
	if err := CheckServices(services); err != nil {
		return "", nil, err
	}
	var random [32]byte
	rand.Read(random[:])
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(random[:])
	token := &Token{
		ID: randomID(), Name: name, hash: sha256.Sum256([]byte(secret)), Roles: roles.Names(), roles: roles,
		Services: services, Created: time.Now().Unix(),
	}
	token.Hash = hex.EncodeToString(token.hash[:])
	if !expires.IsZero() {
		token.Expires = expires.Unix()
	}
	err = t.change(func(tokens []*Token) ([]*Token, error) {
		switch {
		case slices.ContainsFunc(tokens, func(old *Token) bool { return old.Name == name }):
			return nil, fmt.Errorf("token %q already exists: remove it first, or choose another name", name)
		case len(tokens) >= maxTokens:
			return nil, fmt.Errorf("too many tokens: the limit is %d", maxTokens)
		}
		return append(tokens, token), nil
	})
	return secret, token, err
}

func randomID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Remove removes the token with a name or an ID.
func (t *Tokens) Remove(which string) (*Token, error) {
	var removed *Token
	err := t.change(func(tokens []*Token) ([]*Token, error) {
		i := slices.IndexFunc(tokens, func(t *Token) bool { return t.Name == which || t.ID == which })
		if i < 0 {
			return nil, fmt.Errorf("unknown token %q", which)
		}
		removed = tokens[i]
		return slices.Delete(tokens, i, i+1), nil
	})
	return removed, err
}

// change replaces the tokens in the file with the result of f.
func (t *Tokens) change(f func([]*Token) ([]*Token, error)) error {
	return t.file.change(func(tokens []*Token) ([]byte, error) {
		tokens, err := f(tokens)
		if err != nil {
			return nil, err
		}
		data, err := json.MarshalIndent(tokensFile{tokensVersion, tokens}, "", "  ")
		return append(data, '\n'), err
	})
}
