#!/usr/bin/env python3
"""check-terminology.py TOOL [WORLDS] [SEED]: compares random questions about codes with a plain evaluation of small definitions.

TOOL is the path of `firelite`. A world has two code systems with two versions each, value sets that list, filter, import and exclude, and concept maps, all
invented and without cycles. In each world it expands value sets (also in pages, with words and active codes alone), validates codes in value sets and in
their code systems, compares codes and translates them in both directions. Nothing here is shared with the tool: sets are Python's, and hierarchies are
walked.
"""

import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

WORDS = "amber birch cedar dune ember fjord grove heath inlet jetty".split()
RELATIONS = ["equivalent", "source-is-narrower-than-target", "source-is-broader-than-target", "related-to", "not-related-to"]


def parameter(name, kind, value):
    return {"name": name, "value" + kind: value}


def parameters(*items):
    return {"resourceType": "Parameters", "parameter": [item for item in items if item]}


class Concept:
    def __init__(self, code, pick):
        self.code, self.parents = code, set()
        self.display = " ".join(pick.sample(WORDS, 2)) + " " + code
        self.other = pick.choice([None, pick.choice(WORDS) + " other"])
        self.inactive, self.abstract = pick.random() < 0.15, pick.random() < 0.15
        self.values = {name: pick.choice("xyz") + pick.choice("12") for name in ("tone", "mood") if pick.random() < 0.6}

    def text(self, inner):
        properties = [{"code": "parent", "valueCode": parent} for parent in sorted(self.parents)]
        properties += [{"code": name, "valueString": value} for name, value in self.values.items()]
        properties += [{"code": "notSelectable", "valueBoolean": True}] if self.abstract else []
        properties += [{"code": "status", "valueCode": "retired"}] if self.inactive else []
        result = {"code": self.code, "display": self.display, "property": properties}
        if self.other:
            result["designation"] = [{"language": "en", "value": self.other}]
        return {**result, "concept": inner} if inner else result


class System:
    """A version of a code system. Parents are drawn among earlier concepts, some by nesting, others by a property."""

    def __init__(self, url, version, concepts, nested):
        self.url, self.version = url, version
        self.concepts = {concept.code: concept for concept in concepts}
        self.nested = {child: parent for child, parent in nested.items() if child in self.concepts and parent in self.concepts}

    def parents(self, code):
        own = {parent for parent in self.concepts[code].parents if parent in self.concepts}
        return own | ({self.nested[code]} if code in self.nested else set())

    def above(self, code):
        found, waiting = set(), list(self.parents(code))
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += self.parents(one)
        return found

    def below(self, code):
        return {other for other in self.concepts if code in self.above(other)}

    def resource(self):
        def tree(parent):
            return [self.concepts[code].text(tree(code)) for code in sorted(self.concepts) if self.nested.get(code) == parent]

        return {"resourceType": "CodeSystem", "url": self.url, "version": self.version, "status": "active", "content": "complete",
                "caseSensitive": True, "concept": tree(None),
                "property": [{"code": "tone", "type": "string"}, {"code": "mood", "type": "string"}]}

    def meets(self, code, filter):
        kind, operation, value = filter["property"], filter["op"], filter["value"]
        if kind == "concept":
            return {"is-a": lambda: code == value or value in self.above(code), "descendent-of": lambda: value in self.above(code),
                    "is-not-a": lambda: code != value and value not in self.above(code),
                    "child-of": lambda: value in self.parents(code),
                    "generalizes": lambda: code == value or code in self.above(value),
                    "descendent-leaf": lambda: value in self.above(code) and not self.below(code),
                    "in": lambda: code in value.split(","), "not-in": lambda: code not in value.split(","),
                    "=": lambda: code == value, "regex": lambda: re.fullmatch(value, code) is not None}[operation]()
        own = self.concepts[code].values.get(kind)
        return {"=": own == value, "exists": (own is not None) == (value == "true"), "in": own in value.split(","),
                "not-in": own not in value.split(","), "regex": own is not None and re.fullmatch(value, own) is not None}[operation]


