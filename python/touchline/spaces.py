"""Gymnasium's base classes and spaces, or the little of them that the environments need where it is not installed."""

import numpy as np

try:
    from gymnasium import Env
    from gymnasium.spaces import Box
    from gymnasium.vector import VectorEnv
except ImportError:

    class Env:
        """Stands in for gymnasium.Env."""

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.close()

    VectorEnv = Env

    class Box:
        """A box of numbers, as gymnasium.spaces.Box."""

        def __init__(self, low, high, shape, dtype=np.float32):
            self.shape, self.dtype = tuple(shape), np.dtype(dtype)
            self.low = np.full(self.shape, low, self.dtype)
            self.high = np.full(self.shape, high, self.dtype)
            self._random = np.random.default_rng()

        def seed(self, seed=None):
            self._random = np.random.default_rng(seed)
            return seed

        def sample(self):
            return self._random.uniform(self.low, self.high).astype(self.dtype)

        def contains(self, x):
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

        def __eq__(self, other):
            return isinstance(other, Box) and self.shape == other.shape and np.array_equal(self.low, other.low) and \
                np.array_equal(self.high, other.high)

        def __repr__(self):
            return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


BOUND = 1.2  # of every number of an observation
