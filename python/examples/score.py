"""Learns to score against a goalkeeper that stands still, with an evolution strategy and numpy alone.

    python3 python/examples/score.py                    trains, prints the success rate, draws score.svg
    python3 python/examples/score.py --page             shows the training in the browser, too
    python3 python/examples/score.py --play             plays a match of it against the built-in team, in the browser

The policy is a small network from what the robot sees around itself to its two wheels. Each generation tries mirrored
pairs of random changes to its weights; the better half of each pair pulls the weights its way.
"""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import touchline  # noqa: E402
from touchline import live, program  # noqa: E402

OFF = [{"id": 1, "on": False}, {"id": 2, "on": False}]
TASK = {
    "start": {"ball": {"x": 0.1}, "blue": [{"id": 0, "x": -0.35}, *OFF], "yellow": [{"id": 0, "x": 0.7}, *OFF]},
    "jitter": {"ball": 0.35, "blue": 0.3},
    "limit": 100,  # steps of 64 ms: 6.4 s
    "weights": {"goal": 10, "ball_potential": 0.8, "move_to_ball": 0.05, "energy": 0},
}
TICKS = 4
SIZES = 10, 16, 2  # of the network's layers
PAIRS, EPISODES = 24, 8  # in a generation; episodes of each try
SIGMA, RATE = 0.1, 0.06  # of the random changes; of the step in their direction
MIRROR = np.array([1, -1, 1, -1, 1, -1, 1, -1, 1, 1], np.float32)  # of the features when left and right change places


def features(obs):
    """Returns what the robot sees: ball, goal, velocity of the ball (x ahead, y to the left, each), own motion."""
    x, y, sin, cos = obs[..., 4], obs[..., 5], obs[..., 6], obs[..., 7]

    def ahead(dx, dy):
        return dx * cos + dy * sin, dy * cos - dx * sin

    ball, goal = ahead(obs[..., 0] - x, obs[..., 1] - y), ahead(0.75 / 0.9 - x, -y)
    goal_of_ball = ahead(0.75 / 0.9 - obs[..., 0], -obs[..., 1])
    speed = ahead(obs[..., 8], obs[..., 9])[0]
    near = np.exp(-8 * np.hypot(*ball))
    return np.stack([*ball, *goal, *goal_of_ball, near * np.sign(ball[0]), obs[..., 10] / 4, speed, np.ones_like(x)], -1)


def layers(weights):
    """Splits weights (tries x parameters) into the matrices of the network."""
    at = 0
    for a, b in zip(SIZES, SIZES[1:]):
        yield weights[:, at:at + a * b].reshape(-1, a, b)
        at += a * b


def act(weights, obs):
    """Returns the wheels for observations (tries x episodes x numbers): the network's for the robot, and for its mirror
    image with the wheels exchanged."""
    f = features(obs)
    total = 0
    for mirrored in (False, True):
        out = f * MIRROR if mirrored else f
        first, second = layers(weights)
        out = np.tanh(np.tanh(out @ (2 * first)) @ second)
        total = total + (out[..., ::-1] if mirrored else out)
    return np.clip(total, -1, 1)


