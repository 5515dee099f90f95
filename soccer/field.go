package soccer

// Field holds the sizes of a field and its markings, in m. Lengths run along x, widths along y.
type Field struct {
	Name              string  `json:"name"`
	Length            float64 `json:"length"` // between the goal lines
	Width             float64 `json:"width"`  // between the touch lines
	Border            float64 `json:"border"` // distance from a line to the boundary that stops the ball
	LineWidth         float64 `json:"lineWidth"`
	GoalWidth         float64 `json:"goalWidth"`
	GoalHeight        float64 `json:"goalHeight"`
	GoalDepth         float64 `json:"goalDepth"`
	GoalAreaLength    float64 `json:"goalAreaLength"`
	GoalAreaWidth     float64 `json:"goalAreaWidth"`
	PenaltyAreaLength float64 `json:"penaltyAreaLength"`
	PenaltyAreaWidth  float64 `json:"penaltyAreaWidth"`
	PenaltySpot       float64 `json:"penaltySpot"`  // distance from the goal line
	CircleRadius      float64 `json:"circleRadius"` // centre circle
	CornerRadius      float64 `json:"cornerRadius"`
	CornerCut         float64 `json:"cornerCut"` // leg of the walls that cut the corners at 45 degrees; 0: none
}

// MSL18x12 returns the smaller field of the Middle Size League, on which the practical session of 2014 took place. Its
// markings are those of MSL Rules 2026; its goal is 2 m wide and 1 m high, as the rules of 2014 had it.
func MSL18x12() Field { return msl("MSL 18 x 12 m", 18, 12, 2.0, 1.0) }

// MSL22x14 returns the full field of the Middle Size League (MSL Rules 2026). Its goal is 2.4 m wide, of which sources
// give 2.4 to 2.44, and 2 m high.
func MSL22x14() Field { return msl("MSL 22 x 14 m", 22, 14, 2.4, 2.0) }

// msl returns a field of the Middle Size League. Each area is as wide as the goal plus its own length on either side.
func msl(name string, length, width, goalWidth, goalHeight float64) Field {
	const goalArea, penaltyArea = 0.75, 2.25
	return Field{
		Name: name, Length: length, Width: width, Border: 0.7, LineWidth: 0.125,
		GoalWidth: goalWidth, GoalHeight: goalHeight, GoalDepth: 0.5,
		GoalAreaLength: goalArea, GoalAreaWidth: goalWidth + 2*goalArea,
		PenaltyAreaLength: penaltyArea, PenaltyAreaWidth: goalWidth + 2*penaltyArea,
		PenaltySpot: 3.6, CircleRadius: 2, CornerRadius: 0.75,
	}
}

// VSS3v3 returns the Very Small Size field for three against three, which FIRASim calls division B, with FIRASim's
// sizes. Walls stand on the lines. GoalHeight is how far FIRASim's goal walls rise above the floor. The penalty area is
// the penalty_width and penalty_depth of its messages.
func VSS3v3() Field {
	return Field{
		Name: "VSS 3v3, 1.5 x 1.3 m", Length: 1.5, Width: 1.3, LineWidth: 0.003,
		GoalWidth: 0.4, GoalHeight: 0.2, GoalDepth: 0.1,
		PenaltyAreaLength: 0.15, PenaltyAreaWidth: 0.7, PenaltySpot: 0.375, CircleRadius: 0.2, CornerCut: 0.082,
	}
}

// VSS5v5 returns the Very Small Size field for five against five, which FIRASim calls division A, with FIRASim's sizes.
// Here the goal area is the penalty_width and penalty_depth of its messages; only VSSReferee knows the penalty area of
// 0.35 x 0.8 m.
func VSS5v5() Field {
	return Field{
		Name: "VSS 5v5, 2.2 x 1.8 m", Length: 2.2, Width: 1.8, LineWidth: 0.003,
		GoalWidth: 0.4, GoalHeight: 0.2, GoalDepth: 0.15,
		GoalAreaLength: 0.15, GoalAreaWidth: 0.5, PenaltyAreaLength: 0.35, PenaltyAreaWidth: 0.8,
		PenaltySpot: 0.375, CircleRadius: 0.25, CornerCut: 0.118,
	}
}

