"""Faults of networks are built in network namespaces; touchline doctor must name each cause, and its fix must heal it.

python3 internal/doctor/doctortest/run.py TOUCHLINE [--quick] [--jobs 4] [CASE...]

It needs Linux, ip, tc, bridge, nft, and root or user namespaces. Each case has a network of its own, and no packet touches
the interfaces of this machine. It leaves nothing behind: the namespaces end with its processes. The printed fix runs as it
is; PORT, BRIDGE and IF in it stand for what only the owner of a switch or of the other machine knows. It exits with 1 if a
first cause is wrong, a fix does not heal, or a healthy network has a finding.
"""
import argparse, concurrent.futures, json, os, subprocess, sys, time

GROUP, PORT = "224.16.32.75", 2005
started = []

def start(command, namespace=None, **more):
    if namespace:
        command = ["nsenter", "-t", str(namespace), "-n", *command]
    process = subprocess.Popen(command, text=True, **more)
    started.append(process)
    return process

class Room:
    """A machine: a process in a network namespace, whose eth0 a cable connects to a bridge."""
    def __init__(self, name, address=None, bridge="br0", gateway=None, group=True):
        self.name, self.port = name, f"v{name}"
        process = start(["unshare", "-n", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{process.pid}/ns/net") == own:
            time.sleep(0.01)
        self.pid = process.pid
        self.sh("ip link set lo up")
        if address:
            self.cable("eth0", self.port, bridge, address)
        if gateway:
            self.sh(f"ip route add default via {gateway}")
        if address and group:
            self.sh("ip route add 224.0.0.0/4 dev eth0")

    def cable(self, name, port, bridge, address):
        sh(f"ip link add {port} type veth peer name {name} netns {self.pid} && ip link set {port} master {bridge} up")
        self.sh(f"ip address add {address} dev {name} && ip link set {name} up")

    def sh(self, text, check=True):
        return subprocess.run(["nsenter", "-t", str(self.pid), "-n", "sh", "-c", text], check=check, stdout=subprocess.DEVNULL)

    def python(self, text, *args):
        """Starts a program, and returns when it prints its first line."""
        process = start([sys.executable, "-c", text, *args], self.pid, stdout=subprocess.PIPE)
        assert process.stdout.readline(), "the helper ended at once"
        return process

    def serve(self):
        process = start([a.touchline, "doctor", "--serve", "--interface", "eth0"], self.pid, stdout=subprocess.PIPE)
        assert "serving on" in process.stdout.readline(), "the doctor does not serve"
        return process

    def doctor(self, *flags, iface="eth0"):
        command = ["nsenter", "-t", str(self.pid), "-n", a.touchline, "doctor", "--json", *flags]
        if iface:
            command += ["--interface", iface]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "container": "test"})
        assert done.returncode in (0, 1), done.stderr
        report = json.loads(done.stdout)
        assert report["ok"] == (done.returncode == 0) == (not report["findings"]), report
        return report

def sh(text):
    subprocess.run(["sh", "-c", text], check=True, stdout=subprocess.DEVNULL)

def switch(name="br0", address=None):
    sh(f"ip link add {name} type bridge && ip link set {name} type bridge mcast_snooping 0 && ip link set {name} up")
    if address:
        sh(f"ip address add {address} dev {name}")

SEND = f"""
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((sys.argv[1], 0))
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(sys.argv[2]))
data = bytes.fromhex(sys.argv[3]) if len(sys.argv) > 3 else b"a packet"
print("ready", flush=True)
while True:
    try:
        s.sendto(data, ("{GROUP}", {PORT}))
    except OSError:
        pass                               # the test takes its network away
    time.sleep(0.01)
"""
BIND = f"""
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == "reuseport":
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
if sys.argv[1] == "deaf":
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.bind(("", {PORT}))
if sys.argv[1] == "deaf":
    s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("{GROUP}") + socket.inet_aton("10.77.0.1"))
print("ready", flush=True)
time.sleep(1000)
"""

