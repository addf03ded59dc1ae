package auth

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/server/page"
)

// Paths for login and logout.
const (
	LoginPath    = "/login"
	CallbackPath = "/login/callback"
	LogoutPath   = "/logout"
	providerPath = "/login/provider"
)

type loginView struct {
	To       string
	Error    string
	Provider string // "" if there is none
}

// body returns the content of the page as HTML.
func (v *loginView) body() string {
	var b strings.Builder
	b.WriteString("<h1>Log in to hone</h1>\n")
	if v.Error != "" {
		fmt.Fprintf(&b, `<p class="problem" role="alert">%s</p>`, html.EscapeString(v.Error))
	}
	b.WriteString("\n")
	if v.Provider != "" {
		fmt.Fprintf(&b, `<a class="action" href="%s?to=%s">Continue with %s</a>`+"\n"+`<p class="or">or</p>`,
			providerPath, url.QueryEscape(v.To), html.EscapeString(v.Provider))
	}
	fmt.Fprintf(&b, `
<form method="post" action="%s">
<input type="hidden" name="to" value="%s">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Log in</button>
</form>
<p class="hint">Ask whoever runs this server for a token. They make one with <code>hone token add -role read NAME</code>.</p>
`, LoginPath, html.EscapeString(v.To))
	return b.String()
}

// Mount adds the handlers for login and logout. They need no authentication.
func (a *Auth) Mount(handle func(pattern string, h http.HandlerFunc)) {
	handle("GET "+LoginPath, func(w http.ResponseWriter, r *http.Request) {
		a.page(w, http.StatusOK, r.URL.Query().Get("to"), "")
	})
	handle("POST "+LoginPath, a.loginToken)
	handle("GET "+providerPath, a.loginProvider)
	handle("GET "+CallbackPath, a.callback)
	handle("POST "+LogoutPath, a.logout)
}

// page answers with the login page.
func (a *Auth) page(w http.ResponseWriter, status int, to, problem string) {
	v := loginView{To: localPath(to), Error: problem}
	if a.OIDC != nil {
		v.Provider = a.OIDC.cfg.Name
	}
	// With no-referrer, browsers would send the form with the origin "null", which the
	// server doesn't accept as its own page.
	w.Header().Set("Referrer-Policy", "same-origin")
	page.Write(w, status, "Log in", v.body())
}

// localPath returns a path on this server to redirect to, so that no link to the
// login page can lead to another site.
func localPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return to
}

func (a *Auth) loginToken(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	to := r.PostFormValue("to")
	if a.tooMany(w, r, to, failingAddress(r)) {
		return
	}
	t, err := a.Tokens.Find(strings.TrimSpace(r.PostFormValue("token")))
	if err != nil {
		a.failures.add(time.Now(), failingAddress(r))
		e := EventOf(r, "login", Denied)
		e.By, e.Detail = ByToken, err.Error()
		a.Audit.Log(e)
		a.page(w, http.StatusUnauthorized, to, err.Error())
		return
	}
	a.begin(w, r, session{Name: t.Name, Token: t.ID}, to)
}

// tooMany refuses a login if one of these addresses or accounts has failed too
// often, and reports whether it did.
func (a *Auth) tooMany(w http.ResponseWriter, r *http.Request, to string, of ...string) bool {
	wait := a.failures.wait(time.Now(), of...)
	if wait <= 0 {
		return false
	}
	seconds := int(wait/time.Second) + 1
	e := EventOf(r, "login", Denied)
	e.Detail = fmt.Sprintf("too many logins failed: refused for %d s", seconds)
	a.Audit.Log(e)
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	a.page(w, http.StatusTooManyRequests, to, fmt.Sprintf("too many logins failed: try again in %d s", seconds))
	return true
}

// begin starts a session and redirects to the page that the user asked for.
func (a *Auth) begin(w http.ResponseWriter, r *http.Request, s session, to string) {
	account := accountOf(s.Token, s.Issuer, s.Subject)
	if a.tooMany(w, r, to, account) {
		return
	}
	e := EventOf(r, "login", OK)
	e.Who, e.By = s.Name, BySession
	if s.Token == "" {
		e.Detail = "by " + s.Issuer
	}
	p, err := a.ofSession(&s)
	if err == nil && p.Roles == 0 {
		err = errors.New(s.Name + " has no access here: no rule in the configuration matches")
	}
	if err == nil {
		err = a.Sessions.start(w, s, addressOf(r))
	}
	if err != nil {
		a.failures.add(time.Now(), failingAddress(r), account)
		e.Result, e.Detail = Denied, err.Error()
		a.Audit.Log(e)
		a.page(w, http.StatusForbidden, to, err.Error())
		return
	}
	a.Audit.Log(e)
	http.Redirect(w, r, localPath(to), http.StatusSeeOther)
}

