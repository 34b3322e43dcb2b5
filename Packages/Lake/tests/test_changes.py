"""Publishing again: what changed, and nothing else; whatever was done to the store in the meantime."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
from collections import Counter

import pytest
from conftest import VIEWS, World
from samples import observation, patient


def modes(run: object) -> set[str]:
    return {one.mode for one in run.published}  # type: ignore[attr-defined]


def test_the_log_says_what_changed(world: World) -> None:
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}", "active": True, "name": [{"family": "A"}]} for number in range(50)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    world.publish("s")
    world.put("s", {"resourceType": "Patient", "id": "p1", "active": True, "name": [{"family": "B"}, {"family": "C"}]})
    world.put("s", {"resourceType": "Patient", "id": "new", "active": True, "name": [{"family": "D"}]})
    world.delete("s", "Patient/p2")
    run = world.publish("s")
    assert not run.notes
    families = next(one for one in run.published if one.table == "families")
    assert (families.mode, families.added, families.removed, families.rows) == ("changes", 3, 2, 51)
    assert {one.mode for one in run.published if one.table in ("values", "both")} == {"unchanged"}
    world.is_same("s")
    versions = {row["_key"]: row["_version"] for row in world.rows("people")}
    assert versions["Patient/p1"] == 2 and versions["Patient/new"] == 1 and "Patient/p2" not in versions


@pytest.mark.parametrize("since_last", [False, True])
def test_publishing_again_changes_nothing(world: World, since_last: bool) -> None:
    world.put("s", *(patient(f"p{number}", random.Random(number)) for number in range(20)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    first = world.publish("s", since_last=since_last)
    again = world.publish("s", since_last=since_last)
    assert modes(again) == {"unchanged"}
    assert [one.version for one in again.published] == [one.version for one in first.published]
    world.is_same("s")


def test_resources_without_rows_are_no_change(world: World) -> None:
    """Those that a view's condition leaves out are not in the lake, and are not taken for new ones each time."""
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}", "active": number < 3, "name": [{"family": "A"}]} for number in range(1500)))
    first = world.publish("s", since_last=False)
    again = world.publish("s", since_last=False)
    assert modes(again) == {"unchanged"} and [one.version for one in again.published] == [one.version for one in first.published]
    assert len(world.rows("families")) == 3
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}", "active": number >= 3, "name": [{"family": "B"}]} for number in range(1500)))
    world.publish("s", since_last=False)
    world.is_same("s")


def test_without_a_log_versions_are_compared(world: World) -> None:
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}"} for number in range(20)))
    world.publish("s")
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "female"})
    run = world.publish("s")
    assert run.notes and all("the change log of" in note and "is off" in note for note in run.notes)
    assert next(one for one in run.published if one.table == "people").mode == "comparison"
    world.is_same("s")


def test_a_pruned_log_is_not_relied_on(world: World) -> None:
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}"} for number in range(20)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    world.publish("s")
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "female"})
    world.delete("s", "Patient/p2")
    world.run("track", "--database", world.store("s"), "off", "changes")
    world.run("track", "--database", world.store("s"), "on", "changes")
    world.put("s", {"resourceType": "Patient", "id": "p3", "gender": "female"})
    run = world.publish("s")
    assert any("pruned" in note for note in run.notes)
    world.is_same("s")


@pytest.mark.parametrize("lost", ["max(seq)", "max(seq) - 1", "min(seq)"])
def test_a_log_that_has_lost_rows_is_not_relied_on(world: World, lost: str) -> None:
    lines = world.folder / "first.ndjson"
    lines.write_text("".join(f'{{"resourceType":"Patient","id":"p{number}"}}\n' for number in range(20)))
    # Another program writes to it, which knows no checksums of pages.
    world.run("import", "--quiet", "--no-page-checksums", "--database", world.store("s"), str(lines))
    world.run("track", "--database", world.store("s"), "on", "changes")
    world.publish("s")
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "female"})
    world.put("s", {"resourceType": "Patient", "id": "p2", "gender": "female"})
    world.delete("s", "Patient/p3")
    with contextlib.closing(sqlite3.connect(world.store("s"))) as database, database:
        database.execute(f"DELETE FROM _change WHERE seq = (SELECT {lost} FROM _change)")
    run = world.publish("s")
    assert any("the change log has lost rows" in note for note in run.notes)
    assert modes(run) <= {"comparison", "unchanged"}
    world.is_same("s")
    # From then on it is whole.
    world.put("s", {"resourceType": "Patient", "id": "p4", "gender": "male"})
    run = world.publish("s")
    assert not run.notes and "changes" in modes(run)
    world.is_same("s")


def test_writes_of_a_server_are_not_missed(world: World) -> None:
    """The log does not list them, but the fingerprint of all versions differs."""
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}"} for number in range(20)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    world.put("s", {"resourceType": "Patient", "id": "p0", "gender": "male"})
    world.publish("s")
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "female"}, server=True)
    world.put("s", {"resourceType": "Patient", "id": "p2", "gender": "female"})
    run = world.publish("s")
    assert any("does not list all changes of Patient" in note for note in run.notes)
    world.is_same("s")


