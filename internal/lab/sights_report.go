package lab

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"touchline/internal/camera"
	"touchline/soccer"
)

// SightsConfig says how much is measured.
type SightsConfig struct {
	Seed     uint64
	Pictures int // of each preset with a ball, and of each light; pictures without a ball are twice as many
	Runs     int // seeded calibrations of each preset
}

// DefaultSightsConfig returns the batch that docs/camera.md reports.
func DefaultSightsConfig() SightsConfig { return SightsConfig{Seed: 1, Pictures: 1500, Runs: 60} }

// SightsReport is what a batch measured, a row for each preset.
type SightsReport struct {
	Seed         uint64
	Speed        []Speed
	Balls        []BallRow
	False        []FalseRow
	Clouds       []CloudRow
	Calibrations []CalibrationRow
}

// Speed is the median time of one picture on this machine.
type Speed struct {
	Preset       string
	RenderMillis float64
	FindMillis   float64
}

// BallRow compares found balls with the truth.
type BallRow struct {
	Preset         string
	Pictures       int
	InView, Found  int
	WithinLimit    float64    // share of errors below 5 % of the distance + 3 cm
	P90Centimetres [4]float64 // of balls up to 1, 2, 3 and 4 m away
	NEES           float64
}

// FalseRow counts balls that are none.
type FalseRow struct {
	Preset              string
	Pictures            int
	Within4m, Beyond    int
	OfThemBesideTheLine int // orange shoes, posters
}

// CloudRow is the recall of the ball before and after exposure and white balance were adjusted to a cloud.
type CloudRow struct {
	Preset                string
	Clear, Before, After  float64
	Exposure, Gain        float64 // ms and dB, as adjusted
	WhiteRed, WhiteBlue   float64
	CloudLight, CloudWarm float64
}

// CalibrationRow counts seeded runs of a calibration.
type CalibrationRow struct {
	Preset                   string
	Pictures, Runs, Good     int
	TiltDegrees, RollDegrees float64 // p90 of the errors
	FocalPercent             float64
	HoldOutPixels            float64 // the largest
	Mirror                   bool
	Refused                  [3]int // sets of pan only (of a mirror: one place), of one pose, of one line: of 5 each
	Wrong                    [3]int // of these sets, those that were taken and are not within the limits
}

// refusals is how many sets of each useless kind are tried.
const refusals = 5

// Parts is in how many parts Run measures.
const Parts = 5

// SightsRun measures all presets. After each part it calls done with the parts so far.
func SightsRun(ctx context.Context, cfg SightsConfig, done func(*SightsReport)) error {
	r := &SightsReport{Seed: cfg.Seed}
	presets := presets(cfg.Seed)
	parts := [Parts]func(p preset) error{
		func(p preset) error { return r.speed(p, cfg) },
		func(p preset) error { return r.balls(p, cfg) },
		func(p preset) error { return r.falseBalls(p, cfg) },
		func(p preset) error { return r.cloud(p, cfg) },
		func(p preset) error { return r.calibrations(ctx, p, cfg) },
	}
	for _, part := range parts {
		for _, p := range presets {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := part(p); err != nil {
				return err
			}
		}
		done(r)
	}
	return nil
}

func (r *SightsReport) speed(p preset, cfg SightsConfig) error {
	c := newCamera(p, camera.DefaultTable(), cfg.Seed)
	t := defaultTrial(1)
	var render, find []float64
	for range 60 {
		params, _ := c.arrange(&t)
		began := time.Now()
		c.renderer.Render(&c.scene, &params, &c.picture)
		drawn := time.Now()
		view := camera.View{Pan: params.Pan, Tilt: params.Tilt}
		if err := c.finder.Find(&c.picture, &view, &c.percepts); err != nil {
			return err
		}
		render, find = append(render, drawn.Sub(began).Seconds()*1e3), append(find, time.Since(drawn).Seconds()*1e3)
	}
	r.Speed = append(r.Speed, Speed{p.Name, sightsQuantile(render, 0.5), sightsQuantile(find, 0.5)})
	return nil
}

// sightsQuantile returns a sightsQuantile of values, which it sorts; 0 of none.
func sightsQuantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[int(float64(len(values)-1)*q+0.5)]
}

