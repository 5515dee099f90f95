// Package control is the table of the commands that pages send: a name, a decoder and a handler each. A room fills its
// part of the table, a program joins the parts that its pages need, and package monitor serves the whole. Bodies that
// mean the same in every program are declared here.
package control

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"touchline/wire"
)

// Request is a command that arrived.
type Request struct {
	Name       string
	Body       json.RawMessage // valid JSON
	Authorised bool            // it came with the page's token
	Received   time.Time       // after its header was read
}

// Command decodes the body of a command and carries it out.
type Command struct {
	// Do returns the answer for the page, which becomes JSON, or nil for none.
	Do func(Request) (any, error)
	// Max is the longest body in bytes. Default 0: 64 KiB
	Max int64
}

// Table holds commands by name.
type Table map[string]Command

// Handle returns the command that decodes its body, a JSON object without unknown keys, and hands it to do.
func Handle[Body any](do func(Body) error) Command {
	return Command{Do: func(r Request) (any, error) {
		var body Body
		if err := wire.DecodeJSON(r.Body, r.Name, &body); err != nil {
			return nil, err
		}
		return nil, do(body)
	}}
}

// Refuse returns a table whose commands fail with an error: a page can send them, and this program has nothing to which
// they apply.
func Refuse(err error, names ...string) Table {
	t := Table{}
	for _, name := range names {
		t[name] = Command{Do: func(Request) (any, error) { return nil, err }}
	}
	return t
}

// Join returns the commands of all tables. Of commands with the same name the first counts.
func Join(tables ...Table) Table {
	all := Table{}
	for _, t := range slices.Backward(tables) {
		maps.Copy(all, t)
	}
	return all
}

// Around returns the table with each command inside a function, which calls do to carry it out.
func (t Table) Around(around func(r Request, do func() (any, error)) (any, error)) Table {
	inside := Table{}
	for name, c := range t {
		do := c.Do
		c.Do = func(r Request) (any, error) { return around(r, func() (any, error) { return do(r) }) }
		inside[name] = c
	}
	return inside
}

// Carry carries out a request.
func (t Table) Carry(r Request) (any, error) {
	c, ok := t[r.Name]
	if !ok {
		return nil, fmt.Errorf("unknown command %.40q: want one of %s", r.Name, strings.Join(t.Names(), ", "))
	}
	return c.Do(r)
}

// Do carries out a command that came without a token.
func (t Table) Do(name string, body []byte) (any, error) {
	return t.Carry(Request{Name: name, Body: body, Received: time.Now()})
}

// Names returns the names of the commands in their order.
func (t Table) Names() []string { return slices.Sorted(maps.Keys(t)) }

// Pause is the body of the command pause: {"paused":true}. Scripts may call the key "on".
type Pause struct {
	Paused *bool `json:"paused"`
	On     *bool `json:"on"`
}

// Value returns whether time shall stand still.
func (p Pause) Value() (bool, error) {
	return either("pause", "paused", "true or false", p.Paused, p.On)
}

// Speed is the body of the command speed: {"factor":0.25}. Scripts may call the key "x".
type Speed struct {
	Factor *float64 `json:"factor"`
	X      *float64 `json:"x"`
}

// Value returns the speed as a multiple of real time, 0 for as fast as possible.
func (s Speed) Value() (float64, error) {
	return either("speed", "factor", "times real time, or 0 for as fast as possible", s.Factor, s.X)
}

// either returns the one value that is given.
func either[T any](name, key, what string, a, b *T) (v T, err error) {
	switch {
	case (a == nil) == (b == nil):
		return v, fmt.Errorf("%s: give %q, %s", name, key, what)
	case a == nil:
		return *b, nil
	}
	return *a, nil
}
