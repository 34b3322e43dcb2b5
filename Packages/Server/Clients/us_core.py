#!/usr/bin/env python3
"""Asks a running server what the US Core server capability statement demands: us_core.py PACKAGE BASE TOKEN.

PACKAGE is a folder in which hl7.fhir.us.core is unpacked. The examples are stored first. Expected results come from the examples by the expressions of
the package's search parameters, which fhirpathpy evaluates. Prints each failure; ends with status 1 if there is one, and 77 without fhirpathpy.
"""
import glob
import itertools
import json
import os
import re
import sys

try:
    import requests
    from fhirpathpy import evaluate
    from fhirpathpy.models import models
except ImportError:
    print("requests or fhirpathpy is not installed")
    sys.exit(77)

class Run:
    def __init__(self, package, base, token):
        self.base = base.rstrip("/")
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.headers["Authorization"] = f"Bearer {token}"
        self.http.headers["Accept"] = "application/fhir+json"
        self.package = package
        self.passed = 0
        self.failures = []
        self.resources = {}
        self.parameters = {}

    def check(self, condition, what):
        if condition:
            self.passed += 1
        else:
            self.failures.append(what)
            print("FAILED", what)
        return condition

    # What is stored.

    def load(self):
        for path in sorted(glob.glob(os.path.join(self.package, "SearchParameter-*.json"))):
            parameter = json.load(open(path))
            for base in parameter["base"]:
                self.parameters[(base, parameter["code"])] = parameter
            answer = self.http.put(f"{self.base}/SearchParameter/{parameter['id']}", json=parameter)
            self.check(answer.status_code in (200, 201), f"PUT SearchParameter/{parameter['id']}: {answer.status_code} {answer.text[:300]}")
        for path in sorted(glob.glob(os.path.join(self.package, "example", "*.json"))):
            resource = json.load(open(path))
            kind, key = resource["resourceType"], resource["id"]
            answer = self.http.put(f"{self.base}/{kind}/{key}", json=resource)
            if not self.check(answer.status_code in (200, 201), f"PUT {kind}/{key}: {answer.status_code} {answer.text[:300]}"):
                continue
            self.resources[f"{kind}/{key}"] = resource
            read = self.http.get(f"{self.base}/{kind}/{key}")
            same = read.json()
            meta = dict(same.get("meta", {}))
            self.check(meta.pop("versionId", None) is not None and meta.pop("lastUpdated", None) is not None, f"{kind}/{key} has a meta")
            expected = dict(resource)
            expected_meta = {k: v for k, v in resource.get("meta", {}).items() if k not in ("versionId", "lastUpdated")}
            expected.pop("meta", None)
            same.pop("meta", None)
            self.check(same == expected and meta == expected_meta, f"{kind}/{key} is read as it was written")

    # Values of search parameters.

    def values(self, resource, code):
        if code == "_id":
            return [resource["id"]]
        parameter = self.parameters.get((resource["resourceType"], code))
        if parameter is None:
            return []
        # The type of a relative reference is in its text.
        expression = re.sub(r"resolve\(\) is (\w+)", r"reference.startsWith('\1/')", parameter["expression"])
        return evaluate(resource, expression, {}, models["r4"])

    def kind(self, resource_type, code):
        return "token" if code == "_id" else self.parameters[(resource_type, code)]["type"]

    def queries(self, value, kind):
        """Ways to ask for a value, and whether another value meets each: [(text, test)]."""
        if isinstance(value, dict) and "coding" in value:
            return [q for coding in value["coding"][:1] for q in self.queries(coding, kind)]
        if kind == "token":
            code = value.get("code", value.get("value")) if isinstance(value, dict) else value
            system = value.get("system") if isinstance(value, dict) else None
            if code is None:
                return []
            code = str(code).lower() if isinstance(code, bool) else str(code)
            found = [(code, lambda v: code in self.codes(v))]
            if system:
                found.append((f"{system}|{code}", lambda v: (system, code) in self.codings(v)))
                found.append((f"{system}|", lambda v: system in [s for s, _ in self.codings(v)]))
            return found
        if kind == "reference":
            reference = value.get("reference", "") if isinstance(value, dict) else str(value)
            if re.match(r"^[A-Za-z]+/[A-Za-z0-9.-]+$", reference):
                bare = reference.split("/")[1]
                return [(reference, lambda v: self.reference(v) == reference), (bare, lambda v: self.reference(v).endswith("/" + bare))]
            if reference.startswith("http"):
                return [(reference, lambda v: self.reference(v) == reference)]
            return []
        if kind == "date":
            text = value if isinstance(value, str) else value.get("start", value.get("end", "")) if isinstance(value, dict) else str(value)
            if not text:
                return []
            year = int(text[:4])
            everything = lambda v: True
            # A period is not within a moment, so only its bounds are asked for.
            same = [(text, lambda v: text[:10] <= self.last(v) and text[:10] >= self.first(v)[:len(text[:10])])]
            return ([] if isinstance(value, dict) else same) + [
                    (f"gt{year - 1}-01-01T00:00:00Z", everything), (f"lt{year + 1}-12-31T23:59:59Z", everything),
                    (f"ge{text}", everything), (f"le{year + 1}-12-31", everything)]
        if kind == "string":
            text = self.text(value)
            escaped = re.sub(r"([\\\\,$|])", r"\\\1", text or "")
            return [(escaped, lambda v: any(x.lower().startswith(text.lower()) for x in self.texts(v)))] if text else []
        return []

    def codings(self, value):
        if isinstance(value, dict) and "coding" in value:
            return [(c.get("system"), c.get("code")) for c in value["coding"]]
        if isinstance(value, dict):
            return [(value.get("system"), value.get("code", value.get("value")))]
        return [(None, str(value).lower() if isinstance(value, bool) else str(value))]

    def codes(self, value):
        return [code for _, code in self.codings(value)]

    @staticmethod
    def reference(value):
        return value.get("reference", "") if isinstance(value, dict) else str(value)

    @staticmethod
    def first(value):
        return value if isinstance(value, str) else value.get("start", "0000") if isinstance(value, dict) else str(value)

    @staticmethod
    def last(value):
        return (value if isinstance(value, str) else value.get("end", "9999") if isinstance(value, dict) else str(value)) + "~"

    def texts(self, value):
        if isinstance(value, str):
            return [value]
        if isinstance(value, dict):
            return [t for v in value.values() for t in self.texts(v)]
        if isinstance(value, list):
            return [t for v in value for t in self.texts(v)]
        return []

    def text(self, value):
        if isinstance(value, str):
            return value
        if isinstance(value, dict):
            for name in ("family", "text", "city", "state", "postalCode"):
                if value.get(name):
                    return value[name]
            for name in ("given", "line"):
                if value.get(name):
                    return value[name][0]
        return None

    # Searching.

    def search(self, resource_type, parameters, post=False):
        if post:
            answer = self.http.post(f"{self.base}/{resource_type}/_search", data=parameters)
        else:
            answer = self.http.get(f"{self.base}/{resource_type}", params=parameters)
        what = f"{resource_type}?{'&'.join(f'{k}={v}' for k, v in parameters)}"
        if not self.check(answer.status_code == 200, f"{what}: {answer.status_code} {answer.text[:300]}"):
            return what, []
        entries = []
        bundle = answer.json()
        self.check(answer.headers["Content-Type"].startswith("application/fhir+json"), f"{what}: Content-Type")
        outcome = [e for e in bundle.get("entry", []) if e.get("search", {}).get("mode") == "outcome"]
        self.check(not outcome, f"{what}: parameters were ignored: {json.dumps(outcome)[:300]}")
        pages = 0
        while True:
            entries += bundle.get("entry", [])
            following = [link["url"] for link in bundle.get("link", []) if link["relation"] == "next"]
            pages += 1
            if not following or pages > 100:
                break
            bundle = self.http.get(following[0]).json()
        return what, entries

    def search_by(self, resource_type, codes):
        """Every resource that has values of all the parameters must be found by them, and what is found must have them."""
        resources = [r for r in self.resources.values() if r["resourceType"] == resource_type]
        done = 0
        for resource in resources:
            choices = []
            for code in codes:
                ways = [q for value in self.values(resource, code)[:2] for q in self.queries(value, self.kind(resource_type, code))]
                choices.append([(code, text, test) for text, test in ways])
            if not all(choices):
                continue
            longest = max(len(c) for c in choices)
            for number in range(longest):
                way = [c[number % len(c)] for c in choices]
                parameters = [(code, text) for code, text, _ in way]
                what, entries = self.search(resource_type, parameters, post=number == 0)
                found = [e["resource"] for e in entries if e.get("search", {}).get("mode") == "match"]
                self.check(resource["id"] in [r["id"] for r in found], f"{what}: {resource_type}/{resource['id']} is found")
                for other in found:
                    for code, text, test in way:
                        self.check(any(test(v) for v in self.values(other, code)), f"{what}: {other['id']} has no such {code}")
            done += 1
            if done >= 5:
                break
        return done

    def several(self, resource_type, code):
        """Values with commas find what each finds."""
        kind = self.kind(resource_type, code)
        if kind not in ("token", "reference"):
            return
        resources = [r for r in self.resources.values() if r["resourceType"] == resource_type]
        texts = sorted({q[0] for r in resources for v in self.values(r, code) for q in self.queries(v, kind)[:1]})[:4]
        if len(texts) < 2:
            return
        each = set()
        for text in texts:
            _, entries = self.search(resource_type, [(code, text)])
            each |= {e["resource"]["id"] for e in entries}
        what, entries = self.search(resource_type, [(code, ",".join(texts))])
        self.check({e["resource"]["id"] for e in entries} == each, f"{what}: finds what each value finds")
        what, entries = self.search(resource_type, [(code, texts[0]), (code, texts[0])])
        _, alone = self.search(resource_type, [(code, texts[0])])
        self.check(len(entries) == len(alone), f"{what}: twice the same finds the same")

    def run(self):
        statement = json.load(open(os.path.join(self.package, "CapabilityStatement-us-core-server.json")))
        self.load()
        own = self.http.get(f"{self.base}/metadata").json()
        self.check(own["fhirVersion"] == "4.0.1" and "json" in own["format"], "metadata: version and format")
        self.check(own["rest"][0]["security"]["service"], "metadata: security")
        known = {r["type"]: r for r in own["rest"][0]["resource"]}
        tried = untried = 0
        for wanted in statement["rest"][0]["resource"]:
            name = wanted["type"]
            there = known[name]
            for interaction in wanted.get("interaction", []):
                self.check(interaction["code"] in [i["code"] for i in there["interaction"]], f"metadata: {name} {interaction['code']}")
            names = [p["name"] for p in there.get("searchParam", [])] + [p["name"] for p in own["rest"][0]["searchParam"]]
            for parameter in wanted.get("searchParam", []):
                self.check(parameter["name"] in names, f"metadata: {name}.{parameter['name']}")
                if self.search_by(name, [parameter["name"]]):
                    tried += 1
                else:
                    untried += 1
                self.several(name, parameter["name"])
            for include in wanted.get("searchInclude", []):
                short = ":".join(include.split(":")[:2])
                self.check(short in there.get("searchInclude", []), f"metadata: {name} includes {short}")
                what, entries = self.search(name, [("_include", include)])
            for extension in wanted.get("extension", []):
                codes = [e["valueString"] for e in extension.get("extension", []) if e["url"] == "required"]
                if codes:
                    tried, untried = (tried + 1, untried) if self.search_by(name, codes) else (tried, untried + 1)
        self.includes()
        self.profiles()
        self.wellknown()
        self.bulk()
        print(f"{self.passed} passed, {len(self.failures)} failed; {tried} searches and combinations with data, {untried} without")
        return not self.failures

    def includes(self):
        for provenance in [r for r in self.resources.values() if r["resourceType"] == "Provenance"]:
            for target in provenance["target"]:
                kind, key = target["reference"].split("/")
                what, entries = self.search(kind, [("_id", key), ("_revinclude", "Provenance:target")])
                found = [e for e in entries if e["resource"]["resourceType"] == "Provenance"]
                self.check(provenance["id"] in [e["resource"]["id"] for e in found], f"{what}: the Provenance comes along")
                self.check(all(e["search"]["mode"] == "include" for e in found), f"{what}: as an include")
        for request in [r for r in self.resources.values() if r["resourceType"] in ("MedicationRequest", "MedicationDispense")]:
            reference = request.get("medicationReference", {}).get("reference", "#")
            if reference.startswith("#"):
                continue
            what, entries = self.search(request["resourceType"], [("_id", request["id"]), ("_include", f"{request['resourceType']}:medication")])
            self.check(reference in [f"{e['resource']['resourceType']}/{e['resource']['id']}" for e in entries], f"{what}: the Medication comes along")

    def profiles(self):
        for key, resource in self.resources.items():
            for profile in resource.get("meta", {}).get("profile", [])[:1]:
                what, entries = self.search(resource["resourceType"], [("_profile", profile), ("_id", resource["id"])])
                self.check(len(entries) == 1, f"{what}: finds it")

    def wellknown(self):
        answer = self.http.get(f"{self.base}/.well-known/smart-configuration")
        self.check(answer.status_code == 200 and answer.json()["capabilities"], "smart-configuration")
        answer = requests.Session().get(f"{self.base}/Patient")
        self.check(answer.status_code == 401, f"without a token: {answer.status_code}")
        answer = self.http.get(f"{self.base}/Patient/none")
        self.check(answer.status_code == 404 and answer.json()["resourceType"] == "OperationOutcome", "404 with an outcome")
        answer = self.http.get(f"{self.base}/Patient", params={"_count": 1, "name": "x"}, headers={"Accept": "application/fhir+xml"})
        self.check(answer.headers["Content-Type"].startswith("application/fhir+xml"), "XML if asked for")

    def bulk(self):
        import time
        group = {"resourceType": "Group", "id": "us-core-group", "type": "person", "actual": True,
                 "member": [{"entity": {"reference": "Patient/example"}}]}
        self.http.put(f"{self.base}/Group/us-core-group", json=group)
        for query in ["", "?_type=Patient,Observation", "?_since=2001-01-01T00:00:00Z", "?_since=2999-01-01T00:00:00Z"]:
            answer = self.http.get(f"{self.base}/Group/us-core-group/$export{query}", headers={"Prefer": "respond-async"})
            if not self.check(answer.status_code == 202 and "Content-Location" in answer.headers, f"export{query}: {answer.status_code} {answer.text[:200]}"):
                continue
            for _ in range(200):
                state = self.http.get(answer.headers["Content-Location"], headers={"Accept": "application/json"})
                if state.status_code != 202:
                    break
                time.sleep(0.05)
            if not self.check(state.status_code == 200, f"export{query}: {state.status_code} {state.text[:200]}"):
                continue
            manifest = state.json()
            types = {output["type"] for output in manifest["output"]}
            for output in manifest["output"]:
                file = self.http.get(output["url"], headers={"Accept": "application/fhir+ndjson"})
                self.check(file.headers["Content-Type"].startswith("application/fhir+ndjson"), f"export{query}: type of {output['type']}")
                lines = [json.loads(line) for line in file.text.splitlines()]
                self.check(lines and all(r["resourceType"] == output["type"] for r in lines), f"export{query}: lines of {output['type']}")
                if output["type"] == "Patient":
                    self.check([r["id"] for r in lines] == ["example"], f"export{query}: the patient of the group")
            if query.startswith("?_type"):
                self.check(types <= {"Patient", "Observation"} and "Patient" in types, f"export{query}: {types}")
            if "2999" in query:
                self.check(not types, f"export{query}: nothing is newer")
            self.check(self.http.delete(answer.headers["Content-Location"]).status_code == 202, f"export{query}: deleted")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: us_core.py PACKAGE BASE TOKEN")
    sys.exit(0 if Run(*sys.argv[1:]).run() else 1)
