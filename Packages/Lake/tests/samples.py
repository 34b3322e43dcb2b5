"""Seeded resources with awkward values."""

from __future__ import annotations

import random
from typing import Any

NAMES = ["Chalmers", "O'Hare", 'The "Great"', "Zoë 👩‍⚕️", "日本", "line\nbreak", "back\\slash", "a,b", "%41", "null", "Ünal"]
DATES = ["1970", "1970-03", "1970-03-30", "0001-01-01", "9999-12-31", "2020-02-29", "1899-12-31"]
TIMES = [
    "2015-02-07T13:28:17.239+02:00", "2015-02-07T13:28:17Z", "2015-02-07T13:28:17-05:00", "2015-02-07T13:28:17.2390Z", "1969-12-31T23:59:59.001Z",
    "2015-02-07T13:28:17.000Z", "2015-02-07T13:28:17.123456789-00:00", "2016-12-31T23:59:60Z", "2015-02-07T13:28:17+00:00", "2015-02-07T00:00:00+14:00",
    "2015-02-07T13:28:17.5+05:30", "2015-02-07T13:28:17.123456Z",
]
DECIMALS = [
    "1.50", "72", "0.1", "82.3041967239677", "-3", "1e3", "6.0221e23", "1e-7", "3.0154859482938375", "12345678901234567890.123456789012345678", "0", "0.0", "-0.5", "100.10",
    "1e400", "1E-30", "99999999999999999999.9",
]


REFERENCES = [
    "Patient/p1/_history/2", "Patient/p1/_history/", "Patient/p1/_history/2/_history/3", "Group/g", "Patient/", "Patient", "Patient//p1", "/Patient/p1",
    "Patient/a b", "patient/p1", "Patient/" + "x" * 64, "Patient/" + "x" * 65, "http://ours.example/fhir/Patient/p1", "http://ours.example/Patient/p1",
    "https://other.example/fhir/Patient/p1", "http://ours.example/fhir/Group/g/_history/1", "#o", "urn:uuid:c757873d-ec9a-4326-a141-556f43239520",
    "Patient/p1?x=y", "Patient/p1\\n", "Patient/é",
]


def patient(id: str, random: random.Random) -> dict[str, Any]:
    resource: dict[str, Any] = {"resourceType": "Patient", "id": id}
    if random.random() < 0.7:
        resource["active"] = random.random() < 0.8
    if random.random() < 0.7:
        resource["birthDate"] = random.choice(DATES)
    if random.random() < 0.3:
        resource["deceasedDateTime"] = random.choice(DATES + TIMES)
    if random.random() < 0.2:
        resource["multipleBirthInteger"] = random.randrange(5)
    resource["gender"] = random.choice(["male", "female", "other", "unknown"])
    names = [
        {"family": random.choice(NAMES), "given": [random.choice(NAMES) for _ in range(random.randrange(1, 3))]}
        for _ in range(random.randrange(3))
    ]
    for name in names:
        if random.random() < 0.3:
            name["period"] = {"start": random.choice(DATES + TIMES)}
    if names:
        resource["name"] = names
    return resource


def observation(id: str, random: random.Random) -> str:
    """A line of JSON, as numbers have digits that Python's do not keep."""
    parts = [f'"resourceType":"Observation","id":"{id}","status":"final","code":{{"coding":[{{"code":"c{random.randrange(4)}"}}]}}']
    if random.random() < 0.7:
        reference = f"Patient/p{random.randrange(12)}" if random.random() < 0.6 else random.choice(REFERENCES)
        parts.append(f'"subject":{{"reference":"{reference}"}}')
    if random.random() < 0.6:
        parts.append(f'"effectiveDateTime":"{random.choice(DATES + TIMES)}"')
    if random.random() < 0.6:
        parts.append(f'"issued":"{random.choice(TIMES)}"')
    kind = random.random()
    if kind < 0.7:
        parts.append(f'"valueQuantity":{{"value":{random.choice(DECIMALS)},"unit":"kg"}}')
    elif kind < 0.8:
        parts.append('"valueTime":"13:28:17"')
    if random.random() < 0.4:
        components = [
            f'{{"code":{{"text":"x"}},"valueQuantity":{{"value":{random.choice(DECIMALS)}}}}}'
            if random.random() < 0.5
            else f'{{"code":{{"text":"x"}},"valueDateTime":"{random.choice(DATES + TIMES)}"}}'
            for _ in range(random.randrange(1, 4))
        ]
        parts.append(f'"component":[{",".join(components)}]')
    return "{" + ",".join(parts) + "}"
