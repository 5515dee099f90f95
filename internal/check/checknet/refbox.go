package checknet

import (
	"touchline/internal/check"
	"touchline/internal/refbox"
	"touchline/soccer"
	"touchline/wire/msl"
)

// refBoxCard is the report card that a referee box keeps of a team.
type refBoxCard struct{ *check.Card }

// NewRefBoxCard returns an empty report card for a referee box.
func NewRefBoxCard(team string, field soccer.Field) refbox.ReportCard {
	return refBoxCard{check.NewCard(team, field)}
}

// Add implements refbox.ReportCard.
func (c refBoxCard) Add(received, published soccer.Time, number int64, data []byte, world *msl.Worldstate,
	found []msl.Finding, err error,
) {
	c.AddExamined(&check.StationMessage{Received: received, Published: published, Offset: number, Data: data}, world, found,
		err)
}

// Compare implements refbox.ReportCard.
func (c refBoxCard) Compare(opponents refbox.ReportCard) {
	if o, ok := opponents.(refBoxCard); ok {
		check.Compare(c.Card, o.Card)
	}
}

// Findings implements refbox.ReportCard.
func (c refBoxCard) Findings() (all []refbox.CardShow) {
	for _, f := range c.Card.Findings() {
		all = append(all, refbox.CardShow{Rule: f.Rule, Note: f.Note, Count: f.Count, Text: f.Text, Fix: f.Fix,
			Excerpt: f.Excerpt, At: f.At})
	}
	return all
}

// Describe implements refbox.ReportCard.
func (refBoxCard) Describe(rule string) string { return check.Describe(rule) }
