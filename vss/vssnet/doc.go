// Package vssnet runs a vss.Session in FIRASim's place on the network: vision goes out by UDP every 16 ms, commands
// come in by UDP, and in lockstep also as gRPC calls. Server.Show is the page's topic "vss"; Server.Command runs what
// the page or curl asks for.
//
// The package opens its sockets itself: which ones there are follows from the configuration (the ports of commands over
// UDP and TCP belong together, and each built-in team gets its own), and a multicast group that does not work is no
// error. All of them are on the loopback interface unless the configuration names another address or interface.
package vssnet
