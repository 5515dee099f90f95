"""Teams in network namespaces join a lobby over a bridge, and a stranger tries to disturb them.

python3 internal/match/bridgetest/run.py TOUCHLINE [--teams 4] [--namespaces 2] [--matches 2] [--half 3s] [--programs 1]

It needs Linux, root or user namespaces, and leaves nothing behind: the namespaces end with it. It exits with 1 if the table is
not the sum of the results, a match was not played to its end, or the stranger changed anything.
"""
import argparse, http.client, json, os, re, signal, struct, subprocess, sys, tempfile, time

KEY, LOBBY, PORT = "bridge-test-key-0", "10.77.0.1", 8014
p = argparse.ArgumentParser()
p.add_argument("touchline")
p.add_argument("--teams", type=int, default=4)
p.add_argument("--namespaces", type=int, default=2)
p.add_argument("--matches", type=int, default=2)
p.add_argument("--half", default="3s")
p.add_argument("--programs", type=int, default=1, help="teams that play with docs/team.py")
p.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
a = p.parse_args()

if not a.inside:                          # a network of its own
    flags = ["-n"] if os.geteuid() == 0 else ["-rn"]
    os.execvp("unshare", ["unshare", *flags, sys.executable, *sys.argv, "--inside"])

here = os.path.dirname(os.path.abspath(__file__))
logs = tempfile.TemporaryDirectory()
started = []

def ip(*args):
    subprocess.run(["ip", *args], check=True)

def start(name, command, namespace=None, **more):
    if namespace:
        command = ["nsenter", "-t", str(namespace.pid), "-n", *command]
    log = open(os.path.join(logs.name, name), "w")
    process = subprocess.Popen(command, stdout=more.pop("stdout", log), stderr=log, **more)
    started.append((name, process))
    return process

def namespace(number):
    """Returns a process in a network namespace of its own, which a cable connects to the bridge."""
    process = start(f"namespace {number}", ["unshare", "-n", "sleep", "infinity"])
    own = os.readlink("/proc/self/ns/net")
    while os.readlink(f"/proc/{process.pid}/ns/net") == own:
        time.sleep(0.01)
    inside = ["nsenter", "-t", str(process.pid), "-n", "ip"]
    ip("link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", str(process.pid))
    ip("link", "set", f"v{number}", "master", "br0", "up")
    for command in (f"address add 10.77.0.{10 + number}/24 dev eth0", "link set eth0 up", "link set lo up"):
        subprocess.run([*inside, *command.split()], check=True)
    return process

def get():
    connection = http.client.HTTPConnection(LOBBY, PORT, timeout=10)
    connection.request("GET", "/api/lobby")
    return json.load(connection.getresponse())

STRANGER = r"""
import http.client, json, socket, sys, time
lobby, port, magic = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
udp, n = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0
while True:
    for _ in range(20):
        c = http.client.HTTPConnection(lobby, port, timeout=10)
        body = json.dumps({"lobby": "x", "name": "evil %d" % n, "nonce": "n", "count": n, "robots": []}).encode()
        try:
            c.request("POST", "/api/lobby/join", body, {"Touchline-Signature": "00" * 32} if n % 2 else {})
            answer = c.getresponse()
        except (OSError, http.client.HTTPException):
            sys.exit(0)                   # the lobby has ended
        assert answer.status == 403
        n += 1
    for base in range(24000, 28000, 4):
        try:
            udp.sendto(magic, (lobby, base + 2))
        except OSError:
            pass                          # nobody listens there
    time.sleep(0.2)
"""

def crc32c(b):
    c = 0xFFFFFFFF
    for byte in b:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    return struct.pack("<I", c ^ 0xFFFFFFFF)

def motor():
    """Returns a motor command of robot 1 of team 1 that nobody signed."""
    payload = struct.pack("<BBI4fI4f", 1, 0, 1, 4, 0, 0, 1, 0, 0, 0, 0, 0)
    head = struct.pack("<3s9BIQQB3xIQ", b"TCM", 1, 0, 1, 1, 1, 2, 200, 2, 0, 2**31, 1, 1, 0, 0, 0)
    b = head + struct.pack("<BBHIQH", 0, 1, 7, 1, 1, len(payload)) + payload
    return b + crc32c(b)