// attemptCookie returns a cookie for a login that has begun.
func (a *Auth) attemptCookie(value string, life time.Duration) *http.Cookie {
	return a.Sessions.cookie(a.Sessions.cookieName()+"-login", value, life)
}

func (a *Auth) loginProvider(w http.ResponseWriter, r *http.Request) {
	to := localPath(r.URL.Query().Get("to"))
	if a.OIDC == nil {
		a.page(w, http.StatusNotFound, to, "this server has no identity provider")
		return
	}
	where, attempt, err := a.OIDC.begin(r.Context(), to)
	if err != nil {
		a.page(w, http.StatusBadGateway, to, err.Error())
		return
	}
	value, err := a.Sessions.seal("login", attempt)
	if err != nil {
		a.page(w, http.StatusInternalServerError, to, err.Error())
		return
	}
	http.SetCookie(w, a.attemptCookie(value, 10*time.Minute))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, where, http.StatusSeeOther)
}

func (a *Auth) callback(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, to string, err error) {
		a.failures.add(time.Now(), failingAddress(r))
		e := EventOf(r, "login", Denied)
		e.By, e.Detail = BySession, err.Error()
		a.Audit.Log(e)
		a.page(w, status, to, err.Error())
	}
	if a.OIDC == nil {
		a.page(w, http.StatusNotFound, "", "this server has no identity provider")
		return
	}
	if a.tooMany(w, r, "", failingAddress(r)) {
		return
	}
	var of attempt
	c, err := r.Cookie(a.Sessions.cookieName() + "-login")
	if err != nil || !a.Sessions.open("login", c.Value, &of) || of.Expires <= time.Now().Unix() {
		refuse(http.StatusBadRequest, "", errors.New("this login was started in another browser or too long ago: log in again"))
		return
	}
	http.SetCookie(w, a.attemptCookie("", 0))
	q := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(of.State)) != 1 {
		refuse(http.StatusBadRequest, of.To, errors.New("this answer belongs to another login: log in again"))
		return
	}
	if code := q.Get("error"); code != "" {
		refuse(http.StatusForbidden, of.To, errors.New("the identity provider refused the login: "+strings.TrimSpace(code+" "+q.Get("error_description"))))
		return
	}
	s, err := a.OIDC.finish(r.Context(), &of, q.Get("code"))
	if err != nil {
		refuse(http.StatusForbidden, of.To, err)
		return
	}
	a.begin(w, r, *s, of.To)
}

func (a *Auth) logout(w http.ResponseWriter, r *http.Request) {
	s, err := a.Sessions.read(r)
	failed := a.Sessions.end(w, s)
	if err == nil {
		e := EventOf(r, "logout", OK)
		e.Who, e.By = s.Name, BySession
		if failed != nil {
			e.Result, e.Detail = Failed, failed.Error()
		}
		a.Audit.Log(e)
	}
	if failed != nil {
		http.Error(w, "can't end the session: "+failed.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// SessionsOf returns the sessions that a principal may see and end: its own, or all
// sessions if it has the role admin for all services.
func (a *Auth) SessionsOf(p *Principal) ([]Session, error) {
	all, err := a.Sessions.List()
	return slices.DeleteFunc(all, func(s Session) bool { return !p.mayEnd(&s) }), err
}

// EndSession ends a session if the principal may end it, and returns it; nil if there
// is none.
func (a *Auth) EndSession(p *Principal, id string) (*Session, error) {
	ended, err := a.Sessions.End(func(s *Session) bool { return s.ID == id && p.mayEnd(s) })
	if err != nil || len(ended) == 0 {
		return nil, err
	}
	return &ended[0], nil
}

func (p *Principal) mayEnd(s *Session) bool {
	return p.Services == nil && p.Roles.Has(Admin) || p.account != "" && p.account == s.account()
}

// IsOf reports whether a principal's request belongs to this session.
func (s *Session) IsOf(p *Principal) bool { return p.session != "" && p.session == s.ID }
