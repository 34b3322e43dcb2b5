"""Resources by type: what FHIR's JSON says of them, in nested columns."""

from __future__ import annotations

import json
import os
import random
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import World
from killing import killed_at
from samples import observation, patient

from firelite_lake import LakeError, Plan, files, publish
from firelite_lake.publish import Run

EXAMPLES = Path(os.environ.get("FIRELITE_EXAMPLES", "/nowhere"))


class Number(str):
    """A number of JSON with its digits."""


def publish_resources(world: World, *names: str, since_last: bool = True) -> Run:
    arguments = ["publish", "--plan", "--to", world.lake, "--resources", "--views", world.views[2]]
    for name in names:
        arguments += ["--database", world.store(name)]
    if since_last:
        arguments.append("--since-last")
    return publish(Plan.read(world.run(*arguments).stdout))


def meant(value: Any) -> Any:
    """What a value says: without annotations, empty elements and the difference of numbers and their texts."""
    if isinstance(value, dict):
        members = {name: meant(one) for name, one in value.items() if not name.startswith("__") and not is_resource(one)}
        return {name: one for name, one in members.items() if one not in (None, {}, [])} or None
    if isinstance(value, list):
        found = [meant(one) for one in value if not is_resource(one)]
        return found if any(one is not None for one in found) else None
    if isinstance(value, bytes):
        return value.decode()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def is_resource(value: Any) -> bool:
    """Whether it is a contained resource, or one in a Bundle, for which the shape has no place."""
    return isinstance(value, dict) and "resourceType" in value


def of_lake(world: World, type: str, store: str) -> dict[str, Any]:
    rows = world.rows(type, store)
    for row in rows:
        assert row["resourceType"] == type
        for name in ("_root", "_revision", "_updated", "_store"):
            del row[name]
    return {row["id"]: meant(row) for row in rows}


def of_store(world: World, store: str) -> dict[str, dict[str, Any]]:
    folder = world.folder / f"export-{random.random()}"
    world.run("export", "--database", world.store(store), "--output", str(folder))
    found: dict[str, dict[str, Any]] = {}
    for path in folder.glob("*.ndjson"):
        for line in path.read_text().splitlines():
            resource = json.loads(line, parse_float=Number, parse_int=Number)
            resource_type = resource["resourceType"]
            found.setdefault(resource_type, {})[resource["id"]] = meant(resource) | {"resourceType": resource_type}
    return found


def is_same(world: World, *stores: str) -> None:
    for store in stores:
        expected = of_store(world, store)
        types = [name for name in os.listdir(world.lake) if name[0].isupper()]
        assert set(expected) <= set(types)
        for type in types:
            assert of_lake(world, type, store) == expected.get(type, {}), (type, store)


DEEP = (
    '{"resourceType":"Patient","id":"deep","_birthDate":{"extension":[{"url":"t","valueDateTime":"1970-03-30T10:00:00+01:00"}]},'
    '"name":[{"given":["A",null,"B"],"_given":[null,{"id":"g","extension":[{"url":"x","valueCode":"y"}]},null]},{"_family":{"id":"f"}}],'
    '"extension":[{"url":"a","extension":[{"url":"b","extension":[{"url":"c","valueDecimal":1.50}]},{"url":"d","valueBoolean":false}]}],'
    '"contained":[{"resourceType":"Organization","id":"o","name":"N"}],"managingOrganization":{"reference":"#o"},'
    '"multipleBirthInteger":2,"photo":[{"contentType":"image/png","data":"aGVsbG8="}]}'
)
QUESTIONS = (
    '{"resourceType":"Questionnaire","id":"q","status":"draft","version":"2","_version":{"id":"v"},"item":[{"linkId":"1","type":"group","item":['
    '{"linkId":"1.1","type":"decimal","initial":[{"valueDecimal":0.10}],"item":[{"linkId":"1.1.1","type":"display"}]},'
    '{"linkId":"1.2","type":"choice","enableWhen":[{"question":"1.1","operator":"=","answerDecimal":1e-7}]}]},{"linkId":"2","type":"date"}]}'
)


def everything(world: World, name: str, seed: int) -> None:
    chance = random.Random(seed)
    world.put(
        name, DEEP, QUESTIONS, *(patient(f"p{number}", chance) for number in range(40)), *(observation(f"o{number}", chance) for number in range(80))
    )


@pytest.mark.parametrize("seed", range(3))
def test_resources_are_what_their_json_says(world: World, seed: int) -> None:
    everything(world, "s", seed)
    run = publish_resources(world, "s")
    assert {one.table for one in run.published} >= {"values", "Patient", "Observation", "Questionnaire"}
    is_same(world, "s")


