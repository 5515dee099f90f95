"""The link to the games: a process of `touchline learn`, and the memory that it shares."""

import base64
import json
import mmap
import os
import select
import subprocess

import numpy as np

from . import program

VERSION = 1
MAGIC = b"TLLEARN1"
LOOKS = 100  # for the answer of few games, about 0.1 ms, before the program sleeps; many need the processor themselves
FEW = 8
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


class State:
    """A saved state of a game. It lives as long as its Games and itself; a pickled one is its bytes, which Games with the
    same options restore in any process."""

    def __init__(self, games, number):
        self._games, self.number, self._bytes = games, number, None

    def __reduce__(self):
        if self._bytes is None and not self._games.running:
            raise RuntimeError("the games of this state have ended: pickle it before close")
        return _state, (self._bytes or self._games.export(self.number),)

    def __del__(self):
        if self._games and self._games.running:
            self._games.forget(self.number)


def _state(data):
    """Returns a State of its bytes, which is of no Games yet."""
    state = State(None, 0)
    state._bytes = data
    return state


class Games:
    """Games of one process, side by side.

    The arrays are views of the shared memory: `actions` (float32, games x sides x agents x 2) is the program's, all
    others are the games': `observations`, `final_observations`, `rewards`, `terms`, `ends` (terminated, truncated),
    `truth`, `episodes`; `seeds` and `mask` say what reset does. Keyword arguments are those of docs/learning.md.
    """

    def __init__(self, **config):
        self.running = False
        self._dropped = []
        self._looks = 0
        self._pid = os.getpid()
        self._process = subprocess.Popen(
            [program.find(), "learn"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # Ctrl-C reaches this program alone; the games end with it
        )
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        try:
            self._open(config)
        except BaseException:
            self.close()
            raise
        self.running = True

    def _open(self, config):
        try:
            text = json.dumps(config, allow_nan=False)
        except (TypeError, ValueError) as err:
            raise ValueError(f"options that JSON cannot hold: {err}") from None
        self._write(text.encode() + b"\n")
        answer = self._line(ValueError)
        if answer["version"] != VERSION:
            raise RuntimeError(f"touchline has version {answer['version']} of the games, this package {VERSION}: "
                               "install both from the same sources")
        self.field = {key: answer[key] for key in ("length", "width", "goal", "depth", "area", "circle", "cut")}
        self.term_names, self.wheel = answer["terms"], answer["wheel"]
        with open(answer["block"], "r+b") as file:
            os.remove(answer["block"])
            self._memory = mmap.mmap(file.fileno(), answer["size"])
        if self._memory[:8] != MAGIC or int.from_bytes(self._memory[8:12], "little") != VERSION:
            raise RuntimeError(f"{answer['block']} is no block of version {VERSION}")
        if config.get("games", 1) < FEW and CORES > 1:
            self._looks = LOOKS
            os.set_blocking(self._out, False)
        for a in answer["arrays"]:
            count = int(np.prod(a["shape"]))
            array = np.frombuffer(self._memory, "<" + a["type"], count, a["offset"]).reshape(a["shape"])
            setattr(self, a["name"], array)

    def step(self):
        """Lets all games do a step with their actions. Raises ValueError if one is not finite; then none does."""
        self._command(b"s")

    def reset(self):
        """Lets the games of the mask begin the first episode of their seeds."""
        self._command(b"r")

    def save(self, game=0):
        """Returns the State of a game."""
        return State(self, self._ask({"save": int(game)}))

    def restore(self, state, game=0):
        """Sets a game to a State of games with the same options."""
        if state._games is not self:
            data = state.__reduce__()[1][0]
            state = State(self, self._ask({"import": base64.b64encode(data).decode()}))
        self._ask({"restore": state.number, "game": int(game)})

    def export(self, number):
        """Returns the bytes of a state."""
        return base64.b64decode(self._ask({"export": number}))

    def start(self, positions):
        """Sets the start positions of the next resets, a dict; None: those of the configuration."""
        self._ask({"start": positions})

    def forget(self, number):
        """Drops a state at the next request: a destructor must not write between a command and its answer."""
        self._dropped.append(number)

    def _ask(self, request):
        while self._dropped:
            self._line_of({"drop": self._dropped.pop()})
        return self._line_of(request)

    def _line_of(self, request):
        self._write(json.dumps(request, allow_nan=False).encode() + b"\n")
        return self._line(ValueError)["ok"]

    def _command(self, command):
        self._write(command)
        answer = self._read(1)
        if answer != b".":
            self._line(ValueError, answer)

    def _write(self, data):
        if os.getpid() != self._pid:
            raise RuntimeError("these games belong to another process; make them in the process that uses them")
        try:
            while data:
                data = data[os.write(self._in, data):]
        except BrokenPipeError:
            self._ended()

    def _read(self, size):
        data = None
        for _ in range(self._looks):  # waking a sleeping thread takes longer than a step of one game
            try:
                data = os.read(self._out, size)
                break
            except BlockingIOError:
                pass
        while data is None:
            if self._looks:
                select.select([self._out], [], [])
            try:
                data = os.read(self._out, size)
            except BlockingIOError:
                pass
        if not data:
            self._ended()
        return data

    def _ended(self):
        self.running = False
        code = self._process.wait()
        raise RuntimeError(f"touchline learn ended with {code}; its message is on standard error") from None

    def _line(self, error, begun=b""):
        """Reads a line of JSON. An error of the games is raised as error."""
        while not begun.endswith(b"\n"):
            begun += self._read(1 << 16)
        answer = json.loads(begun)
        if "error" in answer:
            raise error(answer["error"])
        return answer

    def close(self):
        """Ends the process of the games."""
        self.running = False
        if os.getpid() != self._pid:
            return
        self._process.stdin.close()
        self._process.stdout.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __del__(self):
        if getattr(self, "_process", None):
            self.close()
