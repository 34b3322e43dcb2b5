#!/usr/bin/env python3
"""check-ecl.py TOOL FOLDER [COUNT] [SEED] [FILE]: compares random expression constraints with a plain evaluation of the files of a release.

TOOL is the path of `firelite`, FOLDER a release in the form RF2, such as one of `Scripts/synthetic-snomed.py FOLDER`. FILE has the release imported; without
it the release is imported first. Operators are signs or, as the long syntax has them, words; filters are on names, on concepts and on the rows of
reference sets with their fields. Nothing here is shared with the tool: sets are Python's, and hierarchies are walked.
"""

import glob
import json
import os
import random
import subprocess
import sys
import tempfile

IS_A = "116680003"
DEFINED = "900000000000073002"
FULL_NAME = "900000000000003001"
WORDS = {
    "<": "descendantOf", "<<": "descendantOrSelfOf", "<!": "childOf", "<<!": "childOrSelfOf", ">": "ancestorOf", ">>": "ancestorOrSelfOf",
    ">!": "parentOf", ">>!": "parentOrSelfOf", "^": "memberOf", "R": "reverseOf", "!=": "not =", "..": " to ",
}


class Release:
    """The active concepts, parents, children, attributes, names and members of reference sets."""

    def __init__(self, folder):
        def rows(pattern):
            for path in glob.glob(os.path.join(folder, "Snapshot", pattern)):
                with open(path, encoding="utf-8") as file:
                    self.columns = next(file).rstrip("\r\n").split("\t")
                    for line in file:
                        yield line.rstrip("\r\n").split("\t")

        self.concepts = {row[0]: row for row in rows("Terminology/sct2_Concept_*")}
        self.active = {concept for concept, row in self.concepts.items() if row[2] == "1"}
        self.names = {}
        for row in rows("Terminology/sct2_Description_*"):
            if row[2] == "1":
                self.names.setdefault(row[4], []).append(row)
        self.parents, self.children, self.attributes, self.members = {}, {}, {}, {}
        for row in rows("Terminology/sct2_Relationship_*"):
            source, target, group, kind = row[4:8]
            if kind == IS_A:
                self.parents.setdefault(source, set()).add(target)
                self.children.setdefault(target, set()).add(source)
            else:
                self.attributes.setdefault(source, set()).add((int(group), kind, target))
        self.rows = {}
        for pattern in ["Refset/Content/*", "Refset/Map/*"]:
            for row in rows(pattern):
                self.rows.setdefault(row[4], []).append(dict(zip(self.columns, row)))
                if row[2] == "1":
                    self.members.setdefault(row[4], set()).add(row[5])

    def facts(self, concept):
        return self.attributes.get(concept, ())

    @staticmethod
    def walk(edges, concept):
        found, open_ = set(), [concept]
        while open_:
            for other in edges.get(open_.pop(), ()):
                if other not in found:
                    found.add(other)
                    open_.append(other)
        return found


