package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/durable"
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
	list file[*sessionList]
}

const sessionLife = 12 * time.Hour

// A Session is one that lasts, as the file of sessions has it. Those that are not
// in the file have ended, whatever their cookies say.
type Session struct {
	ID      string `json:"id"` // which lets nobody in
	Name    string `json:"name"`
	Token   string `json:"token,omitempty"`  // id of the token that was logged in with
	Issuer  string `json:"issuer,omitempty"` // or the identity provider, and
	Subject string `json:"subject,omitempty"`
	Address string `json:"address"`
	Begun   int64  `json:"begun"`   // s since 1970
	Expires int64  `json:"expires"` // s since 1970
}

// account tells apart who logs in.
func (s *Session) account() string { return accountOf(s.Token, s.Issuer, s.Subject) }

func accountOf(token, issuer, subject string) string {
	if token != "" {
		return "token " + token
	}
	return "user " + issuer + " " + subject
}

// sessionList is the content of the file of sessions.
type sessionList struct {
	Version  int       `json:"version"`
	Sessions []Session `json:"sessions"` // in the order in which they began
	byID     map[string]bool
}

// Limits of sessions.
const (
	sessionsVersion = 1
	maxSessions     = 10_000
	maxOwnSessions  = 100 // of one account; the first of more end
	maxSessionsFile = 16 << 20
)

func parseSessions(path string, data []byte) (*sessionList, error) {
	l := &sessionList{byID: map[string]bool{}}
	if err := json.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("%s is damaged; remove it to end all sessions: %w", path, err)
	}
	if l.Version > sessionsVersion {
		return nil, fmt.Errorf("%s was written by a newer hone: %w", path, durable.ErrKeep)
	}
	for i := range l.Sessions {
		l.byID[l.Sessions[i].ID] = true
	}
	return l, nil
}

// NewSessions returns the sessions in a file, and the key that they are signed
// with in another, which are made if they aren't there: sessions outlast the
// server. Files that are damaged are set aside, which ends all sessions; warn is told.
func NewSessions(listFile, keyFile string, secure bool, warn func(string)) (*Sessions, error) {
	const keySize = 32
	s := OpenSessions(listFile)
	s.Secure = secure
	for _, f := range []struct {
		path  string
		most  int64
		parse func([]byte) error
	}{
		{listFile, maxSessionsFile, func(data []byte) error {
			_, err := parseSessions(listFile, data)
			return err
		}},
		{keyFile, keySize, func(data []byte) error {
			if len(data) != keySize {
				return fmt.Errorf("it has %d bytes instead of %d", len(data), keySize)
			}
			s.key = data
			return nil
		}},
	} {
		_, damage, err := durable.Load(f.path, f.most, f.parse)
		if err != nil {
			return nil, err
		}
		if damage != nil {
			warn(damage.String() + "; all sessions have ended: people have to sign in again")
		}
	}
	if s.key == nil {
		s.key = make([]byte, keySize)
		rand.Read(s.key)
		if err := os.MkdirAll(filepath.Dir(keyFile), 0o700); err != nil {
			return nil, err
		}
		if err := writeFile(keyFile, s.key); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// OpenSessions returns the sessions in a file for those who look at them and end
// them, but neither begin any nor let anybody in.
func OpenSessions(listFile string) *Sessions {
	return &Sessions{Life: sessionLife, list: file[*sessionList]{path: listFile, most: maxSessionsFile, parse: parseSessions}}
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
func (s *Sessions) start(w http.ResponseWriter, of session, address string) error {
	of.ID, of.Expires = randomID(), now()+int64(s.Life/time.Second)
	value, err := s.seal("session", of)
	if err != nil {
		return err
	}
	const most = 4000 // of a cookie in all browsers
	if len(value) > most {
		return errors.New("the user is in too many groups for a cookie")
	}
	begins := Session{
		ID: of.ID, Name: of.Name, Token: of.Token, Issuer: of.Issuer, Subject: of.Subject,
		Address: address, Begun: now(), Expires: of.Expires,
	}
	err = s.change(func(all []Session) ([]Session, error) {
		own := 0
		for i := range all {
			if all[i].account() == begins.account() {
				own++
			}
		}
		all = slices.DeleteFunc(all, func(old Session) bool {
			first := own >= maxOwnSessions && old.account() == begins.account()
			if first {
				own--
			}
			return first
		})
		if len(all) >= maxSessions {
			return nil, fmt.Errorf("too many sessions: the limit is %d", len(all))
		}
		return append(all, begins), nil
	})
	if err != nil {
		return err
	}
	http.SetCookie(w, s.cookie(s.cookieName(), value, s.Life))
	return nil
}

// change replaces the sessions that last by what f makes of them.
func (s *Sessions) change(f func([]Session) ([]Session, error)) error {
	return s.list.change(func(l *sessionList) ([]byte, error) {
		out := sessionList{Version: sessionsVersion}
		if l != nil {
			out.Sessions = slices.DeleteFunc(l.Sessions, func(old Session) bool { return old.Expires <= now() })
		}
		var err error
		if out.Sessions, err = f(out.Sessions); err != nil {
			return nil, err
		}
		data, err := json.MarshalIndent(out, "", "  ")
		return append(data, '\n'), err
	})
}

// List returns the sessions that last, in the order in which they began.
func (s *Sessions) List() ([]Session, error) {
	l := s.list.get()
	if l == nil {
		return nil, s.list.failed()
	}
	return slices.DeleteFunc(slices.Clone(l.Sessions), func(old Session) bool { return old.Expires <= now() }), s.list.failed()
}

// End ends the sessions that which selects, and returns them.
func (s *Sessions) End(which func(*Session) bool) (ended []Session, err error) {
	err = s.change(func(all []Session) ([]Session, error) {
		return slices.DeleteFunc(all, func(one Session) bool {
			if !which(&one) {
				return false
			}
			ended = append(ended, one)
			return true
		}), nil
	})
	return ended, err
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
	if l := s.list.get(); l == nil || !l.byID[of.ID] {
		return nil, ErrSession
	}
	return &of, nil
}

// end ends a session, nil for none, and has the browser forget it.
func (s *Sessions) end(w http.ResponseWriter, of *session) error {
	http.SetCookie(w, s.cookie(s.cookieName(), "", 0))
	if of == nil {
		return nil
	}
	_, err := s.End(func(one *Session) bool { return one.ID == of.ID })
	return err
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
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(purpose + " " + text))
	return m.Sum(nil)
}
