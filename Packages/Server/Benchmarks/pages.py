#!/usr/bin/env python3
"""Asks the server for every page of a store, and prints the time of the answers: pages.py SERVER DATABASE [ROUNDS].

Each line has the median and the longest time in milliseconds, and the size of the page as it is and packed. The first request of a page, which finds
nothing in memory, is on its own. With PyPI's `datasette` in the path, its page of a table is measured beside the list of the same rows.
"""
import gzip
import http.client
import json
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse


class Asked:
    """A connection to a server."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path, **fields):
        start = time.perf_counter()
        self.connection.request("GET", path, headers={"Accept-Encoding": "identity", **fields})
        answer = self.connection.getresponse()
        data = answer.read()
        return answer.status, data, 1_000 * (time.perf_counter() - start)

    def measure(self, name, path, rounds):
        status, data, first = self.get(path)
        times = [self.get(path)[2] for _ in range(rounds)]
        print(f"{name:34} {status} first {first:6.1f}  median {statistics.median(times):6.1f}  longest {max(times):6.1f} ms   "
              f"{len(data) / 1024:6.1f} KB, {len(gzip.compress(data)) / 1024:5.1f} packed", flush=True)
        return max([first] + times)


def paths(asked):
    """The pages: the patient is the one with most observations, or of some observation where the console may not count so many."""
    def found(path):
        return [entry["resource"] for entry in json.loads(asked.get(path)[1]).get("entry", [])]

    def ids(path):
        return [resource["id"] for resource in found(path)]

    statement = ("SELECT subject_reference, count(*) AS n FROM Observation WHERE subject_reference LIKE 'Patient/%' "
                 "GROUP BY 1 ORDER BY 2 DESC LIMIT 1")
    page = asked.get("/browse/console?kind=sql&text=" + urllib.parse.quote(statement))[1].decode()
    if "<tbody" in page:
        patient = page[page.index("Patient/", page.index("<tbody")) + 8:][:36]
    else:
        patient = found("/fhir/Observation?_count=1")[0]["subject"]["reference"].split("/")[1]
    observation = ids("/fhir/Observation?_count=1&_elements=id")[0]
    provenance = ids("/fhir/Provenance?_count=1&_elements=id")
    result = {"overview": "/browse"}
    for kind in ["Patient", "Observation", "Claim", "ExplanationOfBenefit", "Provenance"]:
        result[f"list of {kind}"] = f"/browse/{kind}"
    result |= {
        "list, filtered by patient": f"/browse/Observation?patient={patient}", "list, filtered and sorted": "/browse/Observation?status=final&_sort=-date",
        "list, by code": "/browse/Observation?code=8867-4", "list, a name": "/browse/Patient?name=a", "list of 200": "/browse/Observation?_count=200",
        "list, sorted by code": "/browse/Observation?_sort=code", "list, a text": "/browse/Condition?code:text=dis",
    }
    for name in ["", "/timeline", "/elements", "/references", "/graph", "/versions", "/trail"]:
        result[f"patient{name}"] = f"/browse/Patient/{patient}{name}"
    for name in ["", "/elements", "/references", "/graph"]: result[f"observation{name}"] = f"/browse/Observation/{observation}{name}"
    if provenance:
        for name in ["", "/elements", "/references", "/graph"]: result[f"long provenance{name}"] = f"/browse/Provenance/{provenance[0]}{name}"
    quote = urllib.parse.quote
    result |= {
        "console": "/browse/console", "console, search": "/browse/console?kind=search&text=" + quote("Patient?gender=female"),
        "console, search all": "/browse/console?kind=search&text=" + quote("Observation?status=final"),
        "console, SQL": "/browse/console?kind=sql&text=" + quote("SELECT status, count(*) FROM Encounter GROUP BY 1"),
        "console, FHIRPath": "/browse/console?kind=fhirpath&text=name.given&on=" + quote(f"Patient/{patient}"),
        "console, view": "/browse/console?kind=view", "schema": "/browse/schema", "schema of Observation": "/browse/schema?type=Observation",
        "changes": "/browse/changes", "searches": "/browse/searches", "state": "/browse/state",
    }
    return result


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def datasette(database, rounds, program):
    port = free_port()
    process = subprocess.Popen([program, "serve", "-i", database, "--port", str(port), "--setting", "num_sql_threads", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    asked = Asked(port)
    for _ in range(200):
        try:
            asked.get("/")
            break
        except OSError:
            time.sleep(0.1)
            asked = Asked(port)
    name = urllib.parse.quote(database.rsplit("/", 1)[-1].rsplit(".", 1)[0])
    for title, query in [("50 rows", "?_size=50"), ("sorted", "?_size=50&_sort_desc=effective_date"), ("filtered", "?_size=50&status__exact=final")]:
        asked.measure(f"datasette, Observation, {title}", f"/{name}/Observation{query}", rounds)
    process.terminate()
    process.wait()


def main(server, database, rounds):
    process = subprocess.Popen([server, "--database", database, "--read-only", "--port", "0", "--no-authorization"], stdout=subprocess.PIPE, text=True)
    port = urllib.parse.urlsplit(process.stdout.readline().split()[-1]).port
    asked = Asked(port)
    try:
        longest = max(asked.measure(name, path, rounds) for name, path in paths(asked).items())
        with open(f"/proc/{process.pid}/status") as file:
            memory = next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
        print(f"longest {longest:.1f} ms, memory {memory:.0f} MB at most")
    finally:
        process.terminate()
        process.wait()
    if program := shutil.which("datasette"):
        datasette(database, rounds, program)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: pages.py SERVER DATABASE [ROUNDS]")
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10)
