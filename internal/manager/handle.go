package manager

import (
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// ManagedHandle lets a module of a node receive what managers send to the robot. Answers leave through the module's client.
func ManagedHandle(m *teamcom.Module, r *Robot) {
	client := m.Client()
	teamcom.Handle(m, func(from teamcom.From, a *team.Attend) { r.Attend(from.Entity, from.Received, a) })
	teamcom.Handle(m, func(from teamcom.From, d *team.Drive) { r.Drive(from.Entity, from.Received, d) })
	teamcom.Handle(m, func(from teamcom.From, f *team.File) { r.File(from.Entity, f) })
	teamcom.Handle(m, func(from teamcom.From, q *team.Request) {
		r.Request(from.Entity, from.Received, q, func(to tcm.Entity, data teamcom.Data) {
			_ = client.Send(from.Received, to, data) // the node counts what it drops
		})
	})
}
