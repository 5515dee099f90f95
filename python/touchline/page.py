"""A page that shows a training while it runs: a picture of each game, and how the episodes end."""

import http.server
import json
import os
import pkgutil
import struct
import sys
import threading
import time
import zlib

import numpy as np

from .render import draw

ADDRESS = "127.0.0.1:8015"
POINTS = 400  # of the curve; a longer training has coarser ones
LOOPBACK = "127.0.0.1", "localhost", "::1"


def png(picture):
    """Returns a picture, height x width x 3, as a file."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with the number of its filter: none
    rows[:, 1:] = picture.reshape(height, -1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 1)) + \
        chunk(b"IEND", b"")


class Curve:
    """How episodes end over the time of a training: points of seconds, episodes, goals of blue, of yellow, rewards."""

    def __init__(self):
        self.points, self.every, self.begun = [], 1.0, time.monotonic()
        self.last, self.open = self.begun, np.zeros(4)

    def add(self, episodes, blue, yellow, reward):
        self.open += episodes, blue, yellow, reward
        now = time.monotonic()
        if now - self.last < self.every:
            return
        self.points.append([now - self.begun, *self.open.tolist()])
        self.last, self.open = now, np.zeros(4)
        if len(self.points) >= POINTS:
            pairs = zip(self.points[::2], self.points[1::2])
            self.points = [[b[0], *(x + y for x, y in zip(a[1:], b[1:]))] for a, b in pairs]
            self.every *= 2


class Page:
    """Serves the page of games until close. The environment calls note after each step."""

    def __init__(self, games, address):
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError(f"page {address!r}: want an address and a port, for example {ADDRESS!r}, or True")
        self.games, self.curve = games, Curve()
        self.steps, self.episodes, self._at = 0, 0, (self.curve.begun, 0)
        self._rewards = np.zeros(len(games.ends))
        self._server = self._listen(host.strip("[]"), int(port), address == ADDRESS)
        self.url = "http://{}:{}/".format(*self._server.server_address[:2])
        self._pid = os.getpid()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        print(f"touchline: the games are at {self.url}", file=sys.stderr)

    def _listen(self, host, port, other):
        """Returns the server. Where another port will do, it takes a free one if port is in use."""
        handler = type("Handler", (Handler,), {"page": self, "hosts": (*LOOPBACK, host)})
        try:
            return http.server.ThreadingHTTPServer((host, port), handler)
        except OSError as err:
            if other:
                return http.server.ThreadingHTTPServer((host, 0), handler)
            raise OSError(f"the page cannot be served at {host}:{port}: {err}; choose another address") from None

    def note(self):
        """Counts a step of all games."""
        g = self.games
        self._rewards += g.rewards[:, 0]
        self.steps += len(self._rewards)
        ended = g.ends.any(1)
        if ended.any():
            goals = g.terms[ended, 0, 0]
            self.episodes += len(goals)
            self.curve.add(len(goals), (goals > 0).sum(), (goals < 0).sum(), self._rewards[ended].sum())
            self._rewards[ended] = 0

    def state(self):
        """Returns the numbers of the page."""
        now, (before, steps) = time.monotonic(), self._at
        if now - before > 1:
            self._at = now, self.steps
        return {"games": len(self._rewards), "steps": self.steps,
                "rate": (self.steps - steps) / max(now - before, 1e-3), "episodes": self.episodes,
                "seconds": now - self.curve.begun, "points": self.curve.points}

    def picture(self, game):
        return png(draw(self.games.field, self.games.truth[game].copy()))

    def close(self):
        if os.getpid() == self._pid:  # a process that is forked has no thread to end
            self._server.shutdown()
        self._server.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one browser."""

    timeout = 10  # s, for a request
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        host = self.headers.get("Host", "").rpartition(":")[0].strip("[]")
        if host not in self.hosts:  # another site's name that leads to this machine
            return self._answer(403, "text/plain", b"open the page by the address that the program printed\n")
        name, games = self.path.partition("?")[0], len(self.page.games.ends)
        if name == "/":
            return self._answer(200, "text/html; charset=utf-8", pkgutil.get_data(__package__, "page.html"))
        if name == "/state.json":
            return self._answer(200, "application/json", json.dumps(self.page.state()).encode())
        number = name[len("/game/"):-len(".png")]
        if name == f"/game/{number}.png" and number.isdecimal() and len(number) < 7 and int(number) < games:
            return self._answer(200, "image/png", self.page.picture(int(number)))
        self._answer(404, "text/plain", b"not found\n")

    def _answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Requests are no news."""