def run(env, weights, seeds):
    """Plays an episode a game and returns for each the reward and whether it scored. weights has a row for each try; the
    games are dealt out to the tries in order."""
    obs, _ = env.reset(seed=seeds)
    n, tries = env.num_envs, len(weights)
    reward, scored, playing = np.zeros(n), np.zeros(n, bool), np.ones(n, bool)
    while playing.any():
        actions = act(weights, obs.reshape(tries, n // tries, -1)).reshape(n, 2)
        obs, r, terminated, truncated, info = env.step(actions)
        reward += r * playing
        scored |= playing & terminated & (info["terms"][:, 0] > 0)
        playing &= ~(terminated | truncated)
    return reward, scored


def parameters():
    return sum(a * b for a, b in zip(SIZES, SIZES[1:]))


def success(weights, seeds):
    """Returns how many of the episodes of seeds end with a goal."""
    with touchline.VSSVectorEnv(len(seeds), TICKS, **TASK) as env:
        return int(run(env, weights[None], seeds)[1].sum())


def train(seed, seconds, report, page=None):
    """Trains for a time and returns the weights; report gets each generation's time and share of goals."""
    random = np.random.default_rng(seed)
    weights = random.normal(0, 0.3, parameters()).astype(np.float32)
    moment, square, generation = np.zeros_like(weights), np.zeros_like(weights), 0
    with touchline.VSSVectorEnv(2 * PAIRS * EPISODES, TICKS, copy=False, page=page, **TASK) as env:
        begin = time.monotonic()  # the games have started: there is time for a generation
        while (spent := time.monotonic() - begin) < seconds:
            generation += 1
            change = random.normal(0, 1, (PAIRS, len(weights))).astype(np.float32)
            tries = weights + SIGMA * np.concatenate([change, -change])
            episodes = random.integers(0, 2**40, EPISODES)  # the same for all tries: they differ by weights alone
            reward, scored = run(env, tries, np.tile(episodes, 2 * PAIRS))
            ranks = np.argsort(np.argsort(reward.reshape(2 * PAIRS, -1).mean(1))) / (2 * PAIRS - 1) - 0.5
            gradient = (ranks[:PAIRS] - ranks[PAIRS:]) @ change / PAIRS - 0.001 * weights
            moment, square = 0.9 * moment + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
            scale = (1 - 0.9**generation) / np.sqrt(1 - 0.99**generation)
            weights = (weights + RATE * moment / scale / (np.sqrt(square) + 1e-8)).astype(np.float32)
            report(spent, scored.mean())
    return weights


def wilson(k, n):
    """Returns the 95 % interval of a share (Wilson)."""
    z, p = 1.96, k / n
    middle, half = (p + z * z / 2 / n) / (1 + z * z / n), z * np.sqrt(p * (1 - p) / n + z * z / 4 / n / n) / (1 + z * z / n)
    return middle - half, middle + half


def svg(curves, path):
    """Draws the share of goals over the time of training, a curve for each seed."""
    width, height, left, top = 720, 400, 60, 30
    longest = max(t for curve in curves for t, _ in curve) or 1

    def point(t, share):
        return f"{left + t / longest * (width - left - 20):.1f},{top + (1 - share) * (height - top - 50):.1f}"

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             'font-size="13" fill="#333"><rect width="100%" height="100%" fill="#fff"/>']
    for share in (0, 0.25, 0.5, 0.75, 1):
        x, y = point(0, share).split(",")
        lines.append(f'<path d="M{point(0, share)} L{point(longest, share)}" stroke="#ddd"/>'
                     f'<text x="{float(x) - 8}" y="{float(y) + 4}" text-anchor="end">{share:.0%}</text>')
    for t in np.linspace(0, longest, 6):
        x, y = point(t, 0).split(",")
        lines.append(f'<text x="{x}" y="{float(y) + 20}" text-anchor="middle">{t:.0f} s</text>')
    lines.append(f'<text x="{left}" y="18">episodes with a goal, of all tries of a generation</text>')
    colors = "#2a6fdb", "#d9822b", "#3a9c5f", "#b0489f", "#7a6ad8"
    for i, curve in enumerate(curves):
        shares = np.array([s for _, s in curve])
        smooth = np.convolve(np.pad(shares, 5, "edge"), np.ones(11) / 11, "valid")
        points = " ".join(point(t, s) for (t, _), s in zip(curve, smooth))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colors[i % 5]}" stroke-width="2"/>')
    pathlib.Path(path).write_text("\n".join([*lines, "</svg>"]) + "\n")


def match(weights, *options, **addresses):
    """Plays a match of blue 0 with the policy against the built-in team, in a simulator with a page and a referee. The
    other robots of blue, which no policy drives, are not on the field. Yields in each tick the goals of both teams, and
    what blue sees."""
    with tempfile.TemporaryDirectory() as folder:
        start = pathlib.Path(folder) / "start.json"
        start.write_text(json.dumps({"blue": OFF}))
        command = [program.find(), "sim", "vss", "--yellow", "builtin", "--referee", "--placement", start, *options]
        simulator = subprocess.Popen(command)  # prints the page's address
        team = live.Live(**{"timeout": 10, "referee": live.REFEREE, **addresses})
        try:
            while True:
                obs = team.observe()
                team.drive(act(weights[None], obs[None, None])[0, 0])
                yield team.goals, obs
        finally:
            team.close()
            simulator.send_signal(signal.SIGINT)
            simulator.wait()


def play(weights):
    """Plays a match and prints its goals, until Ctrl-C."""
    print("blue 0 plays the policy; the referee restarts the game after each goal; Ctrl-C ends", flush=True)
    before = (0, 0)
    try:
        for goals, _ in match(weights):
            if goals != before:
                print(f"blue {goals[0]}, yellow {goals[1]}", flush=True)
            before = goals
    except KeyboardInterrupt:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=240, help="time of training for each seed (default 240)")
    parser.add_argument("--seeds", type=int, default=1, help="trainings with different seeds (default 1)")
    parser.add_argument("--policy", default="score.npy", help="file of the weights (default score.npy)")
    parser.add_argument("--plot", default="score.svg", help="file of the curve (default score.svg)")
    parser.add_argument("--page", action="store_true", help="show the training in the browser")
    parser.add_argument("--play", action="store_true", help="play the policy of --policy instead of training")
    args = parser.parse_args()
    if args.play:
        return play(np.load(args.policy))
    curves, test = [], range(10**12, 10**12 + 400)  # seeds that training does not draw
    shows = sys.stdout.isatty()  # a file gets the results alone
    for seed in range(1, args.seeds + 1):
        untrained = np.random.default_rng(seed).normal(0, 0.3, parameters()).astype(np.float32)
        curve = []

        def report(spent, share):
            curve.append((spent, share))
            if shows:
                print(f"\rseed {seed}: {spent:4.0f} s, generation {len(curve)}: {share:4.0%} goals ", end="", flush=True)

        weights = train(seed, args.seconds, report, args.page)
        curves.append(curve)
        counts = success(untrained, test), success(weights, test)
        texts = ["{:.0%} ({:.0%} to {:.0%})".format(k / 400, *wilson(k, 400)) for k in counts]
        if shows:
            print()
        print(f"seed {seed}: {texts[0]} of 400 new episodes end with a goal before, {texts[1]} after")
        np.save(args.policy, weights)
        svg(curves, args.plot)


if __name__ == "__main__":
    main()
