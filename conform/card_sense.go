package conform

import (
	"bytes"
)

// look takes in the worldstate of s, which is c.now.
func (c *Card) look(s *Said) {
	if len(c.now.Robots) > 0 {
		c.inRobots++
	} else {
		c.mark(&c.empty, s, 0, 1)
	}
}

func (c *Card) streamFindings(all []CardFinding) []CardFinding {
	return c.rhythm.findings(c, all)
}

// locate returns where the value of the first of the last of keys is, each sought behind the one before, and its length;
// 0 and 1 where there is none.
func locate(b []byte, keys ...string) (at, length int) {
	for _, k := range keys {
		n := bytes.Index(b[at:], []byte(`"`+k+`"`))
		if n < 0 {
			return 0, 1
		}
		at += n + len(k) + 2
	}
	for at < len(b) && (b[at] == ':' || b[at] == ' ' || b[at] == '\n' || b[at] == '\t' || b[at] == '\r') {
		at++
	}
	return at, valueLen(b[at:])
}
