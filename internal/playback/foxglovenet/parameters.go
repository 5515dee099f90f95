package foxglovenet

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// parameters carries out a request about parameters.
func (s *Server) parameters(c *client, r *request) {
	if s.cfg.Parameters == nil {
		c.refuse("this program manages no robots, and has no parameters")
		return
	}
	switch r.Op {
	case "getParameters":
		s.mu.Lock()
		if len(r.Names) == 0 {
			c.asked = time.Now()
		}
		s.mu.Unlock()
		c.tell(parameterValues{"parameterValues", s.named(c, r.Names), r.ID})
	case "setParameters":
		if err := s.set(c, r.Parameters); err != nil {
			c.refuse("setParameters: %s", err.Error())
		}
		if r.ID != "" { // what a robot answers comes as an update
			names := []string{}
			for _, p := range r.Parameters {
				names = append(names, p.Name)
			}
			c.tell(parameterValues{"parameterValues", s.named(c, names), r.ID})
		}
	case "subscribeParameterUpdates":
		s.mu.Lock()
		for _, name := range r.Names {
			if len(c.parameters) < maxRequests {
				c.parameters[name] = true
			}
		}
		s.mu.Unlock()
	case "unsubscribeParameterUpdates":
		s.mu.Lock()
		for _, name := range r.Names {
			delete(c.parameters, name)
		}
		s.mu.Unlock()
	}
}

// named returns the parameters with some names for a client, or without names all.
func (s *Server) named(c *client, names []string) []Parameter {
	found := []Parameter{}
	for _, p := range s.cfg.Parameters(c.access.authorised) {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			found = append(found, p)
		}
	}
	return found
}

// set asks for values of parameters.
func (s *Server) set(c *client, values []asked) error {
	if !c.access.calls || s.cfg.SetParameters == nil {
		return errReads
	}
	wanted := make([]Parameter, 0, len(values))
	for _, v := range values {
		p := Parameter{Name: v.Name}
		if len(v.Value) == 0 {
			return fmt.Errorf("%.60s: it has no value, and no parameter can be removed", v.Name)
		}
		if err := json.Unmarshal(v.Value, &p.Value); err != nil {
			return fmt.Errorf("%.60s: %w", v.Name, err)
		}
		wanted = append(wanted, p)
	}
	return s.cfg.SetParameters(c.name(), c.access.authorised, wanted)
}

// lookAtParameters tells clients which parameters have changed since the last look, of those that they want.
func (s *Server) lookAtParameters() {
	if s.cfg.Parameters == nil || !s.anyClient((*client).wantsParameters) {
		return
	}
	s.looks.Lock()
	defer s.looks.Unlock()
	var changed []Parameter
	isNew := map[string]bool{}
	authorised := s.anyClient(func(c *client) bool { return c.access.authorised && c.wantsParameters() })
	for _, p := range s.cfg.Parameters(authorised) {
		was, known := s.parameter[p.Name]
		if known && was == p.Value {
			continue
		}
		if !known && len(s.parameter) >= 64*maxRequests {
			continue
		}
		changed, isNew[p.Name] = append(changed, p), !known
		s.parameter[p.Name] = p.Value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		asks := time.Since(c.asked) < asksFor
		mine := []Parameter{}
		for _, p := range changed {
			if c.parameters[p.Name] || asks && isNew[p.Name] {
				mine = append(mine, p)
			}
		}
		if len(mine) > 0 {
			c.tell(parameterValues{"parameterValues", mine, ""})
		}
	}
}
