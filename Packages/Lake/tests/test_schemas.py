"""Views that change: new columns, other rows, other types."""

from __future__ import annotations

import copy
import json
import os

import pyarrow as pa
import pytest
from conftest import VIEWS, World
from deltalake import Schema as DeltaSchema

from firelite_lake import LakeError, tables
from firelite_lake.columns import MOMENT, STORE
from firelite_lake.schemas import schema_text, stored_schema


def test_new_columns_come_last_and_rows_are_written_again(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p", "gender": "male", "maritalStatus": {"text": "m"}})
    world.put("t", {"resourceType": "Patient", "id": "q", "gender": "female"})
    world.publish("s", "t")
    view = copy.deepcopy(VIEWS[0])
    view["select"][0]["column"].append({"name": "marital", "path": "maritalStatus.text"})
    world.add_view(view)
    run = world.publish("s")
    assert any("is another one than in the lake" in note for note in run.notes)
    rows = {row["_key"]: row for row in world.rows("people")}
    # The other store has the new column too, without values until it is published.
    assert rows["Patient/p"]["marital"] == "m" and rows["Patient/q"]["marital"] is None
    assert [name for name in rows["Patient/p"] if not name.startswith("_")][-1] == "marital"
    assert world.published("s", view) == world.expected("s", view)
    world.publish("t")
    assert len(world.rows("people")) == 2


def test_a_column_that_is_gone_is_empty(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p", "gender": "male"})
    world.publish("s")
    view = copy.deepcopy(VIEWS[0])
    view["select"][0]["column"] = [one for one in view["select"][0]["column"] if one["name"] != "gender"]
    world.add_view(view)
    world.publish("s")
    assert world.rows("people")[0]["gender"] is None
    world.is_same("s", views=[view])


def test_another_type_is_refused(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p", "gender": "male"})
    world.publish("s")
    view = copy.deepcopy(VIEWS[0])
    view["select"][0]["column"] = [{"name": "gender", "path": "active"}]
    world.add_view(view)
    with pytest.raises(LakeError) as caught:
        world.publish("s")
    assert "'gender'" in caught.value.message and caught.value.status == 2
    view["select"][0]["column"] = [{"name": "Gender", "path": "gender"}]
    world.add_view(view)
    with pytest.raises(LakeError) as caught:
        world.publish("s")
    assert "case" in caught.value.message


def test_names_of_columns_beside_others_are_taken(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p"})
    columns = [{"name": "born", "path": "birthDate"}, {"name": "born_literal", "path": "gender"}]
    path = world.add_view({"name": "taken", "resource": "Patient", "select": [{"column": columns}]})
    with pytest.raises(LakeError) as caught:
        world.publish("s", views=[path])
    assert "born_literal" in caught.value.message


def test_the_base_addresses_of_a_store_are_a_part_of_its_views(world: World) -> None:
    """A reference gets a key when its address becomes one of the store's own, though no resource has changed."""
    world.put(
        "s",
        '{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"subject":{"reference":"https://a.example/Patient/1"}}',
    )
    world.run("track", "--database", world.store("s"), "on", "changes")
    world.publish("s")
    assert world.rows("values")[0]["patient"] is None
    world.run("bases", "--database", world.store("s"), "add", "https://a.example")
    world.publish("s")
    assert world.rows("values")[0]["patient"] == "Patient/1"
    world.is_same("s")


def test_names_of_stores_may_be_awkward(world: World) -> None:
    for name in ("ward 7", "ü=%41&?", "a'b"):
        world.put(name, {"resourceType": "Patient", "id": "p", "gender": "male"})
        world.publish(name)
    assert {row["_store"] for row in world.rows("people")} == {"ward 7", "ü=%41&?", "a'b"}
    world.put("ward 7", {"resourceType": "Patient", "id": "p", "gender": "female"})
    world.publish("ward 7")
    assert sorted(row["gender"] for row in world.rows("people")) == ["female", "male", "male"]
    assert tables(world.lake) == sorted(os.path.basename(path).removesuffix(".json") for path in world.views)


def test_the_text_of_columns_is_what_deltalake_writes() -> None:
    inner = pa.struct([pa.field("x", pa.decimal128(38, 18)), pa.field("y", MOMENT, nullable=False)])
    columns = pa.schema(
        [
            pa.field("text", pa.string(), nullable=False), pa.field("small", pa.int32()), pa.field("large", pa.int64()),
            pa.field("is_so", pa.bool_()), pa.field("day", pa.date32()), pa.field("moment", MOMENT), pa.field("bytes", pa.binary()),
            pa.field("number", pa.decimal128(38, 6)), pa.field("one", inner), pa.field("many", pa.list_(pa.field("element", inner))),
            pa.field("texts", pa.list_(pa.field("element", pa.list_(pa.field("element", pa.string()))))),
        ]
    )
    whole = pa.schema([pa.field(STORE, pa.string()), *columns])
    assert json.loads(schema_text(columns)) == json.loads(str(DeltaSchema.from_arrow(whole).to_json()))
    assert stored_schema(schema_text(columns)) == columns
