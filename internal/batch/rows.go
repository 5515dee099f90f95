package batch

// Row is a match in the table of a report, for CSV and Parquet.
type Row struct {
	ID         string  `parquet:"id"`
	Home       string  `parquet:"home,dict"`
	Away       string  `parquet:"away,dict"`
	Field      string  `parquet:"field,dict"`
	Network    string  `parquet:"network,dict"`
	Faults     string  `parquet:"faults,dict"`
	Seed       uint64  `parquet:"seed"`
	Half       float64 `parquet:"half_s"`
	Trouble    string  `parquet:"trouble,dict"` // "": the match ended
	Digest     string  `parquet:"digest"`
	Seconds    float64 `parquet:"seconds"`
	Played     float64 `parquet:"played_s"`
	GoalsHome  int32   `parquet:"goals_home"`
	GoalsAway  int32   `parquet:"goals_away"`
	ShotsHome  int32   `parquet:"shots_home"`
	ShotsAway  int32   `parquet:"shots_away"`
	TargetHome int32   `parquet:"on_target_home"`
	TargetAway int32   `parquet:"on_target_away"`
	SavesHome  int32   `parquet:"saves_home"`
	SavesAway  int32   `parquet:"saves_away"`
	PassesHome int32   `parquet:"passes_home"`
	PassesAway int32   `parquet:"passes_away"`
	LostHome   int32   `parquet:"passes_lost_home"`
	LostAway   int32   `parquet:"passes_lost_away"`
	PiecesHome int32   `parquet:"set_pieces_home"`
	PiecesAway int32   `parquet:"set_pieces_away"`
	HadHome    float64 `parquet:"possession_home"`
	HadAway    float64 `parquet:"possession_away"`
	CrowdHome  float64 `parquet:"crowding_home"`
	CrowdAway  float64 `parquet:"crowding_away"`
	CoverHome  float64 `parquet:"coverage_home"`
	CoverAway  float64 `parquet:"coverage_away"`
	WayHome    float64 `parquet:"driven_m_home"`
	WayAway    float64 `parquet:"driven_m_away"`
	BrokenHome int32   `parquet:"rules_broken_home"`
	BrokenAway int32   `parquet:"rules_broken_away"`
}

// NewRow returns the row of a result.
func NewRow(j *Job, r *Result) Row {
	h, a := &r.Home, &r.Away
	return Row{
		ID: r.ID, Home: r.Flags.Home, Away: r.Flags.Away, Field: r.Flags.Field, Network: j.Network, Faults: j.Faults,
		Seed: r.Flags.Seed, Half: r.Flags.Half.Seconds(), Trouble: r.Trouble, Digest: r.Digest, Seconds: r.Seconds, Played: r.Played,
		GoalsHome: int32(h.Goals), GoalsAway: int32(a.Goals), ShotsHome: int32(h.Shots), ShotsAway: int32(a.Shots),
		TargetHome: int32(h.OnTarget), TargetAway: int32(a.OnTarget), SavesHome: int32(h.Saves), SavesAway: int32(a.Saves),
		PassesHome: int32(h.Passes), PassesAway: int32(a.Passes), LostHome: int32(h.PassesLost), LostAway: int32(a.PassesLost),
		PiecesHome: int32(h.SetPieces.All()), PiecesAway: int32(a.SetPieces.All()), HadHome: h.Possession, HadAway: a.Possession,
		CrowdHome: h.Crowding, CrowdAway: a.Crowding, CoverHome: h.Coverage, CoverAway: a.Coverage, WayHome: h.Distance,
		WayAway: a.Distance, BrokenHome: int32(h.BrokenRules()), BrokenAway: int32(a.BrokenRules()),
	}
}
