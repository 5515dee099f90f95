package lab

// Chart is the topic "chart" of the page of the command booking: batches of the ball booking.
type Chart struct {
	Reports []RivalsReport `json:"reports"` // of the batches that are complete
	Batches int            `json:"batches"`
	Playing string         `json:"playing"` // "lease, 30 % lost"
	Games   int            `json:"games"`   // of the batch that is played
	Seeds   int            `json:"seeds"`   // of a batch
}
