"""Kills, rivals and wrong files: a reader sees a table before or after, and an error is one line without values."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import VIEWS, World
from killing import killed_after, killed_at
from samples import observation, patient

from firelite_lake import LakeError, Plan, publish

def test_a_killed_publisher_neither_doubles_nor_loses(world: World) -> None:
    """At calls that write, from the first on: each table has the rows before or after, and the next publication completes them.

    By night it is every call, until a publication needs no more.
    """
    nightly = bool(os.environ.get("FIRELITE_NIGHTLY"))
    chance = random.Random(7)
    views = [world.views[0], world.views[2]]
    used = [VIEWS[0], VIEWS[2]]
    world.put("s", *(patient(f"p{number}", chance) for number in range(20)), *(observation(f"o{number}", chance) for number in range(20)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    before = {view["name"]: None for view in used}
    calls = range(1, 400) if nightly else [1, *sorted(chance.sample(range(2, 36), 5)), 400]
    for number, call in enumerate(calls):
        plan = world.plan("s", views=views)
        after = {view["name"]: world.expected("s", view) for view in used}
        status = killed_at(plan, call)
        for view in used:
            name = view["name"]
            if os.path.exists(os.path.join(world.lake, name, "_delta_log", f"{0:020}.json")):
                assert world.published("s", view) in (before[name], after[name]), (call, name)
        if status == 0:
            break
        assert status == -9, (call, status)
        publish(Plan.read(plan))
        assert {view["name"]: world.published("s", view) for view in used} == after, call
        before = dict(after)
        world.put("s", *(patient(f"p{chance.randrange(25)}", chance) for _ in range(3)), observation(f"o{chance.randrange(25)}", chance))
        world.delete("s", f"Patient/p{sorted_id(world, chance)}")
    assert status == 0 and number >= 6, "no publication ended by itself, or too few were killed"
    world.is_same("s", views=used)


def sorted_id(world: World, chance: random.Random) -> str:
    ids = sorted(row["_key"] for row in world.rows("people"))
    return str(chance.choice(ids)).removeprefix("Patient/p")


def test_a_publisher_killed_at_any_time(world: World) -> None:
    """By the clock, too, where no call of this package is."""
    chance = random.Random(8)
    world.put("s", *(patient(f"p{number}", chance) for number in range(300)))
    for _ in range(60 if os.environ.get("FIRELITE_NIGHTLY") else 4):
        killed_after(world.plan("s", since_last=False), chance.random() / 2)
        world.put("s", *(patient(f"p{chance.randrange(350)}", chance) for _ in range(40)))
    world.publish("s")
    world.is_same("s")


def test_an_error_after_a_commit_keeps_its_files(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is on the disk, and then a call fails: what it names must stay."""
    import firelite_lake.delta as delta

    world.put("s", {"resourceType": "Patient", "id": "p", "gender": "male"})
    plan = world.plan("s", views=[world.views[0]])

    def fails(folder: str) -> None:
        raise OSError(5, "Input/output error", folder)

    with monkeypatch.context() as patch:
        patch.setattr(delta, "_synchronize", fails)
        with pytest.raises(OSError):
            publish(Plan.read(plan))
    world.is_same("s", views=VIEWS[:1])
    assert publish(Plan.read(plan)).published[0].mode == "unchanged"


