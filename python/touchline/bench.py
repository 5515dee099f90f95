"""Measures how many steps a second the environments make: python3 -m touchline.bench [--seconds 2]"""

import argparse
import json
import subprocess
import time

import numpy as np

from . import program
from .env import VSSEnv, VSSVectorEnv


class Loop:
    """What a Python loop costs alone: the arrays of an environment without games behind it."""

    def __init__(self, env):
        self.like = env
        self.result = env._observations.copy(), env._rewards.copy(), env._terminated.copy(), env._truncated.copy()

    def step(self, actions):
        if actions.shape != self.like.action_space.shape:
            raise ValueError(actions.shape)
        return [array.copy() for array in self.result]


def rate(step, act, seconds):
    """Returns the steps a second of a loop of act and step."""
    count, begin = 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        for _ in range(50):
            step(act())
        count += 50
    return count / spent


AGENTS = 6  # all robots of both teams are driven, like those of the engine alone


def policy(env, random):
    """Returns a function that draws random actions."""
    shape = env.action_space.shape
    return lambda: random.random(shape, np.float32) * 2 - 1


def single(seconds, random):
    """Returns the steps a second of VSSEnv."""
    with VSSEnv(agents=AGENTS // 2, self_play=True) as env:
        env.reset(seed=1)

        def step(action):
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

        return rate(step, policy(env, random), seconds)


def rows(seconds):
    """Yields name, games and environment steps a second."""
    random = np.random.default_rng(1)
    yield "VSSEnv", 1, single(seconds, random)
    for n in (1, 16, 256):
        env = VSSVectorEnv(n, agents=AGENTS // 2, self_play=True, copy=False)
        env.reset(seed=1)
        act = policy(env, random)
        yield "VSSVectorEnv", n, n * rate(env.step, act, seconds)
        yield "Python's loop alone", n, n * rate(Loop(env).step, act, seconds)
        env.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2, help="time of each measurement (default 2)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    if not 0 < args.seconds <= 600:
        parser.error("--seconds: want more than 0, up to 600")
    speed = subprocess.run([program.find(), "learn", "--bare", f"{2 * args.seconds}s"], check=True, capture_output=True)
    bare = json.loads(speed.stdout)
    table = list(rows(args.seconds))
    if args.json:
        print(json.dumps({"bare": bare, "rows": [dict(zip(("name", "games", "steps"), row)) for row in table]}))
        return
    print(f"engine alone: {bare['one']:,.0f} ticks/s on one core, {bare['all']:,.0f} on {bare['cores']}")
    print("3 against 3, all robots driven by random actions, a tick of 16 ms a step\n")
    print(f"{'':20}{'games':>6}{'environment steps/s':>21}{'agent steps/s':>16}{'of the engine alone':>21}")
    for name, games, steps in table:
        share = "" if "loop" in name else f"{100 * steps / (bare['all'] if games >= 16 else bare['one']):.0f} %"
        print(f"{name:20}{games:6}{steps:21,.0f}{AGENTS * steps:16,.0f}{share:>21}")


if __name__ == "__main__":
    main()
