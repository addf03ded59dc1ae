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

// session is the content of a session cookie. It is signed but not encrypted, so it
// has nothing that the user must not know. It doesn't have permissions, which are
// looked up for each request.
type session struct {
	ID      string   `json:"i"`
	Name    string   `json:"n"`
	Expires int64    `json:"x"`           // s since 1970
	Token   string   `json:"t,omitempty"` // ID of the token used to log in
	Issuer  string   `json:"s,omitempty"` // identity provider; the next three fields belong to it
	Subject string   `json:"u,omitempty"`
	Email   string   `json:"e,omitempty"` // verified
	Groups  []string `json:"g,omitempty"` // groups that rules mention
}

// Sessions signs the cookies of people who are logged in.
type Sessions struct {
	// Secure makes browsers send the cookie only over TLS.
	Secure bool
	// Life is how long a session lasts.
	Life time.Duration
	key  []byte
	list file[*sessionList]
}

const sessionLife = 12 * time.Hour

// A Session is a valid session in the file of sessions. Sessions that aren't in the
// file have ended, whatever their cookies say.
type Session struct {
	ID      string `json:"id"` // not a secret: it can't be used to log in
	Name    string `json:"name"`
	Token   string `json:"token,omitempty"`  // ID of the token used to log in
	Issuer  string `json:"issuer,omitempty"` // or the identity provider, and the user's ID there
	Subject string `json:"subject,omitempty"`
	Address string `json:"address"`
	Begun   int64  `json:"begun"`   // s since 1970
	Expires int64  `json:"expires"` // s since 1970
}

// account returns a name for the token or user of the session.
func (s *Session) account() string { return accountOf(s.Token, s.Issuer, s.Subject) }

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
	maxOwnSessions  = 100 // per account; if there are more, the oldest end
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

// NewSessions returns the sessions in a file, signed with the key in another file.
// Missing files are created. Sessions stay valid when the server restarts. Damaged
// files are set aside, which ends all sessions, and warn is called.
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

// OpenSessions returns the sessions in a file, only to list and end them: without
// the key, it can't begin or check any.
func OpenSessions(listFile string) *Sessions {
	return &Sessions{Life: sessionLife, list: file[*sessionList]{path: listFile, most: maxSessionsFile, parse: parseSessions}}
}

// cookieName returns the name of the session cookie. Over TLS, its prefix makes
// browsers guarantee that this host set it, with Secure, for all paths.
func (s *Sessions) cookieName() string {
	if s.Secure {
		return "__Host-hone"
	}
	return "hone"
}

// cookie returns a cookie that browsers don't send with requests from other sites
// that change something.
func (s *Sessions) cookie(name, value string, life time.Duration) *http.Cookie {
	c := &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode, MaxAge: int(life / time.Second)}
	if life <= 0 {
		c.MaxAge = -1
	}
	return c
}

// start begins a session and adds its cookie to a response.
func (s *Sessions) start(w http.ResponseWriter, of session, address string) error {
	of.ID, of.Expires = randomID(), time.Now().Unix()+int64(s.Life/time.Second)
	value, err := s.seal("session", of)
	if err != nil {
		return err
	}
	const most = 4000 // bytes per cookie that all browsers accept
	if len(value) > most {
		return errors.New("the user is in too many groups for a cookie")
	}
	begins := Session{
		ID: of.ID, Name: of.Name, Token: of.Token, Issuer: of.Issuer, Subject: of.Subject,
		Address: address, Begun: time.Now().Unix(), Expires: of.Expires,
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

// change replaces the valid sessions with the result of f.
func (s *Sessions) change(f func([]Session) ([]Session, error)) error {
	return s.list.change(func(l *sessionList) ([]byte, error) {
		out := sessionList{Version: sessionsVersion}
		if l != nil {
			out.Sessions = slices.DeleteFunc(l.Sessions, func(old Session) bool { return old.Expires <= time.Now().Unix() })
		}
		var err error
		if out.Sessions, err = f(out.Sessions); err != nil {
			return nil, err
		}
		data, err := json.MarshalIndent(out, "", "  ")
		return append(data, '\n'), err
	})
}

// List returns the valid sessions, oldest first.
func (s *Sessions) List() ([]Session, error) {
	l := s.list.get()
	if l == nil {
		return nil, s.list.failed()
	}
	return slices.DeleteFunc(slices.Clone(l.Sessions), func(old Session) bool { return old.Expires <= time.Now().Unix() }), s.list.failed()
}

// End ends the sessions for which which returns true, and returns them.
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
	if !s.open("session", c.Value, &of) || of.Expires <= time.Now().Unix() {
		return nil, ErrSession
	}
	if l := s.list.get(); l == nil || !l.byID[of.ID] {
		return nil, ErrSession
	}
	return &of, nil
}

// end ends a session, unless it is nil, and removes the cookie from the browser.
func (s *Sessions) end(w http.ResponseWriter, of *session) error {
	http.SetCookie(w, s.cookie(s.cookieName(), "", 0))
	if of == nil {
		return nil
	}
	_, err := s.End(func(one *Session) bool { return one.ID == of.ID })
	return err
}

// seal signs a value and returns it as text for a cookie. open accepts it only for
// the same purpose.
func (s *Sessions) seal(purpose string, v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	return text + "." + base64.RawURLEncoding.EncodeToString(s.sign(purpose, text)), nil
}

// open reads the result of seal, and reports whether its signature is valid.
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
