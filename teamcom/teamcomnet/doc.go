// Package teamcomnet runs the team communication module of one robot or computer on the network (package teamcom). An
// Endpoint owns four UDP sockets on consecutive ports and those of the team's multicast groups, one goroutine for each
// module's handlers, and one that sends. It reads TCM.ini and applies its changes while it runs.
//
// Everything stays on the loopback interface unless TCM.ini gives the robot or computer another address.
package teamcomnet