class Maker:
    """Makes expressions together with what they mean."""

    def __init__(self, release, seed):
        self.release, self.random = release, random.Random(seed)
        self.all = sorted(release.active)
        self.large = sorted(self.all, key=lambda concept: -len(release.children.get(concept, ())))[:60]
        self.types = sorted({kind for facts in release.attributes.values() for _, kind, _ in facts})

    def sign(self, text):
        """An operator as a sign or as a word."""
        return text if self.random.random() < 0.6 else f" {WORDS[text]} "

    def leaf(self):
        concept = self.random.choice(self.large if self.random.random() < 0.7 else self.all)
        return concept, {concept}

    def related(self, text, concepts):
        release = self.release
        sign = self.random.choice(["", "<", "<<", "<!", "<<!", ">", ">>", ">!", ">>!"])
        if not sign:
            return text, concepts
        edges = release.children if "<" in sign else release.parents
        near = (lambda c: edges.get(c, set())) if "!" in sign else (lambda c: release.walk(edges, c))
        found = set().union(*(near(concept) for concept in concepts)) if concepts else set()
        return self.sign(sign) + text, found | concepts if sign.startswith(("<<", ">>")) else found

    def expression(self, depth):
        release, pick = self.release, self.random
        if depth == 0 or pick.random() < 0.2:
            return self.related(*self.leaf())
        text, concepts = self.expression(depth - 1)
        form = pick.randrange(10)
        if form == 0:
            return self.related(f"({text})", concepts)
        if form < 4:
            other, others = self.expression(depth - 1)
            word = ["AND", "OR", "MINUS"][form - 1]
            result = {"AND": concepts & others, "OR": concepts | others, "MINUS": concepts - others}[word]
            return f"({text}) {pick.choice([word, word.lower()])} ({other})", result
        if form == 4:
            refset = pick.choice(sorted(release.members))
            return f"{self.sign('^')}{refset} AND ({text})", release.members[refset] & concepts
        if form == 7:
            return self.named(text, concepts)
        if form == 8:
            return self.stated(text, concepts)
        if form == 9:
            found, members = self.member_rows()
            return f"{found} OR ({text})", members | concepts
        kind = pick.choice(self.types)
        if form == 5:
            return f"({text}).{kind}", {target for c in concepts for _, k, target in release.facts(c) if k == kind}
        refinement, test = self.refinement(kind)
        return f"({text}): {refinement}", {concept for concept in concepts if test(concept)}

    def origin(self):
        """A condition on a module or a date, and its test."""
        pick = self.random
        if pick.random() < 0.5:
            module = pick.choice(["900000000000207008", "900000000000012004", "5"])
            sign = pick.choice(["=", "!="])
            return f"moduleId {self.equality(sign)} {module}", lambda date, other: (other == module) == (sign == "=")
        wanted, sign = pick.choice(["20220131", "20230731", "20240131", "20250101"]), pick.choice(["=", "!=", "<", "<=", ">", ">="])
        test = {
            "=": lambda date: date == wanted, "!=": lambda date: date != wanted, "<": lambda date: date < wanted,
            "<=": lambda date: date <= wanted, ">": lambda date: date > wanted, ">=": lambda date: date >= wanted}[sign]
        return f'effectiveTime {self.equality(sign)} "{wanted}"', lambda date, other: test(date)

    def equality(self, text):
        return self.sign(text) if text == "!=" else text

    def named(self, text, concepts):
        """A filter on names: all conditions are about one of them."""
        pick = self.random
        origins = [self.origin() for _ in range(pick.randint(1, 2))]
        is_full = pick.choice([True, False, None])
        kinds = [] if is_full is None else [f"type {self.equality('=' if is_full else '!=')} fsn"]

        def test(row):
            return all(test(row[1], row[3]) for _, test in origins) and is_full in (None, row[6] == FULL_NAME)

        conditions = ", ".join(kinds + [origin for origin, _ in origins])
        found = {concept for concept in concepts if any(test(row) for row in self.release.names.get(concept, ()))}
        return f"({text}) {{{{ {pick.choice(['', 'D '])}{conditions} }}}}", found

    def stated(self, text, concepts):
        """A filter on what the file of concepts says."""
        pick = self.random
        origin, test = self.origin()
        is_defined = pick.random() < 0.5
        status = "definitionStatus = " + ("defined" if is_defined else "primitive")
        found = set()
        for concept in concepts:
            row = self.release.concepts[concept]
            if test(row[1], row[3]) and (row[4] == DEFINED) == is_defined:
                found.add(concept)
        return f"({text}) {{{{ C {status}, {origin} }}}}", found

    def member_rows(self):
        """Members by filters on rows and their fields, or the concepts of a field."""
        pick, release = self.random, self.release
        refset = pick.choice(sorted(release.rows))
        rows = release.rows[refset]
        own = [name for name in rows[0] if name not in ("id", "active", "effectiveTime", "moduleId", "refsetId")]
        conditions, tests = [], []
        origin, test = self.origin()
        if pick.random() < 0.5:
            conditions.append(origin)
            tests.append(lambda row: test(row["effectiveTime"], row["moduleId"]))
        wants_inactive = pick.random() < 0.3
        if wants_inactive:
            conditions.append("active = " + pick.choice(["false", "0"]))
        if pick.random() < 0.8:
            field = pick.choice(own)
            value, sign = pick.choice(rows)[field], pick.choice(["=", "!="])
            if field in ("mapGroup", "mapPriority"):
                sign = pick.choice(["=", "!=", "<", ">="])
                compare = {"=": int.__eq__, "!=": int.__ne__, "<": int.__lt__, ">=": int.__ge__}[sign]
                conditions.append(f"{field} {self.equality(sign)} #{value}")
                tests.append(lambda row: compare(int(row[field]), int(value)))
            elif field.endswith("Id"):
                below = release.walk(release.children, value) | {value}
                conditions.append(f"{field} {self.equality(sign)} << {value}")
                tests.append(lambda row: (row[field] in below) == (sign == "="))
            else:
                conditions.append(f'{field} {self.equality(sign)} exact:"{value}"')
                tests.append(lambda row: (row[field] == value) == (sign == "="))
        chosen = [row for row in rows if (row["active"] == "0") == wants_inactive and all(test(row) for test in tests)]
        filters = f" {{{{ M {', '.join(conditions)} }}}}" if conditions else ""
        field = pick.choice([name for name in own if name.endswith("Id")])
        if pick.random() < 0.4 and filters:
            return f"^ [{field}] {refset}{filters}", {row[field] for row in chosen}
        return f"{self.sign('^')}{refset}{filters}", {row["referencedComponentId"] for row in chosen}

    def refinement(self, kind):
        release, pick = self.release, self.random
        concept, _ = self.leaf()
        value, values = f"<<{concept}", release.walk(release.children, concept) | {concept}

        def count(facts, wanted=lambda target: target in values):
            return sum(k == kind and wanted(target) for _, k, target in facts)

        def grouped(concept, other):
            groups = {}
            for place, (group, k, target) in enumerate(sorted(release.facts(concept))):
                groups.setdefault(group or -1 - place, []).append((group, k, target))
            return any(count(facts) and any(k == other for _, k, _ in facts) for facts in groups.values())

        other = pick.choice(self.types)
        return pick.choice([
            (f"{kind} = {value}", lambda c: count(release.facts(c)) > 0),
            (f"{kind} {self.sign('!=')} {value}", lambda c: count(release.facts(c), lambda target: target not in values) > 0),
            (f"[0{self.sign('..')}1] {kind} = {value}, {kind} = *", lambda c: count(release.facts(c)) <= 1 and count(release.facts(c), lambda _: True) > 0),
            (f"{self.sign('R')} {kind} = {value}", lambda c: any(k == kind and t == c for v in values for _, k, t in release.facts(v))),
            (f"{{ {kind} = {value}, {other} = * }}", lambda c: grouped(c, other)),
        ])