def test_annotations_are_numbers_and_bounds(world: World) -> None:
    times = {
        "1970": ("1970-01-01T00:00:00", "1970-12-31T23:59:59.999"), "2020-02": ("2020-02-01T00:00:00", "2020-02-29T23:59:59.999"),
        "1970-03-30": ("1970-03-30T00:00:00", "1970-03-30T23:59:59.999"),
        "2015-02-07T13:28:17+02:00": ("2015-02-07T11:28:17", "2015-02-07T11:28:17.999"),
        "2015-02-07T13:28:17.2Z": ("2015-02-07T13:28:17.200", "2015-02-07T13:28:17.299"),
        "2015-02-07T13:28:17.239-05:30": ("2015-02-07T18:58:17.239", "2015-02-07T18:58:17.239"),
        "0001-01-01": ("0001-01-01T00:00:00", "0001-01-01T23:59:59.999"), "9999": ("9999-01-01T00:00:00", "9999-12-31T23:59:59.999"),
    }
    world.put(
        "s",
        *(
            f'{{"resourceType":"Observation","id":"{number}","status":"final","code":{{"text":"x"}},"effectiveDateTime":"{text}"}}'
            for number, text in enumerate(times)
        ),
        '{"resourceType":"Observation","id":"n","status":"final","code":{"text":"x"},"valueQuantity":{"value":82.3041967239677}}',
        '{"resourceType":"Observation","id":"m","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.50}}',
        '{"resourceType":"Observation","id":"h","status":"final","code":{"text":"x"},"valueQuantity":{"value":1e400}}',
    )
    publish_resources(world, "s")
    rows = {row["id"]: row for row in world.rows("Observation")}
    for number, (text, bounds) in enumerate(times.items()):
        row = rows[str(number)]
        assert row["effectiveDateTime"] == text
        found = (row["__effectiveDateTime_start"], row["__effectiveDateTime_end"])
        assert found == tuple(datetime.fromisoformat(one).replace(tzinfo=timezone.utc) for one in bounds), text
    assert rows["m"]["valueQuantity"] == {"value": "1.50", "__value_numeric": Decimal("1.500000")}
    # Six digits after the point are not enough: nothing is rounded.
    assert rows["n"]["valueQuantity"] == {"value": "82.3041967239677", "__value_numeric": None}
    assert rows["h"]["valueQuantity"] == {"value": "1e400", "__value_numeric": None}


def test_the_shape_is_the_published_one(world: World) -> None:
    """Types of Parquet by the table of the specification; lists are groups with `list` and `element`; only `resourceType` is required."""
    world.put("s", DEEP)
    publish_resources(world, "s")
    schema = pq.ParquetFile(files(world.lake, "Patient")[0].path).schema
    columns = {schema.column(index).path: schema.column(index) for index in range(len(schema))}
    types = {path: (column.physical_type, str(column.logical_type)) for path, column in columns.items()}
    assert types["resourceType"] == ("BYTE_ARRAY", "String") and columns["resourceType"].max_definition_level == 0
    assert all(column.max_definition_level > 0 for path, column in columns.items() if path != "resourceType")
    assert types["name.list.element.given.list.element"] == ("BYTE_ARRAY", "String")
    assert types["name.list.element._given.list.element.id"] == ("BYTE_ARRAY", "String")
    assert types["multipleBirthInteger"][0] == "INT32"
    assert types["photo.list.element.data"] == ("BYTE_ARRAY", "None")
    inner = "extension.list.element.extension.list.element.extension.list.element."
    assert types[f"{inner}valueDecimal"] == ("BYTE_ARRAY", "String")
    assert types[f"{inner}__valueDecimal_numeric"] == ("FIXED_LEN_BYTE_ARRAY", "Decimal(precision=38, scale=6)")
    assert not any("contained" in path for path in types)


def test_changed_resources_alone_are_published_again(world: World) -> None:
    everything(world, "s", 1)
    world.run("track", "--database", world.store("s"), "on", "changes")
    publish_resources(world, "s")
    chance = random.Random(9)
    world.put("s", patient("p1", chance), patient("new", chance), observation("o3", chance))
    world.delete("s", "Patient/p2", "Questionnaire/q")
    run = publish_resources(world, "s")
    modes = {one.table: (one.mode, one.added, one.removed) for one in run.published if one.table[0].isupper() and one.mode != "unchanged"}
    assert modes == {"Patient": ("changes", 2, 2), "Observation": ("changes", 1, 1), "Questionnaire": ("changes", 0, 1)}
    is_same(world, "s")
    publish_resources(world, "s", since_last=False)
    is_same(world, "s")
    revisions = {row["id"]: row["_revision"] for row in world.rows("Patient")}
    assert revisions["p1"] == 2 and revisions["new"] == 1


def test_new_elements_widen_the_table(world: World) -> None:
    """Also within lists, and deeper recursion: files that are there already are not written again."""
    world.put("s", {"resourceType": "Patient", "id": "p", "name": [{"family": "A"}], "extension": [{"url": "a", "valueCode": "b"}]})
    publish_resources(world, "s")
    old = {file.path for file in files(world.lake, "Patient")}
    world.put("t", DEEP)
    publish_resources(world, "t")
    world.put("s", DEEP, {"resourceType": "Patient", "id": "r", "name": [{"text": "T"}], "active": True})
    publish_resources(world, "s")
    assert old < {file.path for file in files(world.lake, "Patient")}
    is_same(world, "s", "t")