func (r *SightsReport) balls(p preset, cfg SightsConfig) error {
	b, err := newCamera(p, camera.DefaultTable(), cfg.Seed).measure(defaultTrial(cfg.Pictures))
	if err != nil {
		return err
	}
	row := BallRow{Preset: p.Name, Pictures: b.Pictures, InView: b.InView, Found: b.Found, WithinLimit: b.withinLimit()}
	for i := range row.P90Centimetres {
		var errors []float64
		for _, e := range b.Errors {
			if e.Distance > float64(i) && e.Distance <= float64(i+1) {
				errors = append(errors, e.Error)
			}
		}
		row.P90Centimetres[i] = 100 * sightsQuantile(errors, 0.9)
	}
	for _, v := range b.NEES {
		row.NEES += v / float64(len(b.NEES))
	}
	r.Balls = append(r.Balls, row)
	return nil
}

func (r *SightsReport) falseBalls(p preset, cfg SightsConfig) error {
	t := defaultTrial(2 * cfg.Pictures)
	t.Ball = false
	b, err := newCamera(p, camera.DefaultTable(), cfg.Seed+1).measure(t)
	if err != nil {
		return err
	}
	r.False = append(r.False, FalseRow{p.Name, b.Pictures, b.False, b.FalseFar, b.Shoes})
	return nil
}

// cloud measures the recall in a clear light, under a cloud, and after the helper has looked at a patch of carpet.
func (r *SightsReport) cloud(p preset, cfg SightsConfig) error {
	const light, warmth = 0.4, -0.5
	recall := func(light, warmth float64, params camera.Params) (float64, error) {
		t := defaultTrial(cfg.Pictures / 2)
		t.Light, t.Warmth, t.Params = light, warmth, params
		b, err := newCamera(p, camera.DefaultTable(), cfg.Seed+2).measure(t)
		return float64(b.Found) / float64(max(b.InView, 1)), err
	}
	adjusted, err := adjust(p, light, warmth)
	if err != nil {
		return err
	}
	row := CloudRow{
		Preset: p.Name, Exposure: adjusted.Exposure, Gain: adjusted.Gain, WhiteRed: adjusted.WhiteRed,
		WhiteBlue: adjusted.WhiteBlue, CloudLight: light, CloudWarm: warmth,
	}
	for _, m := range []struct {
		into          *float64
		light, warmth float64
		params        camera.Params
	}{
		{&row.Clear, 1, 0, camera.DefaultParams()}, {&row.Before, light, warmth, camera.DefaultParams()},
		{&row.After, light, warmth, adjusted},
	} {
		if *m.into, err = recall(m.light, m.warmth, m.params); err != nil {
			return err
		}
	}
	r.Clouds = append(r.Clouds, row)
	return nil
}

// adjust returns the parameters that make a patch of carpet look under a light as it looks in a clear one.
func adjust(p preset, light, warmth float64) (camera.Params, error) {
	renderer := camera.NewRenderer(p.Camera, p.Hall, 7)
	patch := func(light, warmth float64, params camera.Params) (camera.Patch, error) {
		var picture camera.Picture
		scene := camera.Scene{Self: soccer.Pose{X: 0.3 * p.Hall.Field.Length, Y: 0.3}, Light: light, Warmth: warmth}
		renderer.Render(&scene, &params, &picture)
		x, y := p.Camera.Width/2, p.Camera.Height*4/5
		return camera.Measure(&picture, x-20, y-10, x+20, y+10)
	}
	params := camera.DefaultParams()
	want, err := patch(1, 0, params)
	if err != nil {
		return params, err
	}
	for range 2 {
		seen, err := patch(light, warmth, params)
		if err != nil {
			return params, err
		}
		set, err := camera.Adjust(p.Camera.Declare(&params), seen, want)
		if err != nil {
			return params, err
		}
		for _, to := range set {
			if _, err := p.Camera.Set(&params, to.Name, to.Now); err != nil {
				return params, err
			}
		}
	}
	return params, nil
}

