package monitor

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// Forbidden is the error of a command that needs the token. The page shows it with status 403.
type Forbidden string

func (f Forbidden) Error() string { return string(f) }

// errPrivate is the reason for closing a stream that asks for a private topic without the token.
const errPrivate = Forbidden("this page needs the token: open it with the link that was printed at the start")

// Authorised reports whether a request carries the token, as "Authorization: Bearer TOKEN". An empty token authorises
// nobody.
func Authorised(r *http.Request, token string) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && isToken(given, token)
}

// isToken compares in constant time, so that the duration of an answer does not reveal how much of a guess is right.
func isToken(given, token string) bool {
	return token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

// private reports whether a topic needs the token.
func (s *Server) private(topic string) bool { return s.cfg.Private != nil && s.cfg.Private(topic) }