class World:
    def __init__(self, seed):
        self.pick = pick = random.Random(seed)
        self.systems, self.sets, self.maps = {}, {}, []
        for place in "ab":
            concepts = [Concept(f"{place}{number}", pick) for number in range(pick.randint(8, 30))]
            nested = {}
            for number, concept in enumerate(concepts[1:], 1):
                if pick.random() < 0.6:
                    nested[concept.code] = concepts[pick.randrange(number)].code
                concept.parents = {concepts[pick.randrange(number)].code for _ in range(pick.choice([0, 0, 1, 2]))}
            url = f"http://example.org/system-{place}"
            part = [concept for concept in concepts if pick.random() < 0.8] or concepts
            self.systems[url] = {"1.0": System(url, "1.0", part, nested), "2.0": System(url, "2.0", concepts, nested)}
        for number in range(10):
            url = f"http://example.org/set-{number}"
            self.sets[url] = self.value_set(url)
        for number in range(4):
            self.maps.append(self.concept_map(number))

    def system(self, url, version=None):
        return self.systems[url][version or "2.0"]

    # Definitions

    def filter(self, system):
        codes, pick = sorted(system.concepts), self.pick
        kind = pick.choice(["concept", "concept", "tone", "mood"])
        values = codes if kind == "concept" else [tone + mood for tone in "xyz" for mood in "12"]
        operations = ["=", "in", "not-in", "regex"] + (
            ["is-a", "descendent-of", "is-not-a", "child-of", "generalizes", "descendent-leaf"] * 2 if kind == "concept" else ["exists"])
        operation = pick.choice(operations)
        value = pick.choice(values)
        if operation in ("in", "not-in"):
            value = ",".join(pick.sample(values, min(len(values), pick.randint(1, 4))))
        elif operation == "exists":
            value = pick.choice(["true", "false"])
        elif operation == "regex":
            value = pick.choice(["[a-z][0-4]", ".*1", "(a|x)[^3]+", "b?.2*"])
        return {"property": kind, "op": operation, "value": value}

    def part(self):
        pick, part = self.pick, {}
        if pick.random() < 0.85 or not self.sets:
            url = pick.choice(sorted(self.systems))
            part["system"] = url
            if pick.random() < 0.3:
                part["version"] = pick.choice(["1.0", "2.0"])
            system = self.system(url, part.get("version"))
            way = pick.random()
            if way < 0.4:
                part["concept"] = [{"code": code} for code in pick.sample(sorted(system.concepts), pick.randint(1, len(system.concepts)))]
            elif way < 0.85:
                part["filter"] = [self.filter(system) for _ in range(pick.choice([1, 1, 2]))]
        if self.sets and (not part or pick.random() < 0.25):
            part["valueSet"] = pick.sample(sorted(self.sets), min(len(self.sets), pick.choice([1, 1, 2])))
        return part

    def value_set(self, url):
        compose = {"include": [self.part() for _ in range(self.pick.choice([1, 1, 2, 3]))]}
        if self.pick.random() < 0.4:
            compose["exclude"] = [self.part() for _ in range(self.pick.choice([1, 2]))]
        if self.pick.random() < 0.2:
            compose["inactive"] = False
        return {"resourceType": "ValueSet", "url": url, "status": "active", "compose": compose}

    def concept_map(self, number):
        pick, groups = self.pick, []
        for _ in range(pick.choice([1, 2])):
            source, target = (self.system(url) for url in pick.choice([("a", "b"), ("b", "a")]) for url in [f"http://example.org/system-{url}"])
            elements = []
            for code in pick.sample(sorted(source.concepts), len(source.concepts) // 2):
                targets = [{"code": pick.choice(sorted(target.concepts)), "relationship": pick.choice(RELATIONS)}
                           for _ in range(pick.choice([1, 1, 2]))]
                elements.append({"code": code, "target": targets})
            group = {"source": source.url, "target": target.url, "element": elements}
            mode = pick.choice([None, "fixed", "use-source-code", "other-map"])
            if mode == "other-map" and number > 0:
                group["unmapped"] = {"mode": mode, "otherMap": f"http://example.org/map-{pick.randrange(number)}"}
            elif mode in ("fixed", "use-source-code"):
                group["unmapped"] = {"mode": mode, "relationship": pick.choice(RELATIONS)}
                if mode == "fixed":
                    group["unmapped"]["code"] = pick.choice(sorted(target.concepts))
            groups.append(group)
        return {"resourceType": "ConceptMap", "url": f"http://example.org/map-{number}", "status": "active", "group": groups}

    def bundle(self):
        all = [system.resource() for versions in self.systems.values() for system in versions.values()]
        return {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": one} for one in all + list(self.sets.values()) + self.maps]}

    # What they mean

    def codes(self, part):
        found = None
        if "system" in part:
            system = self.system(part["system"], part.get("version"))
            codes = {one["code"] for one in part["concept"]} & set(system.concepts) if "concept" in part else set(system.concepts)
            found = {(system.url, code) for code in codes if all(system.meets(code, one) for one in part.get("filter", []))}
        for url in part.get("valueSet", []):
            other = self.members(url)
            found = other if found is None else found & other
        return found

    def members(self, url, active_only=False):
        compose = self.sets[url]["compose"]
        found = set().union(*(self.codes(part) for part in compose["include"]))
        found -= set().union(*(self.codes(part) for part in compose.get("exclude", [])))
        if active_only or compose.get("inactive") is False:
            found = {(system, code) for system, code in found if not self.system(system).concepts[code].inactive}
        return found

    def translations(self, number, system, code, backwards, asked):
        found = set()
        for group in self.maps[number]["group"]:
            if group["target" if backwards else "source"] != system:
                continue
            elements = {one["code"]: one["target"] for one in group["element"]}
            if backwards:
                found |= {(group["source"], own, target["relationship"])
                          for own, targets in elements.items() for target in targets if target["code"] == code}
            elif code in elements:
                found |= {(group["target"], target["code"], target["relationship"]) for target in elements[code]}
            elif "unmapped" in group:
                unmapped = group["unmapped"]
                if unmapped["mode"] == "other-map":
                    other = int(unmapped["otherMap"].rsplit("-", 1)[1])
                    if other not in asked:
                        asked.add(other)
                        found |= self.translations(other, system, code, False, asked)
                else:
                    found.add((group["target"], unmapped.get("code", code), unmapped["relationship"]))
        return found


class Check:
    def __init__(self, tool, seed):
        self.tool, self.seed, self.world = tool, seed, World(seed)
        self.counts, self.faults = collections.Counter(), []
        self.folder = tempfile.TemporaryDirectory()
        self.definitions = self.write("definitions.json", self.world.bundle())

    def write(self, name, resource):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(resource, file)
        return path

    def ask(self, operation, request):
        command = [self.tool, "terminology", operation, "--release", "R5", "--resource", self.definitions, "--parameters", self.write("request.json", request)]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)

    def compare(self, kind, question, found, expected):
        self.counts[kind] += 1
        if found != expected:
            self.faults.append(f"world {self.seed}, {kind} {question}: {found} instead of {expected}")

    def run(self):
        pick, world = self.world.pick, self.world
        for url in sorted(world.sets):
            self.expand(url, pick)
        self.validate(pick)
        everything = [(url, code) for url in sorted(world.systems) for code in sorted(world.system(url).concepts)]
        for _ in range(12):
            system = world.system(pick.choice(sorted(world.systems)))
            first, second = (pick.choice(sorted(system.concepts)) for _ in "12")
            expected = ("equivalent" if first == second else "subsumes" if first in system.above(second)
                        else "subsumed-by" if second in system.above(first) else "not-subsumed")
            answer = self.ask("subsumes", parameters(
                parameter("codeA", "Code", first), parameter("codeB", "Code", second), parameter("system", "Uri", system.url)))
            self.compare("subsumes", (first, second), answer["parameter"][0]["valueCode"], expected)
        for _ in range(12):
            number, (system, code), backwards = pick.randrange(len(world.maps)), pick.choice(everything), pick.random() < 0.3
            way = "target" if backwards else "source"
            answer = self.ask("translate", parameters(
                parameter("url", "Uri", world.maps[number]["url"]), parameter(way + "Coding", "Coding", {"system": system, "code": code})))
            found = set()
            for match in (one["part"] for one in answer["parameter"] if one["name"] == "match"):
                parts = {one["name"]: one for one in match}
                coding = parts["source" if backwards else "concept"]["valueCoding"]
                found.add((coding["system"], coding["code"], parts["relationship"]["valueCode"]))
            expected = world.translations(number, system, code, backwards, set())
            self.compare("translate", (number, system, code, way), found, expected)
        return self

    def expand(self, url, pick):
        def codes(answer):
            def walk(items):
                for item in items:
                    if "code" in item:
                        yield item["system"], item["code"]
                    yield from walk(item.get("contains", []))
            return list(walk(answer["expansion"].get("contains", [])))

        world, expected = self.world, self.world.members(url)
        whole = codes(self.ask("expand", parameters(parameter("url", "Uri", url))))
        self.compare("expand", url, set(whole), expected)
        active = world.members(url, active_only=True)
        shown = {(system, code) for system, code in active if not world.system(system).concepts[code].abstract}
        answer = self.ask("expand", parameters(
            parameter("url", "Uri", url), parameter("activeOnly", "Boolean", True), parameter("excludeNotForUI", "Boolean", True)))
        self.compare("expand active", url, set(codes(answer)), shown)
        word = pick.choice(WORDS)[:pick.randint(1, 4)]

        def named(system, code):
            concept = world.system(system).concepts[code]
            return any(part.startswith(word) for text in (code, concept.display, concept.other or "") for part in text.split())

        answer = self.ask("expand", parameters(parameter("url", "Uri", url), parameter("filter", "String", word)))
        self.compare("expand words", (url, word), set(codes(answer)), {one for one in expected if named(*one)})
        # A code of two versions is there twice, so that pages are compared with the list as a whole.
        flat = codes(self.ask("expand", parameters(parameter("url", "Uri", url), parameter("excludeNested", "Boolean", True))))
        size, pages = pick.randint(1, 12), []
        for start in range(0, min(len(flat) + 1, 3 * size), size):
            pages += codes(self.ask("expand", parameters(
                parameter("url", "Uri", url), parameter("count", "Integer", size), parameter("offset", "Integer", start))))
        self.compare("expand pages", (url, size), (pages, set(flat)), (flat[:3 * size], expected))

    def validate(self, pick):
        world, items, expected = self.world, [], []
        for _ in range(250):
            url = pick.choice(sorted(world.sets) + [None])
            home = pick.choice(sorted(world.systems))
            code = pick.choice(sorted(world.system(home).concepts) + ["absent"])
            concept = world.system(home).concepts.get(code)
            display = pick.choice([None, None, concept.display.upper() if concept else "x", (concept.other if concept else None) or "wrong"])
            abstract = pick.choice([None, None, True, False])
            is_member = concept is not None and (url is None or (home, code) in world.members(url))
            right = display is None or concept is not None and display.lower() in (concept.display.lower(), (concept.other or "").lower())
            expected.append(is_member and right and not (abstract is False and concept.abstract))
            place = parameter("url", "Uri", url) if url else None
            items.append(parameters(
                place, parameter("coding", "Coding", {"system": home, "code": code, **({"display": display} if display else {})}),
                parameter("abstract", "Boolean", abstract) if abstract is not None else None))
        answer = self.ask("batch-validate", {"resourceType": "Parameters", "parameter": [{"name": "validation", "resource": one} for one in items]})
        for item, result, wanted in zip(items, answer["parameter"], expected):
            values = {one["name"]: one.get("valueBoolean") for one in result["resource"].get("parameter", [])}
            self.compare("validate-code", item, values.get("result"), wanted)


def main():
    tool = sys.argv[1]
    worlds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    counts, faults = collections.Counter(), []
    for seed in range(first, first + worlds):
        check = Check(tool, seed).run()
        counts += check.counts
        faults += check.faults
    for kind, count in sorted(counts.items()):
        print(f"{kind:16}{count:8}")
    print(f"{sum(counts.values())} questions, {len(faults)} different")
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
