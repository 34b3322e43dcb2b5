"""What a row has: the same values as the tool prints, with types."""

from __future__ import annotations

import os
import random
import stat
from decimal import Decimal

import pyarrow as pa
from conftest import VIEWS, World
from samples import DATES, DECIMALS, REFERENCES, TIMES, observation, patient


def everything(world: World, name: str = "s") -> None:
    """A store with each awkward value at least once."""
    seed = random.Random(1)
    lines = [patient(f"p{number}", seed) for number in range(40)]
    more = [observation(f"o{number}", seed) for number in range(80)]
    for number, decimal in enumerate(DECIMALS):
        more.append(
            f'{{"resourceType":"Observation","id":"d{number}","status":"final","code":{{"text":"x"}},"valueQuantity":{{"value":{decimal}}}}}'
        )
    for number, time in enumerate(DATES + TIMES):
        more.append(
            f'{{"resourceType":"Observation","id":"t{number}","status":"final","code":{{"text":"x"}},"effectiveDateTime":"{time}"}}'
        )
    for number, reference in enumerate(REFERENCES):
        more.append(
            f'{{"resourceType":"Observation","id":"r{number}","status":"final","code":{{"text":"x"}},"subject":{{"reference":"{reference}"}}}}'
        )
    world.put(name, *lines, *more)


def test_rows_are_those_of_the_tool(world: World) -> None:
    everything(world)
    run = world.publish("s")
    assert [one.mode for one in run.published] == ["all"] * len(VIEWS)
    world.is_same("s")
    assert all(one.rows == sum(world.expected("s", view).values()) for one, view in zip(run.published, VIEWS, strict=True))


def test_references_are_keys_under_the_bases_of_the_store(world: World) -> None:
    """A base address changes the rows of resources that did not change."""
    everything(world)
    view = VIEWS[2]
    world.publish("s", views=[world.views[2]])
    world.is_same("s", views=[view])
    before = world.published("s", view)
    world.run("bases", "--database", world.store("s"), "add", "http://ours.example/fhir")
    world.publish("s", views=[world.views[2]])
    world.is_same("s", views=[view])
    assert world.published("s", view) != before


def test_types_are_exact(world: World) -> None:
    world.put(
        "s",
        '{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"issued":"2015-02-07T13:28:17.239+02:00",'
        '"valueQuantity":{"value":1.50}}',
        {"resourceType": "Patient", "id": "p", "active": True, "birthDate": "1970-03", "name": [{"given": ["A", "B"]}]},
    )
    world.publish("s")
    row = world.rows("values")[0]
    assert row["value"] == Decimal("1.5") and row["value_literal"] == "1.50"
    assert row["issued"].isoformat() == "2015-02-07T11:28:17.239000+00:00" and row["issued_offset"] == 120 and row["issued_literal"] is None
    assert row["_key"] == "Observation/o" and row["_version"] == 1 and row["_store"] == "s"
    person = world.rows("people")[0]
    assert person["born"].isoformat() == "1970-03-01" and person["born_literal"] == "1970-03"
    assert person["given"] == ["A", "B"] and person["active"] is True


def test_types_do_not_depend_on_what_is_stored(world: World) -> None:
    """A store without any value has the columns that a full one has, and both go into one table."""
    world.put("empty", {"resourceType": "Basic", "id": "b", "code": {"text": "x"}})
    world.publish("empty")
    everything(world, "full")
    world.publish("full")
    world.is_same("full")
    from deltalake import DeltaTable

    fields = {field.name: field.type for field in pa.schema(DeltaTable(os.path.join(world.lake, "values")).schema().to_arrow())}
    assert str(fields["value"]) == "decimal128(38, 18)" and str(fields["issued"]) == "timestamp[us, tz=UTC]"


def test_files_are_their_owners(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p"})
    done = world.run("publish", "--database", world.store("s"), "--to", world.lake, "--plan")
    import subprocess
    import sys

    published = subprocess.run([sys.executable, "-m", "firelite_lake.program"], input=done.stdout, text=True, capture_output=True)
    assert published.returncode == 0, published.stdout
    seen = 0
    for folder, _, names in os.walk(world.lake):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            assert stat.S_IMODE(os.stat(path).st_mode) & 0o077 == 0, path
            seen += 1
    assert seen > 4