def main():
    ip("link", "set", "lo", "up")
    ip("link", "add", "br0", "type", "bridge")
    ip("address", "add", LOBBY + "/24", "dev", "br0")
    ip("link", "set", "br0", "up")
    rooms = [namespace(n) for n in range(a.namespaces)]
    began = time.monotonic()
    result = open(os.path.join(logs.name, "result"), "w+")
    lobby = start("lobby", [a.touchline, "lobby", "--interface", "br0", "--key", KEY, "--teams", str(a.teams), "--wait-for",
                            str(a.teams), "--matches", str(a.matches), "--half", a.half, "--patience", "60s", "--json"], stdout=result)
    while True:
        try:
            get()
            break
        except OSError:
            assert lobby.poll() is None, "the lobby ended at once"
            time.sleep(0.1)
    away = namespace(99)
    wrong = subprocess.run(["nsenter", "-t", str(away.pid), "-n", a.touchline, "join", "--lobby", f"{LOBBY}:{PORT}", "--key",
                            "not-the-key-of-the-lobby", "--name", "evil"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "not signed" in wrong.stderr, wrong
    stranger = start("stranger", [sys.executable, "-c", STRANGER,
                                  LOBBY, str(PORT), motor().hex()], away)
    names = [f"team {n + 1}" for n in range(a.teams)]
    teams = []
    for n, name in enumerate(names):
        command = [a.touchline, "join", "--lobby", f"{LOBBY}:{PORT}", "--key", KEY, "--name", name]
        if n < a.programs:
            command += ["--", sys.executable, os.path.join(here, "../../../docs/team.py"), "{field}", "{team}", "{robots}"]
        teams.append(start(name, command, rooms[n % a.namespaces]))
    assert lobby.wait() == 0, "the lobby failed"
    seconds = time.monotonic() - began
    assert not stranger.poll(), "the stranger was let in"
    for process in teams:
        assert process.wait(60) == 0, "a team failed"
    stranger.kill()
    far(rooms[0], away)
    result.seek(0)
    check(json.load(result), names, seconds)

def far(room, away):
    """A robot on another machine takes one of a session over; a stranger's does not."""
    log = os.path.join(logs.name, "demo")
    demo = start("demo", [a.touchline, "demo", "--interface", "br0", "--http", LOBBY + ":0"])
    latest = time.monotonic() + 60
    while not (found := re.search(r"--field (\S+) --interface br0 --key (\S+)", open(log).read())):
        assert demo.poll() is None, "the demo ended at once"
        assert time.monotonic() < latest, "the demo prints no key: " + open(log).read()
        time.sleep(0.1)
    def robot(namespace, seconds, *key):
        command = [a.touchline, "robot", "--id", "3", "--field", found[1], "--interface", "eth0", "--duration", seconds, *key]
        return subprocess.run(["nsenter", "-t", str(namespace.pid), "-n", *command], capture_output=True, text=True)
    for key in ([], ["--key", "not-the-key-of-the-demo"]):
        stranger = robot(away, "3s", *key)
        assert stranger.returncode == 1 and "never answered" in stranger.stderr, stranger
    for seconds in ("6s", "60s"):         # a loaded machine takes longer
        ours = robot(room, seconds, "--key", found[2])
        if ours.returncode == 0 and all(f"peer=robot:{n}" in ours.stderr for n in (1, 2, 4, 5)):
            break
    else:
        raise AssertionError(ours)
    demo.send_signal(signal.SIGINT)
    assert demo.wait() == 0, "the demo failed"

def check(v, names, seconds):
    rows = {n: dict(played=0, won=0, drawn=0, lost=0, points=0, **{"for": 0, "against": 0}) for n in names}
    assert len(v["matches"]) == v["ended"] == a.matches, v
    for m in v["matches"]:
        assert m["over"] and not m["reason"], m
        for own, name in enumerate((m["home"], m["away"])):
            r, scored, got = rows[name], m["goals"][own], m["goals"][1 - own]
            r["played"] += 1
            r["for"] += scored
            r["against"] += got
            r["won" if scored > got else "lost" if scored < got else "drawn"] += 1
            r["points"] += 3 if scored > got else scored == got
        print(f"match {m['number']}: {m['home']} {m['goals'][0]} : {m['goals'][1]} {m['away']}")
    table = {r["name"]: {k: r[k] for k in rows[names[0]]} for r in v["table"]}
    assert table == rows, f"the table is\n{table}\nthe results are\n{rows}"
    refused = v["refused"]
    assert refused["unsigned"] and refused["forged"] and refused["datagrams"], refused
    assert not refused["invalid"] and not refused["tooMany"], refused
    least = a.matches * 2 // a.teams
    assert all(least <= r["played"] <= least + 1 for r in rows.values()), rows
    print(f"ok {len(names)} teams in {a.namespaces} namespaces, {a.matches} matches of 2 x {a.half} in {seconds:.0f} s, the table is "
          f"their sum; of a stranger refused: {refused['unsigned'] + refused['forged']} requests, {refused['datagrams']} datagrams")

try:
    main()
except BaseException:
    for name, _ in started:
        with open(os.path.join(logs.name, name)) as f:
            text = f.read()
        if text:
            print(f"--- {name}\n{text[-4000:]}", file=sys.stderr)
    raise
finally:
    for _, process in started:
        process.kill()
        process.wait()
    logs.cleanup()
