#!/usr/bin/env python3
"""synthetic-snomed.py FOLDER [--concepts N] [--seed N]: makes a release of a terminology in SNOMED CT's form RF2, with invented content.

The default has the size of an edition: 360,000 concepts, 1,100,000 relationships, 1,500,000 descriptions, two language reference sets, some simple
ones, a map and an association. Nothing in it means anything: names are words of random syllables. The identifiers of the metadata (is a, synonym, the
core module) are SNOMED CT's.
"""

import argparse
import os
import random

ISA = 116680003
ROOT = 138875005
CORE = 900000000000207008
DEFINED, PRIMITIVE = 900000000000073002, 900000000000074008
FSN, SYNONYM = 900000000000003001, 900000000000013009
INSENSITIVE = 900000000000448009
INFERRED, SOME = 900000000000011006, 900000000000451002
PREFERRED, ACCEPTABLE = 900000000000548007, 900000000000549004
US, GB = 900000000000509007, 900000000000508004
ATTRIBUTES = [363698007, 116676008, 246075003, 363704007, 260686004, 405813007, 127489000, 762949000, 411116001, 732943007]
STRENGTH = 1142135004
REFSETS = [723264001, 733073007, 816080008]
MAP, SAME_AS, MAPPED, MODEL = 447562003, 900000000000527005, 447561005, 900000000000012004
DATE = "20250101"

