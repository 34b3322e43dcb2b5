#!/usr/bin/env python3
"""Sends a running server requests that are nearly right: fuzz.py FOLDER BASE TOKEN [NUMBER] [SEED].

FOLDER has resources in JSON, which are changed at random; searches take the parameters of metadata. Every answer must come within 20 seconds, be no 5xx,
and be an OperationOutcome if it is a refusal. Prints each request that is not answered so; ends with status 1 then.
"""
import copy
import glob
import http.client
import json
import os
import random
import sys
import urllib.parse

VALUES = [None, True, 0, -1, 1e308, "", " ", "x", "\u0000", "ü", "👋" * 3, [], {}, [[]], [None], {"extension": []}, "2020-02-30", "9999-12-31T23:59:59.999Z",
          "Patient/x", "#x", "urn:uuid:1", "a|b|c", "<div xmlns=\"http://www.w3.org/1999/xhtml\">x</div>", "9" * 40, {"reference": "Patient/p"}, [1, "2"]]
TEXTS = ["", "x", "a|b", "|", "||", "a,b", ",", "\\", "a\\", "$", "2020", "2020-01-01T00:00:00", "ge2020-01-01", "gt", "ap2020", "eq-1", "1e400", "-0", "5.4|http://unitsofmeasure.org|mg",
         "Patient/1", "http://a/b?c", "ü👋", "%", "' OR 1=1 --", "*", "null", "0" * 300, "-" * 50, "\u0000", "_id", "a" * 5000]
MODIFIERS = ["", "", "", ":exact", ":contains", ":missing", ":not", ":text", ":above", ":below", ":in", ":not-in", ":of-type", ":Patient", ":identifier", ":x", ":", ".name", ".", ":a:b"]
CONTROLS = ["_count", "_sort", "_include", "_revinclude", "_summary", "_elements", "_total", "_format", "_pretty", "_has", "_filter", "_query", "_cursor", "_contained",
            "_lastUpdated", "_profile", "_tag", "_type", "_text", "_content", "_list", "_since", "_at", "nonsense"]
