#!/usr/bin/env python3
"""Measures what the server does with much data, beside the tool: bulk.py FIRELITE SERVER FOLDER [WORKLOAD…].

FIRELITE and SERVER are the programs of a release build, FOLDER has NDJSON files of R4. The workloads are import, export, transaction and answers;
all unless some are named. Each line has the seconds of wall and processor time, the ratio of the rates, and the memory of the server at most.
"""
import functools
import glob
import http.client
import http.server
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

MEGABYTE = 1 << 20
TRANSACTION_BYTES = 60 * MEGABYTE


class Server:
    """The server as a process, on a store."""

    def __init__(self, program, database, *arguments):
        self.process = subprocess.Popen(
            [program, "--database", database, "--release", "R4", "--port", "0", "--no-authorization", *arguments], stdout=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().split()[-1]
        self.address = urllib.parse.urlsplit(self.base)
        # The next line names the pages.
        self.process.stdout.readline()
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def send(self, method, path, body=None, **fields):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=600)
        target = path if path.startswith("http") else self.base + path
        parts = urllib.parse.urlsplit(target)
        connection.request(method, parts.path + (f"?{parts.query}" if parts.query else ""), body, {k.replace("_", "-"): v for k, v in fields.items()})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data

    def wait(self, job):
        while True:
            status, _, data = self.send("GET", job)
            if status != 202:
                if status != 200:
                    sys.exit(f"the job failed: {status} {data[:500]}")
                return json.loads(data)
            time.sleep(0.02)

    @property
    def memory(self):
        """The resident memory at most, in megabytes."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))

    @property
    def processor(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def tool(*arguments):
    """Runs the tool; returns its seconds of wall and processor time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(name, own, other, server, note=""):
    print(f"{name:12} tool {own[0]:6.2f} s ({own[1]:6.2f} s of CPU)   server {other[0]:6.2f} s ({other[1]:6.2f})   "
          f"rate {own[0] / other[0]:4.2f} of the tool's   {server.memory:4.0f} MB at most   {note}", flush=True)


def imports(firelite, program, files, folder):
    own = tool(firelite, "import", "--database", f"{folder}/tool.sqlite", "--release", "R4", "--quiet", *files)
    source = os.path.dirname(files[0])
    handler = functools.partial(QuietHandler, directory=source)
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{web.server_address[1]}"
    server = Server(program, f"{folder}/server.sqlite", "--import-from", origin)
    manifest = {"inputFormat": "application/fhir+ndjson", "inputSource": origin,
                "input": [{"type": os.path.basename(f).split(".")[0], "url": f"{origin}/{os.path.basename(f)}"} for f in files]}
    processor, start = server.processor, time.monotonic()
    status, headers, data = server.send("POST", "/$import", json.dumps(manifest), Prefer="respond-async", Content_Type="application/json")
    if status != 202:
        sys.exit(f"$import: {status} {data[:500]}")
    result = server.wait(headers["Content-Location"])
    other = time.monotonic() - start, server.processor - processor
    report("$import", own, other, server, f"{sum(o['count'] for o in result['output'])} resources")
    server.end()
    web.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def exports(firelite, program, files, folder):
    database = stored(firelite, files, folder)
    own = tool(firelite, "export", "--database", database, "--output", f"{folder}/tool-export")
    server = Server(program, database)
    processor, start = server.processor, time.monotonic()
    status, headers, data = server.send("GET", "/$export", Prefer="respond-async")
    if status != 202:
        sys.exit(f"$export: {status} {data[:500]}")
    manifest = server.wait(headers["Content-Location"])
    other = time.monotonic() - start, server.processor - processor
    report("$export", own, other, server, f"{sum(o['count'] for o in manifest['output'])} resources")
    start = time.monotonic()
    size = sum(len(server.send("GET", output["url"])[2]) for output in manifest["output"])
    print(f"    its files: {size / MEGABYTE:.0f} MB in {time.monotonic() - start:.2f} s, {server.memory:.0f} MB at most")
    server.end()


CONDITIONAL = re.compile(r'"reference" *: *"([A-Za-z]+\?identifier=[^"]*)"')


