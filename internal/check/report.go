package check

// Stream is what was observed of a sender's datagrams to one destination and socket. Its JSON is stable.
type Stream struct {
	To         string `json:"to"`         // "robots", "computer:1"
	Socket     string `json:"socket"`     // "robots", "bulk", "telemetry", "command"
	Received   uint64 `json:"received"`   // datagrams
	Lost       uint64 `json:"lost"`       // sequence numbers that are missing
	Duplicates uint64 `json:"duplicates"` // datagrams that arrived again
	Reordered  uint64 `json:"reordered"`  // datagrams that a newer one overtook
}

// Type is what was observed of a sender's messages of one type to one destination. Its JSON is stable.
type Type struct {
	Kind       Kind   `json:"-"`
	To         string `json:"to"`
	Module     string `json:"module"`     // "GM", "module 64"
	Type       string `json:"type"`       // "belief", "type 1000"
	Received   uint64 `json:"received"`   // whole messages
	Lost       uint64 `json:"lost"`       // messages of which no piece arrived
	Incomplete uint64 `json:"incomplete"` // messages of which pieces are missing
	Repeated   uint64 `json:"repeated"`   // messages and pieces that were sent again
	Bytes      uint64 `json:"bytes"`      // of whole messages
}

// Streams returns the figures of a sender's datagrams by destination and socket, in the order of their first datagrams.
func (c *DatagramChecker) Streams(from Source) []Stream {
	all := []Stream{}
	if s := c.senders[from]; s != nil {
		for _, st := range s.streams {
			all = append(all, Stream{
				To: st.to.String(), Socket: st.socket.String(), Received: st.received, Lost: st.lostBefore + st.lost(),
				Duplicates: st.duplicates, Reordered: st.reordered,
			})
		}
	}
	return all
}

// Types returns the figures of a sender's messages by destination, module and type, in the order of their first ones.
func (c *DatagramChecker) Types(from Source) []Type {
	all := []Type{}
	if s := c.senders[from]; s != nil {
		for _, n := range s.counters {
			t := Type{
				Kind: n.Kind, To: n.To.String(), Module: n.Module.String(), Type: n.Type.String(), Received: n.received,
				Lost: n.lostBefore + n.lost(), Incomplete: n.incomplete, Repeated: n.repeated, Bytes: n.bytes,
			}
			for _, p := range s.partials {
				if p.counter == n && !p.done {
					t.Incomplete++
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// Restarts returns how often a sender restarted.
func (c *DatagramChecker) Restarts(from Source) int {
	if s := c.senders[from]; s != nil {
		return s.restarts
	}
	return 0
}