def two():
    """Two machines on one switch; the second serves."""
    switch(address="10.77.0.254/24")
    one, other = Room("a", "10.77.0.1/24", gateway="10.77.0.254"), Room("b", "10.77.0.2/24", gateway="10.77.0.254")
    other.serve()
    return one, other

def alone():
    switch(address="10.77.0.254/24")
    return Room("a", "10.77.0.1/24", gateway="10.77.0.254")

PAIR = ("--peer", "10.77.0.2")

def case(cause, *flags, quick=False, where=None):
    """Makes a function a case: it builds a fault and returns the machine on which the doctor runs. Without where, the fix runs
    there as it is. where runs it elsewhere, or does what the doctor says where no command helps."""
    def wrap(build):
        cases[build.__name__] = (build, cause, flags, quick, where)
        return build
    return wrap

cases = {}

@case("interface-down")
def interface_down():
    room = alone()
    room.sh("ip link set eth0 down")
    return room

@case("no-carrier", where=lambda fix, room: sh("ip link set va up"))
def no_carrier():
    room = alone()
    sh("ip link set va down")
    return room

@case("no-address")
def no_address():
    room = alone()
    room.sh("ip address flush dev eth0")
    return room

@case("no-route", quick=True)
def no_route():
    room = alone()
    room.sh("ip route del 224.0.0.0/4; ip route del default")
    return room

@case("no-route")
def blackhole():
    room = alone()
    room.sh("ip route del 224.0.0.0/4; ip route add unreachable 224.0.0.0/4")
    return room

@case("wrong-interface", quick=True)
def wrong_interface():
    room = alone()
    switch("br1")
    room.cable("eth1", "va1", "br1", "10.78.0.1/24")
    room.sh("ip route replace 224.0.0.0/4 dev eth1")
    return room

def tunnel(room, *routes):
    room.sh("ip tuntap add tun0 mode tun && ip address add 10.8.0.2/24 dev tun0 && ip link set tun0 up")
    for r in routes:
        room.sh(f"ip route add {r} dev tun0")

@case("vpn-route", quick=True)
def vpn_halves():
    room = alone()
    room.sh("ip route del 224.0.0.0/4")
    tunnel(room, "0.0.0.0/1", "128.0.0.0/1")
    return room

def nft(room, hook, rule, policy="accept", priority="filter", table="inet filter"):
    room.sh(f"nft add table {table} && nft 'add chain {table} {hook} {{ type filter hook {hook} priority {priority}; policy {policy}; }}'")
    if rule:
        room.sh(f"nft 'add rule {table} {hook} {rule}'")

@case("firewall-in", quick=True)
def firewall_port():
    room = alone()
    nft(room, "input", f"udp dport {PORT} drop")
    return room

@case("firewall-in")
def firewall_ingress():
    room = alone()
    room.sh(f"nft add table netdev t && nft 'add chain netdev t c {{ type filter hook ingress device eth0 priority 0; }}' && "
            f"nft add rule netdev t c udp dport {PORT} drop")
    return room

@case("firewall-in")
def firewall_policy():
    room = alone()
    nft(room, "input", "iifname lo accept", policy="drop")
    return room

@case("firewall-out", quick=True)
def firewall_out():
    room = alone()
    nft(room, "output", "ip daddr 224.0.0.0/4 drop", table="ip mine")
    return room

@case("port-taken", quick=True)
def port_taken():
    room = alone()
    room.python(BIND, "alone")
    return room

@case("port-shared", quick=True)
def port_shared():
    room = alone()
    room.python(BIND, "reuseport")
    room.python(BIND, "reuseport")
    return room

@case("memberships", quick=True)
def memberships():
    room = alone()
    room.sh("sysctl -w net.ipv4.igmp_max_memberships=0")
    return room