func (r *SightsReport) calibrations(ctx context.Context, p preset, cfg SightsConfig) error {
	row := CalibrationRow{Preset: p.Name, Pictures: 12, Runs: cfg.Runs, Mirror: p.Camera.Mount.Down}
	switch {
	case row.Mirror:
		row.Pictures = 10 // places
	case p.Name == "aibo":
		row.Pictures = 24
	}
	var tilt, roll, focal []float64
	for seed := range cfg.Runs {
		c, err := calibrate(p, cfg.Seed+uint64(seed), row.Pictures, varied)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if c.good() {
			row.Good++
		}
		tilt, roll = append(tilt, math.Abs(c.Tilt)/degree), append(roll, math.Abs(c.Roll)/degree)
		focal = append(focal, 100*math.Abs(c.Focal))
		row.HoldOutPixels = max(row.HoldOutPixels, c.HoldOut)
	}
	row.TiltDegrees, row.RollDegrees, row.FocalPercent = sightsQuantile(tilt, 0.9), sightsQuantile(roll, 0.9), sightsQuantile(focal, 0.9)
	for i, poses := range []HeadPoses{panOnly, onePose, oneLine} {
		for seed := range refusals {
			c, err := calibrate(p, cfg.Seed+uint64(seed), row.Pictures, poses)
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			if c.Refused != nil {
				row.Refused[i]++
			} else if !c.good() {
				row.Wrong[i]++
			}
		}
	}
	r.Calibrations = append(r.Calibrations, row)
	return nil
}

// Print prints the parts of a report that are done as text.
func (r *SightsReport) Print(w io.Writer) {
	title := func(rows int, text string) {
		if rows > 0 {
			fmt.Fprintln(w, text)
		}
	}
	title(len(r.Speed), fmt.Sprintf("Seed %d. Median time of one picture on this machine, in ms:", r.Seed))
	for _, s := range r.Speed {
		fmt.Fprintf(w, "  %-16s drawn in %5.2f, percepts in %5.2f\n", s.Preset, s.RenderMillis, s.FindMillis)
	}
	title(len(r.Balls), "Ball within 4 m, camera pose noise 0.3 degrees; p90 of the error in cm up to 1, 2, 3, 4 m:")
	for _, b := range r.Balls {
		fmt.Fprintf(w, "  %-16s found %d of %d in view; p90 %4.1f %4.1f %4.1f %4.1f; %.1f %% within 5 %% + 3 cm; NEES %.2f\n",
			b.Preset, b.Found, b.InView, b.P90Centimetres[0], b.P90Centimetres[1], b.P90Centimetres[2], b.P90Centimetres[3],
			100*b.WithinLimit, b.NEES)
	}
	title(len(r.False),
		"False balls on a field without a ball, with posters on the boards and orange shoes beside the lines:")
	for _, f := range r.False {
		fmt.Fprintf(w, "  %-16s %d pictures: %d within 4 m, %d beyond; of them %d outside of the carpet\n",
			f.Preset, f.Pictures, f.Within4m, f.Beyond, f.OfThemBesideTheLine)
	}
	title(len(r.Clouds), "A cloud (light 0.4, bluish): recall of balls in view:")
	for _, c := range r.Clouds {
		fmt.Fprintf(w, "  %-16s clear %.1f %%, cloud %.1f %%, adjusted %.1f %% (exposure %.1f ms, gain %.1f dB, red %.2f, blue %.2f)\n",
			c.Preset, 100*c.Clear, 100*c.Before, 100*c.After, c.Exposure, c.Gain, c.WhiteRed, c.WhiteBlue)
	}
	title(len(r.Calibrations), "Calibration of a camera wrong by 5 degrees of tilt, 3 of roll, 10 % of focal length; of a mirror by 3, 2 and 5 %:")
	for _, c := range r.Calibrations {
		fmt.Fprintf(w, "  %-16s %d of %d runs within 0.3 degrees and 1 %% from %d pictures; p90 tilt %.2f, roll %.2f degrees, "+
			"focal %.2f %%; hold-out at most %.2f px\n", c.Preset, c.Good, c.Runs, c.Pictures, c.TiltDegrees, c.RollDegrees,
			c.FocalPercent, c.HoldOutPixels)
		few := "pan only"
		if c.Mirror {
			few = "one place"
		}
		fmt.Fprintf(w, "  %-16s refused: %s %d of %d, one pose %d of %d, one line %d of %d; taken and wrong: %d, %d, %d\n", "", few,
			c.Refused[0], refusals, c.Refused[1], refusals, c.Refused[2], refusals, c.Wrong[0], c.Wrong[1], c.Wrong[2])
	}
}
