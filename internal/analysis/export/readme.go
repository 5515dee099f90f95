package export

import (
	"fmt"
	"strings"
)

// about describes the files of a format: what they hold, and how Python reads them.
type about struct{ text, python string }

// actualSides tells how a format has the sides.
const actualSides = `Positions are as on the field, where the teams change ends: home attacks +x in the first half and -x in the second one.
`

// fixedSides tells how the tables have the sides.
const fixedSides = `Lengths are in m, angles in rad, times in s. The origin is the centre of the field, x runs along it, y to the left. Home
attacks +x in every half; in an even period turn x and y around to get the field as it was: -x, -y, heading + pi.
`

var abouts = map[Format]about{
	TRACAB: {`tracab.dat has a line a frame: positions in cm, speeds in m/s, the team that had the ball last, and whether it is in play.
A ball whose place is not known is "nan". tracab.json has the field, the halves, the teams and their robots.
` + actualSides, `from kloppy import tracab
match = tracab.load(meta_data="tracab.json", raw_data="tracab.dat", coordinates="tracab")
print(match.metadata.pitch_dimensions, len(match.records), "frames")
fixed = match.transform(to_orientation="STATIC_HOME_AWAY")  # home attacks +x in every half
print(fixed.to_df().head())
`},
	StatsBomb: {`events/N.json has the passes with their receipts, shots with xG and where the robots stood, interceptions, lost balls,
own goals, fouls, cards and substitutions; lineups/N.json has the robots. N is a number made from the match's name. A foul is
noted when its free kick or penalty is taken, and names a robot only if that got a card. The team that acts attacks +x, on a
field of 120 x 80 with y to the right. The formation 442 and the positions of the robots mean nothing: kloppy needs them.
`, `import glob
from mplsoccer import Sblocal
file = glob.glob("events/*.json")[0]
events, related, freeze, tactics = Sblocal().event(file)
print(events.type_name.value_counts(), events[events.type_name == "Shot"][["player_name", "x", "y", "shot_statsbomb_xg"]])
`},
	CDF: {`tracking.jsonl has a line of JSON a frame, in m and m/s; event.jsonl has the passes and shots; meta.json has the field,
the halves with the direction of home, the teams and their robots. They keep the schemas of the Common Data Format 0.2.3.
` + actualSides, `import json
meta = json.load(open("meta.json"))
frames = [json.loads(line) for line in open("tracking.jsonl")]
print([(p["period"], p["play_direction"]) for p in meta["match"]["periods"]])
print(len(frames), "frames", frames[0]["ball"])
`},
	CSV: {tablesText, `import pandas
tracking = pandas.read_csv("tracking.csv")
ball = tracking[(tracking.object == "ball") & tracking.alive]
print(ball.groupby("period")[["x", "y"]].mean())
print(pandas.read_csv("beliefs.csv").groupby(["team", "observer", "object"]).error_m.median())
`},
	Parquet: {tablesText, `import duckdb
print(duckdb.sql("SELECT team, number, avg(sqrt(vx*vx + vy*vy)) FROM 'tracking.parquet' WHERE alive AND object = 'robot' "
                 "GROUP BY ALL ORDER BY ALL"))
print(duckdb.sql("SELECT team, observer, object, median(error_m) FROM 'beliefs.parquet' GROUP BY ALL ORDER BY ALL"))
print(duckdb.sql("SELECT home, away, goals_home, goals_away FROM 'matches.parquet'"))
`},
}

const tablesText = `tracking: ball and robots in each frame; the ball has no row where its place is not known.
beliefs:  where each robot believed ball and itself; observer 0 is a base station. error_m is the distance from the truth.
events:   passes, shots, goals, set pieces and lost balls, as touchline report lists them.
network:  datagrams of each link since the report before, in the team's own network; robot 0 is its base station.
matches:  the match and its figures (docs/match.md).
notes:    what persons wrote about moments and spans, with touchline log note or in replay; period 0 is outside of the halves.
` + fixedSides

// readme writes README.txt, the last of the files: a folder without it is not whole.
func (e *Export) readme(r *Result) error {
	f, err := e.create("README.txt")
	if err != nil {
		return err
	}
	a := abouts[e.options.Format]
	field := e.match.Field
	var b strings.Builder
	fmt.Fprintf(&b, "Match %s as %s, written by touchline export: %d frames, %d a second; field %g x %g m.\n",
		r.MatchID, r.Format, r.Frames, r.Rate, field.Length, field.Width)
	if e.options.Format != StatsBomb {
		fmt.Fprintf(&b, "frame_id counts on through intervals and gaps, so that (frame_id - 1) / %d is the time in s.\n", r.Rate)
	}
	fmt.Fprintf(&b, "\n%s", a.text)
	if len(r.Notes) > 0 {
		fmt.Fprintf(&b, "\nOf this match:\n- %s\n", strings.Join(r.Notes, "\n- "))
	}
	fmt.Fprintf(&b, "\nIn Python:\n\n%s", a.python)
	return f.row([]byte(b.String()))
}