@case("small-mtu")
def small_mtu():
    room = alone()
    room.sh("ip link set dev eth0 mtu 1000")
    return room

@case("rp-filter", quick=True)
def reverse_path():
    switch()
    room, other = Room("a", "10.77.0.1/24"), Room("b", "10.77.0.2/24")
    room.sh("sysctl -w net.ipv4.conf.all.rp_filter=1")
    other.sh("ip address add 192.168.9.1/24 dev eth0")
    other.python(SEND, "192.168.9.1", "10.77.0.2")
    return room

@case("rp-filter")
def reverse_path_default():
    switch()
    switch("br1", "10.78.0.254/24")
    room, other = Room("a", "10.77.0.1/24"), Room("b", "10.77.0.2/24")
    room.cable("eth1", "va1", "br1", "10.78.0.1/24")
    room.sh("ip route add default via 10.78.0.254 && sysctl -w net.ipv4.conf.eth0.rp_filter=1")
    other.sh("ip address add 192.168.9.1/24 dev eth0")
    other.python(SEND, "192.168.9.1", "10.77.0.2")
    return room

def as_host(fix, room):
    assert fix == "docker run --network host", fix
    room.pid = room.host.pid                       # what this option does

@case("container-nat", quick=True, where=as_host)
def container():
    switch()
    host, other = Room("h", "10.77.0.1/24"), Room("b", "10.77.0.2/24")
    other.python(SEND, "10.77.0.2", "10.77.0.2")
    inside = Room("c")
    inside.host = host
    host.sh(f"ip link add docker0 type bridge && ip address add 172.17.0.1/16 dev docker0 && ip link set docker0 up && "
            f"ip link add vc type veth peer name eth0 netns {inside.pid} && ip link set vc master docker0 up && "
            "sysctl -w net.ipv4.ip_forward=1 && nft add table ip nat && "
            "nft 'add chain ip nat post { type nat hook postrouting priority srcnat; }' && "
            "nft add rule ip nat post ip saddr 172.17.0.0/16 masquerade")
    inside.sh("ip address add 172.17.0.2/16 dev eth0 && ip link set eth0 up && ip route add default via 172.17.0.1")
    return inside

def on_ports(fix, room):
    for port in ("va", "vb"):
        sh(fix.replace("PORT", port))

@case("isolated", *PAIR, quick=True, where=on_ports)
def isolated():
    room, _ = two()
    sh("bridge link set dev va isolated on && bridge link set dev vb isolated on")
    return room

def serves(fix, room):
    assert fix == "touchline doctor --serve --interface IF", fix
    room.other.serve()

@case("peer-silent", *PAIR, where=serves)
def peer_silent():
    switch()
    room, room.other = Room("a", "10.77.0.1/24"), Room("b", "10.77.0.2/24")
    return room

@case("peer-absent", *PAIR, where=lambda fix, room: room.other.sh("ip link set eth0 up && ip route add 224.0.0.0/4 dev eth0"))
def peer_absent():
    switch()
    room, room.other = Room("a", "10.77.0.1/24"), Room("b", "10.77.0.2/24")
    room.other.serve()
    room.other.sh("ip link set eth0 down")
    return room

def same_network(fix, room):
    room.other.sh("ip address flush dev eth0 && ip address add 10.77.0.2/24 dev eth0 && ip route replace 224.0.0.0/4 dev eth0")
    sh("ip link set vb master br0")
    room.flags = PAIR
    room.serving.kill()
    room.serving.wait()
    room.other.serve()

@case("other-network", "--peer", "10.78.0.2", where=same_network)
def router():
    switch(address="10.77.0.254/24")
    switch("br1", "10.78.0.254/24")
    sh("sysctl -w net.ipv4.ip_forward=1")
    room = Room("a", "10.77.0.1/24", gateway="10.77.0.254")
    room.other = Room("b", "10.78.0.2/24", bridge="br1", gateway="10.78.0.254")
    room.serving = room.other.serve()
    return room

