#!/usr/bin/env python3
"""Two stores synchronize with a server while all three are killed: `Scripts/sync-kills.py FIRELITE FIRELITE-SERVER [ROUNDS [SEED]]`.

Each round edits both stores, begins a sync of each, and kills one of the syncs, or the server, at a random moment; the server is then started again.
What somebody wrote must not get lost or doubled: at the end, syncs without kills make the stores and the server equal, every resource that was not deleted is
there with everything that was added to it, once, and the three files are sound.
"""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

if len(sys.argv) < 3:
    sys.exit(__doc__)
FIRELITE, SERVER = (os.path.abspath(path) for path in sys.argv[1:3])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 100
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
TOKEN = "0123456789abcdef0123456789abcdef"
rand = random.Random(SEED)
counts = {"server": 0, "sync": 0, "ended": 0}


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Place:
    """The folder with the files, and the server's process."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}/fhir"
        self.process = None
        self.write("token", TOKEN)
        self.write("credentials", json.dumps({"token": TOKEN}))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(os.open(self.path(name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)

    def start(self):
        command = [SERVER, "--database", self.path("server.sqlite"), "--release", "R4", "--history", "--port", str(self.port),
                   "--token-file", self.path("token")]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(self.base + "/metadata?_summary=true", timeout=60):
                    return
            except OSError:
                time.sleep(0.02)
        sys.exit("the server does not answer")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def tool(place, device, command, *arguments, text=None):
    return subprocess.run(
        [FIRELITE, command, "--database", place.path(f"{device}.sqlite"), *arguments], input=text, capture_output=True, text=True)


def sync(place, device):
    return subprocess.Popen(
        [FIRELITE, "sync", "--database", place.path(f"{device}.sqlite"), "--server", place.base, "--credentials", place.path("credentials"),
         "--plain-http", "--deadline", "5", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Model:
    """What was written: the tokens of each resource, in the order in which they were added."""

    def __init__(self):
        self.next = 0
        self.tokens = {}

    def edit(self, place, device):
        self.next += 1
        token = f"t{self.next}."
        known = [line for line in tool(place, device, "search", "Patient", "--format", "ndjson", "--limit", "1000").stdout.splitlines() if line]
        patients = [json.loads(line) for line in known]
        if patients and rand.random() < 0.6:
            patient = rand.choice(patients)
            patient.setdefault("identifier", []).append({"value": token})
            lines = [patient]
        else:
            patient = {"resourceType": "Patient", "id": f"{device}{self.next}", "identifier": [{"value": token}]}
            lines = [patient, {"resourceType": "Observation", "id": f"o{device}{self.next}", "status": "final", "code": {"text": "weight"},
                               "subject": {"reference": "Patient/" + patient["id"]}}]
        place.write("edit.ndjson", "\n".join(json.dumps(line) for line in lines) + "\n")
        result = tool(place, device, "import", place.path("edit.ndjson"))
        if result.returncode != 0:
            sys.exit(f"an edit failed: {result.stderr}")
        self.tokens.setdefault("Patient/" + patient["id"], []).append(token)
        if len(lines) > 1:
            self.tokens["Observation/" + lines[1]["id"]] = []


def contents(path):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([FIRELITE, "export", "--database", path, "--output", folder + "/out"], check=True, capture_output=True)
        found = {}
        for name in os.listdir(folder + "/out"):
            if not name.endswith(".ndjson"):
                continue
            with open(os.path.join(folder, "out", name)) as file:
                for line in file:
                    resource = json.loads(line)
                    resource.pop("meta", None)
                    found[resource["resourceType"] + "/" + resource["id"]] = resource
        return found


def round_of(place, model):
    for device in "ab":
        for _ in range(rand.randrange(3)):
            model.edit(place, device)
    running = {device: sync(place, device) for device in "ab"}
    time.sleep(rand.random() * 0.4)
    victim = rand.choice(["server", "a", "b"])
    if victim == "server":
        place.kill()
        counts["server"] += 1
        place.start()
    elif running[victim].poll() is None:
        running[victim].send_signal(signal.SIGKILL)
        counts["sync"] += 1
    else:
        counts["ended"] += 1
    for process in running.values():
        process.wait()


def main():
    with tempfile.TemporaryDirectory() as folder:
        place, model = Place(folder), Model()
        place.start()
        for device in "ab":
            tool(place, device, "import", "--release", "R4", "/dev/null")
        for number in range(ROUNDS):
            round_of(place, model)
        deadline = time.monotonic() + 900
        while True:
            codes = []
            for device in "ab" * 2:
                process = sync(place, device)
                codes.append(process.wait())
            found = {name: contents(place.path(f"{name}.sqlite")) for name in ["a", "b", "server"]}
            if not any(codes) and found["a"] == found["b"] == found["server"]:
                break
            if time.monotonic() > deadline:
                for name in "ab":
                    print(name, tool(place, name, "conflicts").stdout)
                differing = [key for key in found["server"] if not found["a"].get(key) == found["b"].get(key) == found["server"][key]]
                sys.exit(f"seed {SEED}: the stores differ: {codes} {differing[:5]}")
            time.sleep(1)
        server = found["server"]
        missing = set(model.tokens) - set(server)
        if missing or set(server) - set(model.tokens):
            sys.exit(f"seed {SEED}: lost {missing}, from nowhere {set(server) - set(model.tokens)}")
        for key, tokens in model.tokens.items():
            values = [item["value"] for item in server[key].get("identifier", [])]
            if sorted(values) != sorted(tokens):
                sys.exit(f"seed {SEED}: {key} has {values} and was given {tokens}")
        place.kill()
        for name in ["a", "b", "server"]:
            result = tool(place, name, "check")
            if result.returncode != 0:
                sys.exit(f"seed {SEED}: {name} is not sound: {result.stdout}{result.stderr}")
        print(f"sync-kills: passed: {ROUNDS} rounds, {counts['server']} kills of the server, {counts['sync']} of syncs "
              f"({counts['ended']} had ended), {len(server)} resources, {sum(map(len, model.tokens.values()))} additions, none lost or doubled")


main()