def test_random_changes_of_resources(world: World) -> None:
    for seed in range(5):
        chance = random.Random(seed)
        world.lake = str(world.folder / f"lake{seed}")
        name = f"s{seed}"
        world.put(name, patient("p0", chance))
        if seed % 2:
            world.run("track", "--database", world.store(name), "on", "changes")
        for _ in range(4):
            world.put(name, *(patient(f"p{chance.randrange(12)}", chance) for _ in range(4)), observation(f"o{chance.randrange(8)}", chance))
            if chance.random() < 0.5:
                world.run("delete", "--database", world.store(name), f"Patient/p{chance.randrange(12)}", fails=True)
            if chance.random() < 0.3:
                world.put(name, DEEP)
            publish_resources(world, name, since_last=bool(chance.randrange(2)))
            is_same(world, name)


def test_large_resources_are_assembled_in_smaller_parts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that is too large for a column is halved, and one resource that is too large is named by its type."""
    import pyarrow as pa

    from firelite_lake.resources import Assembler

    whole = Assembler._batch
    sizes: list[int] = []
    limit = 7

    def limited(self: Assembler, states: Any, start: int, chunk: Any, *, is_range: bool) -> pa.RecordBatch:
        sizes.append(len(chunk))
        if len(chunk) > limit:
            raise pa.ArrowInvalid("offset overflow")
        return whole(self, states, start, chunk, is_range=is_range)

    monkeypatch.setattr(Assembler, "_batch", limited)
    world.put("s", *(patient(f"p{number}", random.Random(number)) for number in range(30)))
    publish_resources(world, "s")
    assert sizes[:4] == [30, 15, 7, 7]
    is_same(world, "s")
    limit = 0
    world.put("s", patient("new", random.Random(99)))
    with pytest.raises(LakeError) as caught:
        publish_resources(world, "s")
    assert "a Patient that is too large" in caught.value.message


def test_killed_publications_of_resources_are_completed(world: World) -> None:
    """At random calls that write, some of them while a table gets new columns: each type is as before or after, and nothing is doubled or lost."""
    nightly = bool(os.environ.get("FIRELITE_NIGHTLY"))
    chance = random.Random(11)
    world.put("s", *(patient(f"p{number}", chance) for number in range(20)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    before: dict[str, dict[str, Any]] = {}
    kills, wanted = 0, 20 if nightly else 3
    for turn in range(3 * wanted):
        world.put("s", *(patient(f"p{chance.randrange(30)}", chance) for _ in range(3)), observation(f"o{turn}", chance))
        world.run("delete", "--database", world.store("s"), f"Patient/p{chance.randrange(30)}", fails=True)
        if turn == 2:
            world.put("s", DEEP)
        arguments = ["publish", "--plan", "--to", world.lake, "--resources", "--views", world.views[2], "--database", world.store("s")]
        if chance.random() < 0.7:
            arguments.append("--since-last")
        plan = world.run(*arguments).stdout
        kills += killed_at(plan, chance.randrange(1, 45)) == -9
        after = of_store(world, "s")
        for type in published_types(world):
            assert of_lake(world, type, "s") in (before.get(type, {}), after[type]), (turn, type)
            assert len(world.rows(type)) == len(of_lake(world, type, "s")), (turn, type)
        if turn % 2:
            # Otherwise, the next publication has two changes to make up for.
            publish(Plan.read(plan))
            is_same(world, "s")
        before = {type: of_lake(world, type, "s") for type in published_types(world)}
        if kills == wanted:
            break
    assert kills == wanted, "too many publications ended before they were killed"
    publish_resources(world, "s")
    is_same(world, "s")


def published_types(world: World) -> list[str]:
    return [type for type in ("Patient", "Observation") if os.path.exists(os.path.join(world.lake, type, "_delta_log", f"{0:020}.json"))]


def test_a_view_with_the_name_of_a_type_is_refused(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p"})
    path = world.add_view({"name": "patient", "resource": "Patient", "select": [{"column": [{"name": "id", "path": "id"}]}]})
    arguments = ["publish", "--plan", "--to", world.lake, "--resources", "--views", path, "--database", world.store("s")]
    with pytest.raises(LakeError) as caught:
        Plan.read(world.run(*arguments).stdout)
    assert caught.value.status == 2 and "--resources" in caught.value.message


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="FIRELITE_EXAMPLES names no folder with FHIR's examples")
def test_the_examples_of_the_specification(world: World) -> None:
    """Names a folder of JSON files of R4 in FIRELITE_EXAMPLES."""
    lines = []
    for path in sorted(EXAMPLES.glob("*.json")):
        text = path.read_text(encoding="utf-8-sig")
        resource = json.loads(text)
        if "id" in resource and resource.get("resourceType") != "Bundle":
            lines.append(" ".join(text.splitlines()))
    world.put("s", *lines)
    publish_resources(world, "s")
    is_same(world, "s")