@case("fragments-dropped", *PAIR)
def fragments_memory():
    room, _ = two()
    room.sh("sysctl -w net.ipv4.ipfrag_low_thresh=0 net.ipv4.ipfrag_high_thresh=1")
    return room

@case("fragments-dropped", *PAIR, quick=True)
def fragments_rule():
    room, _ = two()
    nft(room, "prerouting", "ip frag-off & 0x3fff != 0 drop", priority="-450", table="ip raw")
    return room

@case("loss", *PAIR, quick=True)
def loss():
    room, _ = two()
    nft(room, "input", f"ip saddr 10.77.0.2 udp dport {PORT} numgen random mod 10 < 4 drop")
    return room

@case("multicast-blocked", *PAIR)
def multicast_blocked():
    room, _ = two()
    nft(room, "input", "ip saddr 10.77.0.2 ip daddr 224.0.0.0/4 drop")
    return room

@case("duplicates", *PAIR, where=lambda fix, room: sh("tc qdisc del dev vb clsact"))
def duplicates():
    room, _ = two()
    sh("tc qdisc add dev vb clsact && tc filter add dev vb protocol all ingress u32 match u32 0 0 action mirred egress mirror dev va")
    return room

@case("snooping", *PAIR, "--snooping=15s", where=lambda fix, room: sh(fix.replace("BRIDGE", "br0") + "; sleep 4"))
def snooping():
    switch(address="10.77.0.254/24")
    sh("ip link set br0 type bridge mcast_snooping 1 mcast_querier 1 mcast_startup_query_interval 20 mcast_query_interval 100 "
       "mcast_query_response_interval 50 mcast_membership_interval 300 mcast_querier_interval 300")
    room, other = Room("a", "10.77.0.1/24", gateway="10.77.0.254"), Room("b", "10.77.0.2/24", gateway="10.77.0.254")
    time.sleep(3)                                  # until then a bridge floods
    for port in ("va", "vb"):
        sh(f"bridge link set dev {port} mcast_flood off")
    other.serve()
    start(["sh", "-c", "sleep 8; ip link set br0 type bridge mcast_querier 0"])    # while the doctor waits
    return room

@case("duplicate-robot", where=lambda fix, room: (room.twin.kill(), room.twin.wait()))
def duplicate_robot():
    room, other = two()
    third = Room("c", "10.77.0.3/24")
    unused = "0080" * 6 + "00"
    package = "7b0200000000002702" + unused * 3 + ("0080" * 4 + "00") * 12 + "00" * 13
    other.python(SEND, "10.77.0.2", "10.77.0.2", package)
    room.twin = third.python(SEND, "10.77.0.3", "10.77.0.3", package)
    return room

def renumber(fix, room):
    room.twin.sh("ip address flush dev eth0 && ip address add 10.77.0.4/24 dev eth0")
    room.sh("ip neighbour flush all")

@case("duplicate-address", where=renumber)
def duplicate_address_of_others():
    room, other = two()
    room.twin = Room("c", "10.77.0.2/24")
    for r in (other, room.twin):
        r.python(SEND, "10.77.0.2", "10.77.0.2")
    return room

@case("duplicate-address", *PAIR, where=renumber)
def duplicate_address_of_this():
    room, _ = two()
    room.twin = Room("c", "10.77.0.1/24")
    return room

@case("loss", *PAIR, where=lambda fix, room: sh("tc qdisc del dev va root"))
def slow_link():
    room, _ = two()
    sh("tc qdisc add dev va root tbf rate 400kbit burst 4kb latency 50ms")
    return room

@case("buffer", where=lambda fix, room: (room.deaf.kill(), room.deaf.wait()))
def buffer():
    room, other = two()
    room.deaf = room.python(BIND, "deaf")
    other.python(SEND, "10.77.0.2", "10.77.0.2")
    return room