// FourLegged returns the field on which AIBOs played at the time of the TeamChaos paper (Four-Legged League Rules 2005).
// The width between the lines and Border are assumptions: the rules were read in a summary that gives neither.
func FourLegged() Field {
	return Field{
		Name: "Four-Legged 5.4 x 3.6 m", Length: 5.4, Width: 3.6, Border: 0.3, LineWidth: 0.025,
		GoalWidth: 0.8, GoalHeight: 0.3, GoalDepth: 0.3,
		PenaltyAreaLength: 0.65, PenaltyAreaWidth: 1.3, CircleRadius: 0.18,
	}
}

// Simulation2D returns the field of the RoboCup 2D simulation (rcssserver 19). Robots and ball have no height there.
func Simulation2D() Field {
	return Field{
		Name: "2D simulation 105 x 68 m", Length: 105, Width: 68, Border: 5, LineWidth: 0.12,
		GoalWidth: 14.02, GoalHeight: 2.44, GoalDepth: 2.44,
		GoalAreaLength: 5.5, GoalAreaWidth: 18.32, PenaltyAreaLength: 16.5, PenaltyAreaWidth: 40.32,
		PenaltySpot: 11, CircleRadius: 9.15, CornerRadius: 1,
	}
}

// HSLSmall returns the field of the small division of the Humanoid Soccer League. The sizes of its three fields are those
// of HSL Rules 2026, which give no height of the goals.
func HSLSmall() Field {
	return Field{
		Name: "HSL 9 x 6 m", Length: 9, Width: 6, Border: 1, LineWidth: 0.05, GoalWidth: 2.6, GoalDepth: 0.6,
		GoalAreaLength: 1, GoalAreaWidth: 3, PenaltyAreaLength: 2, PenaltyAreaWidth: 4, PenaltySpot: 1.5, CircleRadius: 0.75,
	}
}

// HSLMiddle returns the field of the middle division, which may also play on that of the small one.
func HSLMiddle() Field {
	return Field{
		Name: "HSL 14 x 9 m", Length: 14, Width: 9, Border: 1, LineWidth: 0.05, GoalWidth: 2.6, GoalDepth: 0.6,
		GoalAreaLength: 1, GoalAreaWidth: 4, PenaltyAreaLength: 3, PenaltyAreaWidth: 6, PenaltySpot: 2, CircleRadius: 1.5,
		CornerRadius: 0.5,
	}
}

// HSLLarge returns the field of the large division, which may also play on that of the middle one.
func HSLLarge() Field {
	return Field{
		Name: "HSL 22 x 14 m", Length: 22, Width: 14, Border: 1, LineWidth: 0.12, GoalWidth: 2.4, GoalDepth: 0.6,
		GoalAreaLength: 1, GoalAreaWidth: 5, PenaltyAreaLength: 3.5, PenaltyAreaWidth: 7, PenaltySpot: 2.5, CircleRadius: 2,
		CornerRadius: 1,
	}
}

// GoalArea returns the size of the smaller area before a goal, or of the only one, along x and y.
func (f *Field) GoalArea() (length, width float64) {
	if f.GoalAreaLength > 0 {
		return f.GoalAreaLength, f.GoalAreaWidth
	}
	return f.PenaltyAreaLength, f.PenaltyAreaWidth
}

// Sizes of things on a VSS field in m (FIRASim).
const (
	VSSRobotEdge  = 0.075  // a robot is a cube
	VSSBallRadius = 0.0215 // an orange golf ball
)

// Sizes of robots and ball of the Middle Size League, in m (MSL Rules 2026).
const (
	RobotRadius = 0.26 // half of 52 cm, the largest edge allowed
	BallRadius  = 0.11 // FIFA size 5
)

// Distances between the centres of robot and ball at set pieces of the Middle Size League, in m (simatch). Opponents
// inside their own penalty area may be nearer.
const (
	OpponentsAway   = 3.0 // opponents' distance from the ball, until it is in play
	MatesAway       = 2.0 // distance of teammates of the robot that takes the set piece
	DroppedBallAway = 1.0 // all robots, until START
)

// Goalkeeper is the jersey number of the goalkeeper in the Middle Size League (MSL Rules 2026).
const Goalkeeper = 1

// FourLeggedBallRadius is the radius of the orange ball of the Four-Legged League in m.
const FourLeggedBallRadius = 0.0425
