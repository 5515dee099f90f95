"""Gymnasium's base classes and spaces, or the little of them that the environments need where it is not installed."""

import enum

import numpy as np

try:
    import gymnasium
    from gymnasium import Env
    from gymnasium.spaces import Box
    from gymnasium.vector import VectorEnv
except ImportError:
    gymnasium = None

    class Env:
        """Stands in for gymnasium.Env."""

        metadata, spec, render_mode, _np_random = {}, None, None, None

        def reset(self, *, seed=None, options=None):
            if seed is not None:
                self._np_random = np.random.default_rng(seed)

        @property
        def np_random(self):
            if self._np_random is None:
                self._np_random = np.random.default_rng()
            return self._np_random

        @np_random.setter
        def np_random(self, value):
            self._np_random = value

        @property
        def unwrapped(self):
            return self

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.close()

    class VectorEnv(Env):
        """Stands in for gymnasium.vector.VectorEnv."""

        closed = False

        def close(self, **kwargs):
            if not self.closed:
                self.close_extras(**kwargs)
                self.closed = True

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


try:
    from gymnasium.vector import AutoresetMode
except ImportError:  # gymnasium before 1.1, or none

    class AutoresetMode(enum.Enum):
        """When a finished game begins its next episode, as gymnasium.vector.AutoresetMode."""

        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"


ID = "touchline/VSS-v0"
BOUND = 1.2  # of every number of an observation


def register():
    """Registers the environments with gymnasium, where a version with vectors of a registered class is installed."""
    if hasattr(gymnasium, "make_vec") and ID not in gymnasium.registry:
        gymnasium.register(ID, entry_point="touchline:VSSEnv", vector_entry_point="touchline:VSSVectorEnv")