def healthy(build):
    cases["healthy_" + build.__name__] = (build, None, (), True, None)
    return build

@healthy
def loopback():
    room = Room("a")
    room.iface = None
    return room

@healthy
def cable():
    return alone()

@healthy
def cable_and_wifi():
    switch("br1", "10.78.0.254/24")
    switch(address="10.77.0.254/24")
    room = Room("a", "10.77.0.1/24", group=False)
    room.cable("wlan0", "vw", "br1", "10.78.0.1/24")
    room.sh("ip route add default via 10.77.0.254 metric 100 && ip route add default via 10.78.0.254 metric 600")
    return room

@healthy
def container_host():
    room = alone()
    room.sh("ip route del 224.0.0.0/4 && ip link add docker0 type bridge && ip address add 172.17.0.1/16 dev docker0 && "
            "ip link set docker0 up && nft add table ip nat && "
            "nft 'add chain ip nat post { type nat hook postrouting priority srcnat; }'")
    return room

@healthy
def split_tunnel():
    room = alone()
    tunnel(room, "10.99.0.0/16")
    return room

def pair():
    return two()[0]
cases["healthy_pair"] = (pair, None, PAIR, True, None)

def play(name):
    build, cause, flags, _, where = cases[name]
    room = build()
    room.flags, iface = flags, getattr(room, "iface", "eth0")
    report = room.doctor(*room.flags, iface=iface)
    if not cause:
        assert report["ok"], json.dumps(report, indent=1)
        return f"{name}: 0 findings, {report['seconds']:.1f} s"
    first = report["findings"] and report["findings"][0]
    assert first and first["cause"] == cause, f"want {cause}: " + json.dumps(report, indent=1)
    text = f"{name}: {cause}, {report['seconds']:.1f} s; {first['fix'] or first['where']}"
    for _ in range(3):
        if where and first["cause"] == cause:
            where(first["fix"], room)
        else:
            room.sh(first["fix"])
        time.sleep(0.2)
        report = room.doctor(*room.flags, iface=iface)
        assert cause not in [f["cause"] for f in report["findings"]], "not healed: " + json.dumps(report, indent=1)
        if report["ok"]:
            return text + ": healed"
        first = report["findings"][0]
    raise AssertionError("still ill: " + json.dumps(report, indent=1))

def main():
    names = a.cases or [n for n, c in cases.items() if c[3] or not a.quick]
    flags = ["-n"] if os.geteuid() == 0 else ["-rn"]
    def one(name):
        command = ["unshare", *flags, sys.executable, __file__, a.touchline, name, "--inside"]
        return name, subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    began, failed = time.monotonic(), []
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for name, done in pool.map(one, names):
            print(done.stdout, end="", flush=True)
            if done.returncode:
                failed.append(name)
    faults = [n for n in names if cases[n][1]]
    sick = [n for n in faults if n in failed]
    verbatim = [n for n in faults if not cases[n][4] and n not in failed]
    print(f"{'FAILED' if failed else 'ok'} {len(faults) - len(sick)} of {len(faults)} faults named and healed, {len(verbatim)} by the "
          f"printed command as it is, "
          f"{len(failed) - len(sick)} of {len(names) - len(faults)} healthy networks with a finding, {time.monotonic() - began:.0f} s"
          + (": " + ", ".join(failed) if failed else ""))
    sys.exit(bool(failed))

p = argparse.ArgumentParser()
p.add_argument("touchline")
p.add_argument("cases", nargs="*")
p.add_argument("--quick", action="store_true")
p.add_argument("--jobs", type=int, default=4)
p.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
a = p.parse_args()
if not a.inside:
    main()
try:
    print(play(a.cases[0]))
except BaseException as e:
    print(f"--- {a.cases[0]}: {e!r}".replace("\\n", "\n"))
    sys.exit(1)
finally:
    for process in started:
        process.kill()
        process.wait()
