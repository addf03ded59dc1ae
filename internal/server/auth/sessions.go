package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// session is what a cookie says of a user. It is signed, not hidden: it has
// nothing that the user must not know. What they may is not in it, but found
// anew for each request.
type session struct {
	ID      string   `json:"i"`
	Name    string   `json:"n"`
	Expires int64    `json:"x"`           // s since 1970
	Token   string   `json:"t,omitempty"` // id of the token that was logged in with
	Issuer  string   `json:"s,omitempty"` // identity provider, with the next three
	Subject string   `json:"u,omitempty"`
	Email   string   `json:"e,omitempty"` // verified
	Groups  []string `json:"g,omitempty"` // that rules speak of
}

func (s *session) user() user { return user{Subject: s.Subject, Email: s.Email, Groups: s.Groups} }

// Sessions signs the cookies of people who are logged in.
type Sessions struct {
	// Secure has browsers send the cookie over TLS alone.
	Secure bool
	// Life is how long a session lasts.
	Life time.Duration
	key  []byte

	mu    sync.Mutex
	ended map[string]int64 // ids of sessions that were ended, with when they would have expired
}

const sessionLife = 12 * time.Hour

// maxEnded bounds how many ended sessions are remembered; of more than that the
// key is changed, which ends all.
const maxEnded = 100_000

// NewSessions returns sessions whose key is in a file, which is made if it isn't
// there: sessions outlast the server.
func NewSessions(keyFile string, secure bool) (*Sessions, error) {
	s := &Sessions{Secure: secure, Life: sessionLife, ended: map[string]int64{}}
	key, err := os.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		rand.Read(key)
		if err := os.MkdirAll(filepath.Dir(keyFile), 0o700); err != nil {
			return nil, err
		}
		err = writeFile(keyFile, key)
	}
	if err != nil {
		return nil, err
	}
	if len(key) != 32 {
		return nil, fmt.Errorf("%s is no key of 32 bytes: remove it, which ends all sessions", keyFile)
	}
	s.key = key
	return s, nil
}

// cookieName of a session; over TLS browsers guarantee with the prefix that
// this host set it, with Secure, for all paths.
func (s *Sessions) cookieName() string {
	if s.Secure {
		return "__Host-hone"
	}
	return "hone"
}

// cookie returns a cookie that a page of another site can't have sent with
// requests that change something.
func (s *Sessions) cookie(name, value string, life time.Duration) *http.Cookie {
	c := &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode, MaxAge: int(life / time.Second)}
	if life <= 0 {
		c.MaxAge = -1
	}
	return c
}

// start gives the client of a response a session.
func (s *Sessions) start(w http.ResponseWriter, of session) error {
	of.ID, of.Expires = randomID(), now()+int64(s.Life/time.Second)
	value, err := s.seal("session", of)
	if err != nil {
		return err
	}
	const most = 4000 // of a cookie in all browsers
	if len(value) > most {
		return errors.New("the user is in too many groups for a cookie")
	}
	http.SetCookie(w, s.cookie(s.cookieName(), value, s.Life))
	return nil
}

// read returns the session of a request.
func (s *Sessions) read(r *http.Request) (*session, error) {
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return nil, ErrNobody
	}
	var of session
	if !s.open("session", c.Value, &of) || of.Expires <= now() {
		return nil, ErrSession
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ended := s.ended[of.ID]; ended {
		return nil, ErrSession
	}
	return &of, nil
}

// end ends a session, and has the browser forget it.
func (s *Sessions) end(w http.ResponseWriter, of *session) {
	http.SetCookie(w, s.cookie(s.cookieName(), "", 0))
	if of == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, expires := range s.ended {
		if expires <= now() {
			delete(s.ended, id)
		}
	}
	if len(s.ended) >= maxEnded {
		clear(s.ended)
		rand.Read(s.key)
		return
	}
	s.ended[of.ID] = of.Expires
}

// seal returns a value signed, as text that fits a cookie. What is sealed for one
// purpose does not open for another.
func (s *Sessions) seal(purpose string, v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	return text + "." + base64.RawURLEncoding.EncodeToString(s.sign(purpose, text)), nil
}

// open reads what seal returned, and reports whether it is genuine.
func (s *Sessions) open(purpose, sealed string, v any) bool {
	text, signature, ok := strings.Cut(sealed, ".")
	if !ok {
		return false
	}
	given, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || !hmac.Equal(given, s.sign(purpose, text)) {
		return false
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(data, v) == nil
}

func (s *Sessions) sign(purpose, text string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(purpose + " " + text))
	return m.Sum(nil)
}
