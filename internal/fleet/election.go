package fleet

import (
	"time"
	_ "unsafe" // for go:linkname
)

// maxElectionTimeout is the longest time without a sign of the leader after which a node asks for votes. A node draws it from
// 4 s to this one. With the server's 9 s a leader's death stops a queue of three nodes for up to 9 s; with 6 s it is 4 to 6.5.
// The server has no option for it. The shortest time, which keeps a slow leader in office, stays as it is.
//
//go:linkname maxElectionTimeout github.com/nats-io/nats-server/v2/server.maxElectionTimeout
var maxElectionTimeout time.Duration

func init() { maxElectionTimeout = 6 * time.Second }