def main():
    tool, folder = sys.argv[1:3]
    count, seed = (int(text) for text in (sys.argv[3:5] + ["150", "1"][len(sys.argv[3:5]):]))
    maker = Maker(Release(folder), seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        database, request = os.path.join(work, "codes.sqlite"), os.path.join(work, "request.json")
        if len(sys.argv) > 5:
            database = sys.argv[5]
        else:
            subprocess.run([tool, "codes", "--knowledge", database, "add", folder], check=True)
        for _ in range(count):
            text, expected = maker.expression(maker.random.choice([0, 1, 1, 2]))
            url = {"name": "url", "valueUri": "http://snomed.info/sct?fhir_vs=ecl/" + text}
            with open(request, "w", encoding="utf-8") as file:
                json.dump({"resourceType": "Parameters", "parameter": [url]}, file)
            answer = subprocess.run(
                [tool, "terminology", "expand", "--release", "R4", "--knowledge", database, "--parameters", request, "--limit", "1000000"],
                stdout=subprocess.PIPE, check=False)
            found = {item["code"] for item in json.loads(answer.stdout).get("expansion", {}).get("contains", [])}
            if found != expected:
                wrong += 1
                print(f"seed {seed}: {text}: {len(found)} concepts instead of {len(expected)}")
    print(f"{count} expressions, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