def identified(files):
    """The references to resources with an identifier, by the conditional references that mean them."""
    found = {}
    for file in files:
        if os.path.basename(file).split(".")[0] not in {"Location", "Organization", "Practitioner"}:
            continue
        with open(file) as text:
            for value in map(json.loads, text):
                for identifier in value.get("identifier", []):
                    condition = f"{value['resourceType']}?identifier={identifier.get('system', '')}|{identifier.get('value', '')}"
                    found[condition] = f"{value['resourceType']}/{value['id']}"
    return found


def transactions(firelite, program, files, folder):
    lines, entries, size = [], [], 0
    targets = identified(files)
    for file in files:
        with open(file) as text:
            for line in text:
                if size > TRANSACTION_BYTES:
                    break
                # The tool stores conditional references as they are, so neither of the two looks for what they mean.
                line = CONDITIONAL.sub(lambda match: f'"reference":"{targets.get(match[1]) or match[1].split("?")[0] + "/unknown"}"', line)
                value = json.loads(line)
                # Provenances of a bundle refer to half of the data.
                if value["resourceType"] == "Provenance":
                    break
                entries.append('{"resource":%s,"request":{"method":"PUT","url":"%s/%s"}}' % (line.rstrip(), value["resourceType"], value["id"]))
                lines.append(line)
                size += len(entries[-1])
    with open(f"{folder}/part.ndjson", "w") as file:
        file.writelines(lines)
    own = tool(firelite, "import", "--database", f"{folder}/part.sqlite", "--release", "R4", "--quiet", f"{folder}/part.ndjson")
    body = '{"resourceType":"Bundle","type":"transaction","entry":[' + ",".join(entries) + "]}"
    server = Server(program, f"{folder}/transaction.sqlite")
    processor, start = server.processor, time.monotonic()
    status, _, data = server.send("POST", "", body.encode(), Content_Type="application/fhir+json", Prefer="return=minimal")
    other = time.monotonic() - start, server.processor - processor
    if status != 200:
        sys.exit(f"transaction: {status} {data[:1000]}")
    report("transaction", own, other, server, f"{len(entries)} entries, {len(body) / MEGABYTE:.0f} MB")
    server.end()


def answers(firelite, program, files, folder):
    """Long answers, of which memory must hold little."""
    server = Server(program, stored(firelite, files, folder))
    patient = json.loads(server.send("GET", "/Patient?_count=1&_elements=id")[2])["entry"][0]["resource"]["id"]
    for path in ["/metadata", f"/Patient/{patient}/$everything", "/Observation?_count=1000", "/Observation?_count=1000&_include=*&_revinclude=*",
                 "/ExplanationOfBenefit?_count=1000", "/Provenance?_count=1000", "/Observation?_sort=-date&_count=1000&_total=accurate",
                 "/?_type=Patient,Condition,Observation&_count=1000"]:
        start = time.monotonic()
        status, _, data = server.send("GET", path)
        print(f"{status} {len(data) / MEGABYTE:7.2f} MB {time.monotonic() - start:6.2f} s, {server.memory:4.0f} MB at most   {path.replace(patient, '…')}", flush=True)
    server.end()


def stored(firelite, files, folder):
    database = f"{folder}/tool.sqlite"
    if not os.path.exists(database):
        tool(firelite, "import", "--database", database, "--release", "R4", "--quiet", *files)
    return database


WORKLOADS = {"import": imports, "export": exports, "transaction": transactions, "answers": answers}

if __name__ == "__main__":
    if len(sys.argv) < 4 or any(name not in WORKLOADS for name in sys.argv[4:]):
        sys.exit(f"usage: bulk.py FIRELITE SERVER FOLDER [{'|'.join(WORKLOADS)}]…")
    paths = sorted(glob.glob(os.path.join(os.path.abspath(sys.argv[3]), "*.ndjson")))
    with tempfile.TemporaryDirectory() as work:
        for workload in sys.argv[4:] or WORKLOADS:
            WORKLOADS[workload](sys.argv[1], sys.argv[2], paths, work)
