// Package vssnet connects a vss.Session to the network in place of FIRASim. It sends vision over UDP every 16 ms and
// receives commands over UDP, in lockstep also as gRPC calls. Server.Show returns the page's topic "vss", and
// Server.Command runs the commands of the page and of curl.
//
// The package opens its sockets itself, because the configuration determines them: the ports of commands over UDP and
// TCP are the same, each built-in team has a socket, and a multicast group that does not work is not an error. All
// sockets use the loopback interface unless the configuration names another address or interface.
package vssnet
