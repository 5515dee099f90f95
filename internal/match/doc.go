// Package match plays robot soccer on a simulated field, in two configurations of one core: one clock and queue of events,
// the robots with their cameras, software and nodes of the TCM on lossy links, faults, and what pages show of them.
//
//   - Session is the practical session of the MSL Workshop 2014 (Practical Session 2014): one mixed team of robots of six
//     participants that exchange packages, with a substitute and helpers who kick the ball in.
//   - Match is a match of the Middle Size League: two teams with base stations, and a referee box with an automatic referee.
//
// It is a pure core, without goroutines and sockets: the same Config gives the same session or match on every machine, byte
// for byte. Package matchnet runs both in real time on sockets.
package match