#: Publishes with files of at most so many bytes, as on a disk that fills up.
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = int(sys.argv.pop(1))
from firelite_lake import program
from firelite_lake.files import Writer
begin = Writer.__init__
def limited(*arguments):
    # From here on: SQLite needs a file of its own to open a store.
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    begin(*arguments)
Writer.__init__ = limited
sys.exit(program.main())
"""


def test_a_full_disk_leaves_the_lake_as_it_was(world: World) -> None:
    chance = random.Random(5)
    views = [world.views[2]]
    world.put("s", *(observation(f"o{number}", chance) for number in range(200)))
    world.publish("s", views=views)
    before = world.published("s", VIEWS[2])
    world.put("s", *(observation(f"o{number}", chance) for number in range(150, 300)))
    plan = world.plan("s", views=views)
    for size in (0, 10, 500, 3000):
        done = subprocess.run([sys.executable, "-c", LIMITED, str(size)], input=plan, text=True, capture_output=True)
        answer = json.loads(done.stdout)
        assert done.returncode == 3 and "cannot be written" in answer["error"] and "\n" not in answer["error"], (size, done)
        assert world.published("s", VIEWS[2]) == before, size
        data = [name for name in os.listdir(os.path.join(world.lake, "values", "_store=s")) if name.endswith(".parquet")]
        assert len(data) == 1, (size, data)
    world.publish("s", views=views)
    world.is_same("s", views=[VIEWS[2]])


def test_publishers_of_different_stores_do_not_stand_in_each_others_way(world: World) -> None:
    names = ["a", "b", "c"]
    for name in names:
        world.put(name, *(patient(f"p{number}", random.Random(name)) for number in range(30)))
    plans = {name: world.plan(name) for name in names}
    processes = [
        subprocess.Popen([sys.executable, "-m", "firelite_lake.program"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in names
    ]
    for process, name in zip(processes, names, strict=True):
        assert process.stdin is not None
        process.stdin.write(plans[name])
        process.stdin.close()
    for process in processes:
        assert process.stdout is not None
        output = process.stdout.read()
        assert process.wait() == 0, output
    world.is_same(*names)


def test_rivals_of_one_store_leave_its_newest_state(world: World) -> None:
    chance = random.Random(9)
    world.put("s", *(patient(f"p{number}", chance) for number in range(100)))
    world.run("track", "--database", world.store("s"), "on", "changes")
    for _ in range(3):
        plan = world.plan("s")
        processes = [
            subprocess.Popen([sys.executable, "-m", "firelite_lake.program"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(4)
        ]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(plan)
            process.stdin.close()
        for process in processes:
            assert process.stdout is not None
            answer = json.loads(process.stdout.read())
            status = process.wait()
            assert status == 0 or "other publishers" in answer["error"], answer
        world.is_same("s")
        world.put("s", *(patient(f"p{chance.randrange(120)}", chance) for _ in range(20)))


def test_an_older_snapshot_does_not_set_a_table_back(world: World) -> None:
    """A publisher that read the store before another one committed begins again."""
    from firelite_lake.store import Store

    world.put("s", {"resourceType": "Patient", "id": "p", "gender": "male"})
    view = [world.views[0]]
    world.publish("s", views=view)
    slow = Plan.read(world.plan("s", views=view))
    opened = Store.__init__
    done = False

    def overtaken(self: Store, path: str) -> None:
        nonlocal done
        opened(self, path)
        if not done:
            done = True
            world.put("s", {"resourceType": "Patient", "id": "p", "gender": "female"})
            world.publish("s", views=view)

    Store.__init__ = overtaken  # type: ignore[method-assign]
    try:
        # Without a change of its own, the slow one has nothing to commit; with one, it meets a conflict.
        world.put("s", {"resourceType": "Patient", "id": "q", "gender": "male"})
        run = publish(slow)
    finally:
        Store.__init__ = opened  # type: ignore[method-assign]
    assert done and run.published
    world.is_same("s", views=VIEWS[:1])


def error(world: World, **options: object) -> LakeError:
    with pytest.raises(LakeError) as caught:
        world.publish("s", **options)  # type: ignore[arg-type]
    assert "\n" not in caught.value.message
    return caught.value


def test_wrong_files_are_refused_by_name(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p", "name": [{"family": "SECRET"}]})
    plan = json.loads(world.plan("s"))
    header = Path(world.store("s")).read_bytes()
    assert header.startswith(b"SQLite format 3")
    cases = {
        "missing": (None, "cannot be read"),
        "text": (b"hello", "encrypted, or no database"),
        "random": (os.urandom(8192), "encrypted, or no database"),
        "cut": (header[:3000], "damaged|cannot be read|no database"),
    }
    import re
    import sqlite3

    for name, (content, words) in cases.items():
        path = world.folder / f"{name}.file"
        if content is not None:
            path.write_bytes(content)
        plan["stores"][0]["path"] = str(path)
        with pytest.raises(LakeError) as caught:
            publish(Plan.read(json.dumps(plan)))
        assert re.search(words, caught.value.message) and str(path) in caught.value.message and "\n" not in caught.value.message, name
    other = world.folder / "other.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    for format, words in ((0, "is not a FireLite store"), (4, "install a newer"), (1, "open it once")):
        if format:
            connection.execute(f"PRAGMA user_version = {format}")
            connection.execute(f"PRAGMA application_id = {0x46484952}")
            connection.commit()
        plan["stores"][0]["path"] = str(other)
        with pytest.raises(LakeError) as caught:
            publish(Plan.read(json.dumps(plan)))
        assert words in caught.value.message, caught.value.message
    assert not os.path.exists(os.path.join(world.lake, "people", "_delta_log", f"{0:020}.json"))


def test_new_columns_of_the_store_need_a_new_plan(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p"})
    plan = world.plan("s")
    world.put("s", {"resourceType": "Patient", "id": "q", "birthDate": "1970"})
    with pytest.raises(LakeError) as caught:
        publish(Plan.read(plan))
    assert caught.value.status == 75
    world.publish("s")
    world.is_same("s")


def test_a_damaged_plan_is_refused() -> None:
    for text in ("", "{", "[]", "{}", '{"plan": 2}', '{"plan": 3}', '{"plan": 1}', '{"plan": 1, "stores": 3}'):
        with pytest.raises(LakeError) as caught:
            Plan.read(text)
        assert caught.value.status == 2 and "\n" not in caught.value.message


def test_a_column_with_several_values_names_no_value(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p", "name": [{"family": "SECRET"}, {"family": "SECRET2"}]})
    path = world.add_view({"name": "wrong", "resource": "Patient", "select": [{"column": [{"name": "family", "path": "name.family"}]}]})
    failure = error(world, views=[path])
    assert "several values" in failure.message and "SECRET" not in failure.message


def test_one_name_is_one_store(world: World) -> None:
    world.put("s", {"resourceType": "Patient", "id": "p"})
    world.publish("s")
    for suffix in ("", "-wal", "-shm"):
        (world.folder / f"s.sqlite{suffix}").unlink(missing_ok=True)
    world.put("s", {"resourceType": "Patient", "id": "q"})
    assert "another store 's'" in error(world).message
    world.run("backup", "--database", world.store("s"), str(world.folder / "t.sqlite"))
    world.lake = str(world.folder / "lake2")
    world.publish("s")
    with pytest.raises(LakeError) as caught:
        world.publish("t")
    assert "under another name" in caught.value.message


def test_another_programs_table_is_left_alone(world: World) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    world.put("s", {"resourceType": "Patient", "id": "p"})
    write_deltalake(os.path.join(world.lake, "people"), pa.table({"a": [1]}))
    assert "another program" in error(world).message


def test_a_vacuum_keeps_every_row(world: World) -> None:
    """What `deltalake` removes is what no version needs: also the files that a killed publisher left."""
    from deltalake import DeltaTable

    chance = random.Random(3)
    view = [world.views[0]]
    world.put("s", *(patient(f"p{number}", chance) for number in range(30)))
    world.publish("s", views=view)
    world.put("s", *(patient(f"p{number}", chance) for number in range(3)))
    world.publish("s", views=view)
    folder = os.path.join(world.lake, "people", "_store=s")
    Path(folder, "part-left.parquet").write_bytes(b"left")
    table = DeltaTable(os.path.join(world.lake, "people"))
    table.vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False, full=True)
    assert "part-left.parquet" not in os.listdir(folder)
    world.is_same("s", views=VIEWS[:1])
    world.put("s", *(patient(f"p{number}", chance) for number in range(5)))
    world.publish("s", views=view)
    world.is_same("s", views=VIEWS[:1])


def test_a_store_is_read_as_of_one_moment(world: World) -> None:
    """Rows, versions and ids are those of the moment of opening, whatever is committed while they are read."""
    from firelite_lake.store import Store

    world.put("s", {"resourceType": "Patient", "id": "p"}, {"resourceType": "Patient", "id": "q"})
    view = Plan.read(world.plan("s")).stores[0].views[0]
    with Store(world.store("s")) as store:
        world.put("s", {"resourceType": "Patient", "id": "r"})
        world.delete("s", "Patient/p")
        assert sum(len(batch) for batch in store.rows(view)) == 2
        assert store.states("Patient").ids.to_pylist() == ["p", "q"]
    with Store(world.store("s")) as store:
        assert store.states("Patient").ids.to_pylist() == ["q", "r"]
