package foxglovenet

import (
	"maps"
	"slices"
	"time"
)

// Graph tells which nodes publish and receive which topics: by topic, the sorted names of the nodes.
type Graph struct {
	Published  map[string][]string
	Subscribed map[string][]string
}

// Messages of the graph of connections.
type (
	graphUpdate struct {
		Op              string        `json:"op"`
		Published       []publishers  `json:"publishedTopics"`
		Subscribed      []subscribers `json:"subscribedTopics"`
		Services        []providers   `json:"advertisedServices"`
		RemovedTopics   []string      `json:"removedTopics"`
		RemovedServices []string      `json:"removedServices"`
	}
	publishers struct {
		Name string   `json:"name"`
		IDs  []string `json:"publisherIds"`
	}
	subscribers struct {
		Name string   `json:"name"`
		IDs  []string `json:"subscriberIds"`
	}
	providers struct {
		Name string   `json:"name"`
		IDs  []string `json:"providerIds"`
	}
)

// changes returns what a client that knows one graph needs to know another.
func changes(from, to Graph) graphUpdate {
	u := graphUpdate{
		Op: "connectionGraphUpdate", Published: []publishers{}, Subscribed: []subscribers{}, Services: []providers{},
		RemovedTopics: []string{}, RemovedServices: []string{},
	}
	for _, name := range slices.Sorted(maps.Keys(to.Published)) {
		if ids := to.Published[name]; !slices.Equal(ids, from.Published[name]) {
			u.Published = append(u.Published, publishers{name, ids})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(to.Subscribed)) {
		if ids := to.Subscribed[name]; !slices.Equal(ids, from.Subscribed[name]) {
			u.Subscribed = append(u.Subscribed, subscribers{name, ids})
		}
	}
	gone := map[string]bool{}
	for _, was := range []map[string][]string{from.Published, from.Subscribed} {
		for name := range was {
			gone[name] = to.Published[name] == nil && to.Subscribed[name] == nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		switch {
		case gone[name]:
			u.RemovedTopics = append(u.RemovedTopics, name)
		case from.Published[name] != nil && to.Published[name] == nil:
			u.Published = append(u.Published, publishers{name, []string{}})
		case from.Subscribed[name] != nil && to.Subscribed[name] == nil:
			u.Subscribed = append(u.Subscribed, subscribers{name, []string{}})
		}
	}
	return u
}

// lookAtGraph tells the clients that want the graph what has changed, and a new one all of it; nil: there is no new one.
func (s *Server) lookAtGraph(joins *client) {
	if s.cfg.Graph == nil || joins == nil && !s.anyClient(func(c *client) bool { return c.graph }) {
		return
	}
	s.looks.Lock()
	defer s.looks.Unlock()
	graph := s.cfg.Graph()
	update := changes(s.graph, graph)
	s.graph = graph
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		if c.graph && len(update.Published)+len(update.Subscribed)+len(update.RemovedTopics) > 0 {
			c.tell(update)
		}
	}
	if joins != nil && !joins.graph {
		joins.graph = true
		all := changes(Graph{}, graph)
		for _, v := range s.cfg.Services {
			all.Services = append(all.Services, providers{"/" + v.Name, []string{s.cfg.Name}})
		}
		joins.tell(all)
	}
}

// anyClient reports whether something holds for a client.
func (s *Server) anyClient(holds func(*client) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.clients {
		if holds(c) {
			return true
		}
	}
	return false
}

// wantsParameters reports whether a client is to be told of parameters. The caller holds Server.mu.
func (c *client) wantsParameters() bool {
	return len(c.parameters) > 0 || time.Since(c.asked) < asksFor
}