def test_an_earlier_copy_sets_the_lake_back(world: World) -> None:
    """A restored file has entries of the log with numbers that the lake knows, but with other content."""
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}"} for number in range(9)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "male"})
    copy = str(world.folder / "copy.sqlite")
    world.run("backup", "--database", world.store("s"), copy)
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "female"})
    world.put("s", {"resourceType": "Patient", "id": "p2", "gender": "female"})
    world.publish("s")
    for suffix in ("-wal", "-shm"):
        shutil.rmtree(world.store("s") + suffix, ignore_errors=True)
        (world.folder / f"s.sqlite{suffix}").unlink(missing_ok=True)
    shutil.move(copy, world.store("s"))
    run = world.publish("s")
    assert any("older than the lake" in note for note in run.notes)
    world.is_same("s")
    # As many entries as before, of other changes.
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "other"})
    world.put("s", {"resourceType": "Patient", "id": "p5", "gender": "other"})
    world.publish("s")
    world.is_same("s")


def test_a_copy_that_went_another_way_is_not_mistaken(world: World) -> None:
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}"} for number in range(9)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    copy = str(world.folder / "copy.sqlite")
    world.run("backup", "--database", world.store("s"), copy)
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "female"})
    world.publish("s")
    for suffix in ("-wal", "-shm"):
        (world.folder / f"s.sqlite{suffix}").unlink(missing_ok=True)
    shutil.move(copy, world.store("s"))
    world.put("s", {"resourceType": "Patient", "id": "p1", "gender": "other"})
    world.put("s", {"resourceType": "Patient", "id": "p2", "gender": "other"})
    world.publish("s")
    world.is_same("s")


@pytest.mark.parametrize("seed", range(40 if os.environ.get("FIRELITE_NIGHTLY") else 3))
def test_random_sequences(world: World, seed: int) -> None:
    """After each of random changes, the lake is what a full read of the stores gives."""
    chance = random.Random(seed)
    stores = ["a", "b"]
    ids: dict[str, set[str]] = {name: set() for name in stores}
    for name in stores:
        world.put(name, *(patient(f"p{number}", chance) for number in range(30)), *(observation(f"o{number}", chance) for number in range(60)))
        ids[name] = {f"Patient/p{number}" for number in range(30)} | {f"Observation/o{number}" for number in range(60)}
        world.run("track", "--database", world.store(name), "on", "changes")
    if chance.random() < 0.5:
        world.run("track", "--database", world.store("a"), "on", "history", "Patient")
    for step in range(9):
        for _ in range(chance.randrange(1, 4)):
            name = chance.choice(stores)
            match chance.randrange(8):
                case 0 | 1 | 2:
                    keys = [f"p{chance.randrange(45)}" for _ in range(chance.randrange(1, 6))]
                    world.put(name, *(patient(key, chance) for key in keys), server=chance.random() < 0.2)
                    ids[name] |= {f"Patient/{key}" for key in keys}
                case 3 | 4 | 5:
                    keys = [f"o{chance.randrange(90)}" for _ in range(chance.randrange(1, 12))]
                    world.put(name, *(observation(key, chance) for key in keys))
                    ids[name] |= {f"Observation/{key}" for key in keys}
                case 6 if ids[name]:
                    chosen = chance.sample(sorted(ids[name]), min(len(ids[name]), chance.randrange(1, 8)))
                    world.delete(name, *chosen)
                    ids[name] -= set(chosen)
                case _:
                    state = chance.choice(["off", "on"])
                    world.run("track", "--database", world.store(name), state, "changes")
        names = chance.choice([stores, ["a"], ["b"]])
        if step == 0:
            names = stores
        world.publish(*names, since_last=chance.random() < 0.7)
        if step == 0 or chance.random() < 0.3:
            world.publish(*stores)
            world.is_same(*stores)
    world.publish(*stores)
    world.is_same(*stores)
    whole = {view["name"]: rows_of(world, view["name"]) for view in VIEWS}
    world.lake = str(world.folder / "fresh")
    world.publish(*stores)
    for name, rows in whole.items():
        assert rows == rows_of(world, name), name


def rows_of(world: World, table: str) -> Counter[str]:
    """All rows of a table with all their columns."""
    return Counter(repr(sorted(row.items())) for row in world.rows(table))


def test_many_publications_stay_few_files(world: World) -> None:
    """Small files are merged, and files without most of their rows written again; the log gets checkpoints."""
    world.put("s", *({"resourceType": "Patient", "id": f"p{number}", "active": True} for number in range(40)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    view = [world.views[0]]
    world.publish("s", views=view)
    for number in range(45):
        world.put("s", {"resourceType": "Patient", "id": f"p{number}", "gender": "male"})
        world.publish("s", views=view)
    world.is_same("s", views=VIEWS[:1])
    from firelite_lake import files

    assert len(files(world.lake, "people")) <= 25
    log = os.path.join(world.lake, "people", "_delta_log")
    assert any(name.endswith(".checkpoint.parquet") for name in os.listdir(log))
    # What the checkpoint says is what the log said.
    for name in os.listdir(log):
        if name.endswith(".json") and int(name[:20]) < 30:
            os.unlink(os.path.join(log, name))
    world.is_same("s", views=VIEWS[:1])
    world.put("s", {"resourceType": "Patient", "id": "after", "gender": "male"})
    world.publish("s", views=view)
    world.is_same("s", views=VIEWS[:1])