METHODS = ["GET"] * 5 + ["POST"] * 3 + ["PUT"] * 3 + ["PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]


class Fuzzer:
    def __init__(self, folder, base, token, seed):
        self.random = random.Random(seed)
        self.url = urllib.parse.urlsplit(base)
        self.token = token
        self.resources = [json.load(open(path)) for path in sorted(glob.glob(os.path.join(folder, "*.json")))]
        self.connection = None
        status, _, body = self.send("GET", "/metadata", {}, None)
        types = json.loads(body)["rest"][0]["resource"]
        self.types = [t["type"] for t in types]
        self.parameters = {t["type"]: [p["name"] for p in t.get("searchParam", [])] for t in types}

    def send(self, method, path, fields, body):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=20)
        fields = {"Authorization": f"Bearer {self.token}", **fields}
        try:
            self.connection.request(method, self.url.path + path, body=body, headers=fields)
            answer = self.connection.getresponse()
            data = answer.read()
        except http.client.RemoteDisconnected:
            # The server ends connections after some refusals.
            self.connection.close()
            self.connection = None
            return self.send(method, path, fields, body)
        if answer.getheader("Connection") == "close":
            self.connection.close()
            self.connection = None
        return answer.status, answer.headers, data

    def choice(self, values):
        return self.random.choice(values)

    # Requests.

    def resource(self):
        """A resource as it is in half of the cases."""
        resource = self.choice(self.resources)
        return resource if self.random.random() < 0.5 else self.mutated(resource)

    def mutated(self, value, depth=0):
        r = self.random
        if r.random() < 0.08:
            return copy.deepcopy(self.choice(VALUES))
        if isinstance(value, dict):
            result = {k: self.mutated(v, depth + 1) if r.random() < 0.4 else v for k, v in value.items() if r.random() > 0.03}
            if r.random() < 0.05:
                result[self.choice(["x", "extension", "id", "_status", "valueString", "resourceType", "contained", "ü"])] = self.choice(VALUES)
            return result
        if isinstance(value, list):
            result = [self.mutated(v, depth + 1) if r.random() < 0.4 else v for v in value]
            if result and r.random() < 0.1:
                result.append(self.choice(result))
            return result
        return value

    def query(self, name):
        items = []
        for _ in range(self.random.choice([0, 1, 1, 2, 3])):
            known = self.parameters.get(name) or ["_id"]
            key = self.choice(known) + self.choice(MODIFIERS) if self.random.random() < 0.7 else self.choice(CONTROLS) + self.choice(MODIFIERS)
            value = self.choice(TEXTS)
            if key.startswith(("_include", "_revinclude", "_has")):
                value = self.choice([f"{name}:{self.choice(known)}", "*", "a:b:c", ":", f"{name}:*", value])
            items.append((key, value))
        text = urllib.parse.urlencode(items)
        return ("?" + text if self.random.random() < 0.97 else "?" + text + "&%zz=%") if items else ""

    def bundle(self):
        entries = []
        for _ in range(self.random.randint(0, 4)):
            resource = self.resource()
            name = str(resource.get("resourceType", "Patient")) if isinstance(resource, dict) else "Patient"
            method = self.choice(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "x"])
            url = self.choice([f"{name}", f"{name}/{self.identity(resource)}", f"{name}{self.query(name)}", "", "$x", "metadata", f"{name}/$validate", "http://x/y"])
            request = {"method": method, "url": url}
            if self.random.random() < 0.2:
                request[self.choice(["ifMatch", "ifNoneMatch", "ifNoneExist", "ifModifiedSince"])] = self.choice(TEXTS)
            entries.append({"fullUrl": self.choice(["urn:uuid:61ebe359-bfdc-4613-8bf2-c5e300945f0a", "x", "http://a/Patient/1"]), "resource": resource, "request": request})
        return self.mutated({"resourceType": "Bundle", "type": self.choice(["batch", "transaction"]), "entry": entries})

    @staticmethod
    def identity(resource):
        value = resource.get("id", "x") if isinstance(resource, dict) else "x"
        return urllib.parse.quote(str(value)[:80], safe="")

    def request(self):
        r = self.random
        resource = self.resource()
        name = str(resource.get("resourceType", "Patient")) if isinstance(resource, dict) else "Patient"
        if r.random() < 0.1 or name not in self.parameters:
            name = self.choice(self.types)
        key = self.identity(resource)
        operation = self.choice(["$validate", "$meta", "$meta-add", "$everything", "$lastn", "$expand", "$lookup", "$translate", "$validate-code", "$docref",
                                 "$export", "$viewdefinition-run", "$import", "$subsumes", "$x"])
        path = self.choice([f"/{name}"] * 4 + [f"/{name}/{key}"] * 5 + [
            f"/{name}/_search", f"/{name}/{key}/_history", f"/{name}/{key}/_history/{self.choice(['1', '2', 'x', '-1'])}", f"/{name}/_history", "/_history", "/", "",
            f"/{name}/{operation}", f"/{name}/{key}/{operation}", f"/{operation}", f"/Patient/{key}/{name}", f"/Patient/{key}/*", "/metadata", "/_search",
            "/$jobs/x", "/.well-known/smart-configuration", "/auth/token", "/x/y/z", "/" + urllib.parse.quote(self.choice(TEXTS)[:100])])
        method = self.choice(METHODS)
        path += self.query(name)
        fields = {}
        if r.random() < 0.3:
            fields[self.choice(["If-Match", "If-None-Match", "If-None-Exist", "If-Modified-Since", "Prefer", "Accept", "Accept-Encoding"])] = self.choice(
                ["W/\"1\"", "*", "x", "identifier=1", "return=minimal", "respond-async", "handling=strict", "application/fhir+xml", "text/html", "gzip", "gzip;q=x", "Sun, 06 Nov 1994 08:49:37 GMT"])
        body = None
        if method in ("POST", "PUT", "PATCH", "DELETE"):
            content = self.bundle() if path.split("?")[0] in ("/", "") else resource
            if method == "PATCH" and r.random() < 0.7:
                content = [{"op": self.choice(["add", "remove", "replace", "move", "copy", "test", "x"]),
                            "path": self.choice(["/active", "/name/0/family", "/name/-", "/x", "", "/", "/name/99", "x", "/~2", "/text/div"]),
                            "from": self.choice(["/name", "/id", "x"]), "value": self.choice(VALUES)} for _ in range(r.randint(0, 3))]
                fields["Content-Type"] = "application/json-patch+json"
            if path.startswith(f"/{name}/_search") or path.startswith("/auth"):
                body = self.query(name)[1:].encode()
                fields["Content-Type"] = "application/x-www-form-urlencoded"
            else:
                body = json.dumps(content).encode()
                fields.setdefault("Content-Type", self.choice(["application/fhir+json"] * 9 + ["application/fhir+xml", "text/plain", "", "application/json; charset=latin1"]))
            if r.random() < 0.05:
                body = body[: r.randint(0, len(body))] + bytes(r.randint(0, 255) for _ in range(r.randint(0, 5)))
            if r.random() < 0.02:
                fields["Content-Encoding"] = self.choice(["gzip", "br", "identity"])
        return method, path, fields, body

    def run(self, number):
        faults = 0
        statuses = {}
        for index in range(number):
            method, path, fields, body = self.request()
            try:
                status, headers, data = self.send(method, path, fields, body)
            except Exception as error:
                faults += 1
                self.connection = None
                print(f"FAILED {index}: {method} {path[:300]} {fields}: {type(error).__name__} {error}\n    {(body or b'')[:1500]}")
                continue
            statuses[status] = statuses.get(status, 0) + 1
            is_outcome = method == "HEAD" or b"OperationOutcome" in data or path.startswith("/auth/token") or headers.get("Content-Encoding") == "gzip"
            if status >= 500 and status != 501 or status >= 400 and not is_outcome:
                faults += 1
                print(f"FAILED {index}: {method} {path[:300]} {fields}: {status} {data[:300]}\n    {(body or b'')[:1500]}")
        print(f"{number} requests, {faults} failures; statuses {dict(sorted(statuses.items()))}")
        return faults == 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: fuzz.py FOLDER BASE TOKEN [NUMBER] [SEED]")
    number, seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000, int(sys.argv[5]) if len(sys.argv) > 5 else 1
    print(f"seed {seed}")
    sys.exit(0 if Fuzzer(sys.argv[1], sys.argv[2], sys.argv[3], seed).run(number) else 1)
