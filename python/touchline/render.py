"""Draws a game as a picture."""

import functools

import numpy as np

SCALE = 300  # pixels a metre
EDGE = 0.03  # m around the goals and the touch lines
FLOOR, WALL, LINE, BALL = (38, 40, 44), (112, 112, 118), (205, 208, 212), (255, 140, 30)
TEAMS = (50, 110, 255), (255, 215, 40)  # blue, yellow
TAGS = (235, 60, 60), (60, 200, 90), (220, 80, 220), (80, 220, 230), (255, 255, 255)  # of the ids
SIDE, RADIUS = 0.075, 0.0215  # m: edge of a robot, radius of the ball


def _grid(field):
    """Returns x and y in m of each pixel of the picture."""
    x = np.arange(-(field["length"] / 2 + field["depth"] + EDGE), field["length"] / 2 + field["depth"] + EDGE, 1 / SCALE)
    y = np.arange(field["width"] / 2 + EDGE, -(field["width"] / 2 + EDGE), -1 / SCALE)
    return x[None, :], y[:, None]


@functools.lru_cache(maxsize=2)
def _empty(field):
    """Returns the picture of an empty field."""
    field = dict(field)
    area_length, area_width = field["area"]
    x, y = _grid(field)
    ax, ay = abs(x), abs(y)
    length, width = field["length"] / 2, field["width"] / 2
    inside = (ax <= length) & (ay <= width) & (ax + ay <= length + width - field["cut"])
    goal = (ax > length) & (ax <= length + field["depth"]) & (ay <= field["goal"] / 2)
    picture = np.empty((*inside.shape, 3), np.uint8)
    picture[:] = WALL
    picture[inside | goal] = FLOOR
    thick = 0.004
    area_x, area_y = length - area_length, area_width / 2
    lines = abs(x + 0 * y) < thick / 2
    lines |= abs(np.hypot(x, y) - field["circle"]) < thick / 2
    lines |= (abs(ax - area_x) < thick / 2) & (ay <= area_y)
    lines |= (abs(ay - area_y) < thick / 2) & (ax >= area_x)
    lines |= (abs(ax - length) < thick / 2) & (ay <= field["goal"] / 2)
    picture[lines & inside] = LINE
    return picture


def draw(field, truth):
    """Returns a picture of a game, height x width x 3, uint8. truth is the true state of Games."""
    key = tuple((k, tuple(v.values()) if isinstance(v, dict) else v) for k, v in field.items())
    picture = _empty(key).copy()
    x, y = _grid(field)
    robots = truth[6:].reshape(2, -1, 7)
    for team in range(2):
        for number, (on, px, py, heading, *_) in enumerate(robots[team]):
            if on:
                _robot(picture, x, y, (px, py, heading), TEAMS[team], TAGS[number])
    _fill(picture, x, y, (truth[0], truth[1]), RADIUS, lambda dx, dy: np.hypot(dx, dy) <= RADIUS, BALL)
    return picture


def _robot(picture, x, y, pose, color, tag):
    cos, sin = np.cos(pose[2]), np.sin(pose[2])

    def turned(dx, dy):
        return dx * cos + dy * sin, dy * cos - dx * sin

    def body(dx, dy):
        u, v = turned(dx, dy)
        return np.maximum(abs(u), abs(v)) <= SIDE / 2

    def front(dx, dy):  # the half that faces forwards has the colour of the id
        u, v = turned(dx, dy)
        return (u >= 0.005) & (u <= SIDE / 2 - 0.008) & (abs(v) <= SIDE / 2 - 0.008)

    _fill(picture, x, y, pose, SIDE, body, color)
    _fill(picture, x, y, pose, SIDE, front, tag)


def _fill(picture, x, y, at, reach, shape, color):
    """Colours the pixels of a shape within reach of a place."""
    left, right = np.searchsorted(x[0], (at[0] - reach, at[0] + reach))
    top, bottom = np.searchsorted(-y[:, 0], (-at[1] - reach, -at[1] + reach))
    part = picture[top:bottom, left:right]
    part[shape(x[:, left:right] - at[0], y[top:bottom] - at[1])] = color
