"""Measures how many steps a second the environments make: python3 -m touchline.bench [--seconds 2]"""

import argparse
import contextlib
import json
import subprocess
import time

import numpy as np

from . import program
from .env import VSSEnv, VSSVectorEnv


class Loop:
    """The cost of a Python loop alone: the arrays of an environment without games behind it."""

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


def single(stack):
    """Returns VSSEnv, and a step that begins the next episode, too."""
    env = stack.enter_context(VSSEnv(agents=AGENTS // 2, self_play=True))
    env.reset(seed=1)

    def step(action):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    return env, step


def rows(stack):
    """Yields name, games, and the step and the policy that are measured."""
    random = np.random.default_rng(1)
    env, step = single(stack)
    yield "VSSEnv", 1, step, policy(env, random)
    for n in (1, 16, 256):
        env = stack.enter_context(VSSVectorEnv(n, agents=AGENTS // 2, self_play=True, copy=False))
        env.reset(seed=1)
        act = policy(env, random)
        yield "VSSVectorEnv", n, env.step, act
        yield "Python's loop alone", n, Loop(env).step, act


def engine(seconds):
    """Returns the ticks a second of the engine alone, on one core and on all."""
    speed = subprocess.run([program.find(), "learn", "--bare", f"{seconds}s"], check=True, capture_output=True)
    return json.loads(speed.stdout)


ROUNDS = 5  # the engine and the environments take turns: a machine's speed changes within seconds


def measure(seconds):
    """Returns the speed of the engine alone, and name, games and environment steps a second of each row."""
    with contextlib.ExitStack() as stack:
        table, alone, rates = list(rows(stack)), [], []
        for _ in range(ROUNDS):
            alone.append(engine(2 * seconds / ROUNDS))
            rates.append([games * rate(step, act, seconds / ROUNDS) for _, games, step, act in table])
    bare = alone[0] | {key: float(np.mean([a[key] for a in alone])) for key in ("one", "all")}
    return bare, [(*row[:2], float(steps)) for row, steps in zip(table, np.mean(rates, axis=0))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2, help="time of each measurement (default 2)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    if not 0 < args.seconds <= 600:
        parser.error("--seconds: want more than 0, up to 600")
    bare, table = measure(args.seconds)
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
