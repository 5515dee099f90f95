// Package managernet runs the two sides of the manager beside nodes of the TCM: a robot that is managed (package
// managed), and the desk of a computer that manages robots (package manager).
package managernet

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
)

// period is the time between two steps of both sides.
const period = 10 * time.Millisecond

// Node is a node of the TCM that has sockets, for example a teamcomnet.Endpoint.
type Node interface {
	Module(id tcm.Module) *teamcom.Module
	Now() soccer.Time
}

// Seed returns a random seed for the nonces of a robot.
func Seed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:])
}

// Manage lets managers see and control a robot through its node until ctx ends.
func Manage(ctx context.Context, node Node, r *manager.Robot) {
	module := node.Module(tcm.Manager)
	r.Handle(module)
	run(ctx, node, func(now soccer.Time, send manager.Send) { r.Step(now, send) })
}

// Serve lets a desk manage robots through the node of its computer until ctx ends.
func Serve(ctx context.Context, node Node, d *manager.Desk) {
	module := node.Module(tcm.Manager)
	d.Handle(module)
	run(ctx, node, d.Step)
}

// run calls step in each period.
func run(ctx context.Context, node Node, step func(now soccer.Time, send manager.Send)) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	send := Send(node)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			step(node.Now(), send)
		}
	}
}

// Send returns a function that sends a message through a node. The node counts what it drops.
func Send(node Node) manager.Send {
	client := node.Module(tcm.Manager).Client()
	return func(to tcm.Entity, data teamcom.Data) { _ = client.Send(node.Now(), to, data) }
}
