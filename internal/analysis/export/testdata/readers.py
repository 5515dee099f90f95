"""Reads exports with the programs of analysts, and prints what they found as JSON.

Usage: readers.py LIBRARIES TRACAB STATSBOMB CDF. LIBRARIES is a folder with kloppy, floodlight, mplsoccer and
common-data-format-validator; the others are folders of an export.
"""
import collections, glob, json, math, os, sys

libraries, tracab_dir, statsbomb_dir, cdf_dir = sys.argv[1:]
for name in ("kloppy", "floodlight", "mplsoccer"):
    sys.path.insert(0, os.path.join(libraries, name))
result = {}

from kloppy import statsbomb, tracab

match = tracab.load(meta_data=tracab_dir + "/tracab.json", raw_data=tracab_dir + "/tracab.dat", coordinates="tracab")
fixed = match.transform(to_orientation="STATIC_HOME_AWAY")
keepers = collections.defaultdict(list)
for frame in fixed.records:
    for player, data in frame.players_data.items():
        if player.jersey_no == 1:
            keepers[f"{player.team.ground} {frame.period.id}"].append(data.coordinates.x / 100)


def point(values):
    """Returns coordinates in m; None for a place that is not known."""
    values = [float(value) / 100 for value in values]
    return None if any(map(math.isnan, values)) else values


def kloppy_frame(frame):
    ball = frame.ball_coordinates
    return {
        "id": frame.frame_id,
        "alive": frame.ball_state.value == "alive",
        "owner": frame.ball_owning_team and frame.ball_owning_team.ground.value,
        "ball": ball and point([ball.x, ball.y, ball.z]),
        "robots": {
            f"{player.team.ground} {player.jersey_no}": point([data.coordinates.x, data.coordinates.y])
            for player, data in frame.players_data.items()
        },
    }


result["kloppyFrames"] = [kloppy_frame(frame) for frame in match.records]
result["kloppyTracab"] = {
    "frames": len(match.records),
    "length": match.metadata.pitch_dimensions.pitch_length,
    "width": match.metadata.pitch_dimensions.pitch_width,
    "periods": len(match.metadata.periods),
    "alive": sum(frame.ball_state.value == "alive" for frame in match.records),
    "keepers": {key: sum(all) / len(all) for key, all in keepers.items()},
}

from floodlight.io.tracab import read_position_data_dat

xy, possession, status, sheets, pitch = read_position_data_dat(tracab_dir + "/tracab.dat", tracab_dir + "/tracab.json")
result["floodlight"] = {
    "length": pitch.length,
    "width": pitch.width,
    "frames": {half: len(teams["Ball"].xy) for half, teams in xy.items()},
    "robots": [len(sheets[team].teamsheet) for team in ("Home", "Away")],
}

frames = []
meta = json.load(open(tracab_dir + "/tracab.json"))
for number, (half, teams) in enumerate(xy.items(), 1):
    for i in range(len(teams["Ball"].xy)):
        # An array has a row for each number of a frame, also for frames that are not in the file: they have no robots.
        robots = {}
        for team in ("Home", "Away"):
            sheet = sheets[team].teamsheet
            for jersey, column in zip(sheet["jID"], sheet["xID"]):
                at = point(teams[team].xy[i, 2 * column : 2 * column + 2])
                if at:
                    robots[f"{team.lower()} {int(jersey)}"] = at
        if robots:
            frames.append({
                "id": meta[f"Phase{number}StartFrame"] + i,
                "alive": str(status[half].code[i]) == "A",
                "owner": {"H": "home", "A": "away"}[str(possession[half].code[i])],
                "ball": point(teams["Ball"].xy[i]),
                "robots": robots,
            })
result["floodlightFrames"] = frames

events = glob.glob(statsbomb_dir + "/events/*.json")[0]
lineups = glob.glob(statsbomb_dir + "/lineups/*.json")[0]
data = statsbomb.load(event_data=events, lineup_data=lineups)
kinds = collections.Counter(str(event.event_type.name) for event in data.events)
result["kloppyStatsBomb"] = {"periods": len(data.metadata.periods), "passes": kinds["PASS"], "shots": kinds["SHOT"], "cards": kinds["CARD"],
                             "substitutions": kinds["SUBSTITUTION"], "fouls": kinds["FOUL_COMMITTED"]}

from mplsoccer import Sblocal

table = Sblocal().event(events)[0]
result["mplsoccer"] = {
    "passes": int((table.type_name == "Pass").sum()),
    "shots": int((table.type_name == "Shot").sum()),
    "robots": len(Sblocal().lineup(lineups)),
}

import jsonschema

schemas = glob.glob(libraries + "/common-data-format-validator/cdf/files/v0.2.3/schema")[0]
for name, file in {"meta": "meta.json", "tracking": "tracking.jsonl", "event": "event.jsonl"}.items():
    checker = jsonschema.Draft7Validator(json.load(open(f"{schemas}/{name}.json")))
    text = open(f"{cdf_dir}/{file}").read()
    values = [text] if file.endswith(".json") else text.splitlines()
    result[name] = [len(values), sum(not checker.is_valid(json.loads(value)) for value in values)]

print(json.dumps(result))