MULTIPLY = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 0, 6, 7, 8, 9, 5], [2, 3, 4, 0, 1, 7, 8, 9, 5, 6], [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
    [4, 0, 1, 2, 3, 9, 5, 6, 7, 8], [5, 9, 8, 7, 6, 0, 4, 3, 2, 1], [6, 5, 9, 8, 7, 1, 0, 4, 3, 2], [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
    [8, 7, 6, 5, 9, 3, 2, 1, 0, 4], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
]
PERMUTE = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 5, 7, 6, 2, 8, 3, 0, 9, 4], [5, 8, 0, 3, 7, 9, 6, 1, 4, 2], [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
    [9, 4, 5, 3, 1, 2, 6, 8, 7, 0], [4, 2, 8, 6, 5, 7, 3, 9, 0, 1], [2, 7, 9, 3, 8, 0, 6, 4, 1, 5], [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
]
INVERSE = [0, 4, 3, 2, 1, 5, 6, 7, 8, 9]


def identifier(item, partition):
    """An SCTID: the item, the partition and Verhoeff's check digit."""
    text = f"{item}{partition}"
    check = 0
    for place, digit in enumerate(reversed(text)):
        check = MULTIPLY[check][PERMUTE[(place + 1) % 8][ord(digit) - 48]]
    return int(text + str(INVERSE[check]))


class File:
    def __init__(self, folder, path, columns):
        path = os.path.join(folder, "Snapshot", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.file = open(path, "w", encoding="utf-8", newline="")
        self.rows = 0
        self.row(*columns.split())
        self.rows = 0

    def row(self, *values):
        self.file.write("\t".join(map(str, values)) + "\r\n")
        self.rows += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--concepts", type=int, default=360_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pick = random.Random(options.seed)
    # What varies dates, modules and the rows of maps, so that concepts and relationships stay the same with them.
    vary = random.Random(options.seed + 1)
    folder, count = options.folder, options.concepts

    syllables = [a + b for a in "bcdfghklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
    words = ["".join(pick.choice(syllables) for _ in range(pick.randint(2, 4))) for _ in range(max(200, min(40_000, count // 5)))]

    head = "id effectiveTime active moduleId"
    concepts = File(folder, f"Terminology/sct2_Concept_Snapshot_INT_{DATE}.txt", head + " definitionStatusId")
    descriptions = File(
        folder, f"Terminology/sct2_Description_Snapshot-en_INT_{DATE}.txt",
        head + " conceptId languageCode typeId term caseSignificanceId")
    relationships = File(
        folder, f"Terminology/sct2_Relationship_Snapshot_INT_{DATE}.txt",
        head + " sourceId destinationId relationshipGroup typeId characteristicTypeId modifierId")
    values = File(
        folder, f"Terminology/sct2_RelationshipConcreteValues_Snapshot_INT_{DATE}.txt",
        head + " sourceId value relationshipGroup typeId characteristicTypeId modifierId")
    language = File(
        folder, f"Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_{DATE}.txt",
        head + " refsetId referencedComponentId acceptabilityId")
    simple = File(folder, f"Refset/Content/der2_Refset_SimpleSnapshot_INT_{DATE}.txt", head + " refsetId referencedComponentId")
    maps = File(
        folder, f"Refset/Map/der2_iisssccRefset_ExtendedMapSnapshot_INT_{DATE}.txt",
        head + " refsetId referencedComponentId mapGroup mapPriority mapRule mapAdvice mapTarget correlationId mapCategoryId")
    associations = File(
        folder, f"Refset/Content/der2_cRefset_AssociationSnapshot_INT_{DATE}.txt",
        head + " refsetId referencedComponentId targetComponentId")

    def origin():
        """A date and a module, most often those of the release."""
        return (DATE if vary.random() < 0.6 else vary.choice(("20220131", "20230731", "20240131"))), (CORE if vary.random() < 0.8 else MODEL)

    numbers = {"description": 0, "relationship": 0, "member": 0}

    def next_number(kind):
        numbers[kind] += 1
        return numbers[kind]

    def describe(concept, kind, term, us, gb):
        number = identifier(next_number("description") + 1000, "01")
        date, module = origin()
        descriptions.row(number, date, 1, module, concept, "en", kind, term, INSENSITIVE)
        for refset, acceptability in ((US, us), (GB, gb)):
            if acceptability:
                member = next_number("member")
                language.row(f"{member:08x}-0000-4000-8000-000000000000", DATE, 1, CORE, refset, number, acceptability)

    def relate(source, kind, target, group):
        number = identifier(next_number("relationship") + 1000, "02")
        relationships.row(number, DATE, 1, CORE, source, target, group, kind, INFERRED, SOME)

    # The metadata that relationships and reference sets use are concepts, too.
    metadata = [
        ISA, *ATTRIBUTES, STRENGTH, *REFSETS, US, GB, CORE, FSN, SYNONYM, DEFINED, PRIMITIVE, PREFERRED, ACCEPTABLE, MAP, SAME_AS, MAPPED, MODEL]
    ids = [ROOT]
    concepts.row(ROOT, DATE, 1, CORE, PRIMITIVE)
    describe(ROOT, FSN, "Root of everything (root)", PREFERRED, PREFERRED)
    describe(ROOT, SYNONYM, "Root of everything", PREFERRED, PREFERRED)
    for number in metadata:
        concepts.row(number, DATE, 1, CORE, PRIMITIVE)
        relate(number, ISA, ROOT, 0)
        describe(number, FSN, f"Metadata {number} (metadata)", PREFERRED, PREFERRED)
        describe(number, SYNONYM, f"Metadata {number}", PREFERRED, PREFERRED)

    inactive = 0
    for index in range(1, count - len(metadata)):
        concept = identifier(index + 3_000_000, "00")
        is_active = pick.random() > 0.02 or index < 50
        concepts.row(concept, DATE, int(is_active), CORE, PRIMITIVE if pick.random() < 0.7 else DEFINED)
        name = " ".join(pick.choice(words) for _ in range(pick.randint(1, 5)))
        describe(concept, FSN, f"{name} (finding)", PREFERRED, PREFERRED)
        is_british = pick.random() < 0.1
        describe(concept, SYNONYM, name, PREFERRED, None if is_british else PREFERRED)
        if is_british:
            describe(concept, SYNONYM, name + "ae", None, PREFERRED)
        for _ in range(pick.choice((1, 2, 2, 3))):
            describe(
                concept, SYNONYM, " ".join(pick.choice(words) for _ in range(pick.randint(1, 6))), ACCEPTABLE, ACCEPTABLE)
        if vary.random() < 0.08:
            for group in range(1, vary.randint(1, 3) + 1):
                date, module = origin()
                target = f"{vary.choice('ABCDEFG')}{vary.randint(0, 99):02d}.{vary.randint(0, 9)}" if vary.random() < 0.9 else ""
                advice = "ALWAYS " + target if target else "NOT CLASSIFIABLE"
                maps.row(
                    f"{next_number('member'):08x}-0000-4000-8000-000000000002", date, int(vary.random() < 0.9), module, MAP, concept, group,
                    vary.randint(1, 4), "TRUE", advice, target, vary.choice((MAPPED, SAME_AS)), MAPPED)
        if not is_active:
            inactive += 1
            associations.row(
                f"{next_number('member'):08x}-0000-4000-8000-000000000003", DATE, 1, CORE, SAME_AS, concept, vary.choice(ids))
            continue
        # Parents are earlier concepts, the first ones more often: about 18 concepts are above one, as in the real hierarchy.
        parents = {ids[int(len(ids) * pick.random() ** 2.8)] for _ in range(1 if pick.random() < 0.62 else pick.randint(2, 3))}
        for parent in sorted(parents):
            relate(concept, ISA, parent, 0)
        for _ in range(pick.choice((0, 1, 1, 2, 2, 2, 3, 3))):
            relate(concept, pick.choice(ATTRIBUTES), ids[int(len(ids) * pick.random() ** 2)], pick.randint(0, 2))
        if pick.random() < 0.03:
            number = identifier(next_number("relationship") + 1000, "02")
            value = f"#{pick.choice((1, 2, 5, 10, 25, 50, 100, 250, 500))}"
            values.row(number, DATE, 1, CORE, concept, value, 1, STRENGTH, INFERRED, SOME)
        for refset in REFSETS:
            if pick.random() < 0.01:
                date, module = origin()
                simple.row(f"{next_number('member'):08x}-0000-4000-8000-000000000001", date, int(vary.random() < 0.95), module, refset, concept)
        ids.append(concept)

    for name, file in [("concepts", concepts), ("relationships", relationships), ("concrete values", values),
                       ("descriptions", descriptions), ("language members", language), ("refset members", simple), ("map members", maps),
                       ("association members", associations)]:
        file.file.close()
        print(f"{name} {file.rows}")


main()
