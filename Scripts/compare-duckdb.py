"""Compares what DuckDB and `firelite sql` say about one store: compare-duckdb.py TOOL FOLDER PAGE, called by Scripts/duckdb.sh."""

import glob
import json
import math
import os
import re
import subprocess
import sys
import time

import duckdb
import duckdb_extension_sqlite_scanner as extension

tool, folder, page = sys.argv[1:]
store = folder + "/store.sqlite"
extension_file = glob.glob(
    os.path.join(os.path.dirname(extension.__file__), "extensions", "v" + duckdb.__version__, "*.duckdb_extension")
)[0]


def attach(path, options="TYPE sqlite, READ_ONLY", settings=()):
    connection = duckdb.connect()
    connection.execute(f"LOAD '{extension_file}'")
    for setting in settings:
        connection.execute(setting)
    connection.execute(f"ATTACH '{path}' AS health ({options})")
    connection.execute("USE health")
    return connection


def run(*arguments):
    return subprocess.run([tool, *arguments], capture_output=True, text=True)


def by_tool(path, query):
    done = run("sql", "--database", path, "--format", "ndjson", query)
    assert done.returncode == 0, done.stderr
    return [list(json.loads(line).values()) for line in done.stdout.split("\n") if line]


def same(one, other):
    if isinstance(one, float) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-12)
    return one == other


def compare(connection, path, query):
    """The rows of both, which must be the same in the same order, but for the last digits of sums."""
    found = [list(row) for row in connection.execute(query).fetchall()]
    expected = by_tool(path, query)
    assert len(found) == len(expected) > 0, (query, len(found), len(expected))
    for one, other in zip(found, expected):
        assert all(map(same, one, other)), (query, one, other)
    return len(found)


def fails(connection, query, text):
    try:
        connection.execute(query).fetchall()
    except duckdb.Error as error:
        assert text in str(error), error
        return
    raise AssertionError(f"no error: {query}")


# The queries of the page, and some more.
blocks = re.findall(r"```sql\n(.*?)```", open(page, encoding="utf-8").read(), re.S)
statements = [text.strip() for block in blocks for text in re.sub("--.*", "", block).split(";")]
queries = [text for text in statements if text.startswith("SELECT")]
assert len(queries) >= 4, queries
counts = "SELECT s.type, count(*) FROM _resource r JOIN _shape s ON r.shape = s.shape GROUP BY s.type ORDER BY s.type"
queries += [
    counts,
    "SELECT id, family FROM Patient JOIN Patient_name ON Patient._k = (Patient_name._k & ~16777215) + Patient_name._parent "
    "WHERE id = 'odd-3'",
    "SELECT id, effectiveDateTime, valueQuantity_value, valueQuantity_value_literal FROM Observation WHERE id LIKE 'odd%' ORDER BY id",
]

# A closed file, every column of every table: none is unreadable.
connection = attach(store)
rows = sum(compare(connection, store, query) for query in queries)
tables = [row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'health'").fetchall()]
named = [name for name in tables if not name.startswith("_")]
assert len(named) > 80, tables
for name in named:
    compare(connection, store, f'SELECT count(*), max(_k) FROM "{name}"')

# A value of another type than its column is an error, unless all columns are text; SQLite itself can be asked, too.
offsets = "SELECT effectiveDateTime_offset FROM Observation WHERE id LIKE 'odd%' ORDER BY id"
fails(connection, offsets, "Mismatch Type Error")
texts = attach(store, settings=["SET sqlite_all_varchar = true"])
assert texts.execute(offsets).fetchall() == [("120",), ("-00:00",)]
inner = offsets.replace("effectiveDateTime_offset", "CAST(effectiveDateTime_offset AS TEXT)").replace("'", "''")
assert connection.execute(f"SELECT * FROM sqlite_query('health', '{inner}')").fetchall() == [("120",), ("-00:00",)]
texts.close()

# Nothing is written through a read-only attachment.
fails(connection, "UPDATE Patient SET gender = 'male'", "read-only mode")

# While an app holds the store open: its first file is committed, and it waits for the second one.
pipe = folder + "/pipe"
os.mkfifo(pipe)
with open(folder + "/new.ndjson", "w") as file:
    file.write('{"resourceType":"Patient","id":"new-1","multipleBirthInteger":2}\n{"resourceType":"Flag","id":"new-2","status":"active"}\n')
before = connection.execute("SELECT count(*) FROM Patient").fetchone()[0]
app = subprocess.Popen([tool, "import", "--quiet", "--database", store, folder + "/new.ndjson", pipe])
try:
    with open(pipe, "w") as file:
        file.write('{"resourceType":"Patient","id":"new-3"}\n')
        file.flush()
        for _ in range(100):
            if connection.execute("SELECT count(*) FROM Patient").fetchone()[0] != before:
                break
            time.sleep(0.1)
        assert app.poll() is None and os.path.getsize(store + "-wal") > 0
        for reader in (connection, attach(store)):
            assert reader.execute("SELECT count(*) FROM Patient").fetchone()[0] == before + 1
            # Tables and columns that are newer than the attachment.
            assert reader.execute("SELECT id, multipleBirthInteger FROM Patient WHERE id LIKE 'new%'").fetchall() == [("new-1", 2)]
            assert reader.execute("SELECT id, status FROM Flag").fetchall() == [("new-2", "active")]
            compare(reader, store, counts)
    assert app.wait(30) == 0
finally:
    app.kill()
assert connection.execute("SELECT count(*) FROM Patient").fetchone()[0] == before + 2
rows += sum(compare(connection, store, query) for query in queries)
connection.close()
assert run("check", "--database", store).stdout == "sound\n"

# A program that writes: with page checksums the file is refused, without them it is read. The digests find a changed record in either.
for option, refused in (([], True), (["--no-page-checksums"], False)):
    path = folder + "/written.sqlite"
    assert run("import", "--quiet", "--database", path, *option, folder + "/odd.ndjson").returncode == 0
    writer = attach(path, options="TYPE sqlite")
    writer.execute("CREATE TABLE _notes (patient VARCHAR, note VARCHAR)")
    writer.execute("INSERT INTO _notes VALUES ('odd-3', 'seen')")
    writer.close()
    assert (run("check", "--database", path).returncode != 0) == refused
    if refused:
        resealed = run("reseal", "--database", path)
        assert resealed.returncode == 0, resealed.stderr
    assert run("check", "--database", path).stdout == "sound\n"
    writer = attach(path, options="TYPE sqlite")
    writer.execute("UPDATE Patient SET id = 'odd-4' WHERE id = 'odd-3'")
    writer.close()
    assert run("check", "--database", path).returncode == 1
    if refused:
        assert run("reseal", "--database", path).returncode == 3
    for name in glob.glob(path + "*"):
        os.remove(name)

print(
    f"DuckDB {duckdb.__version__}: {len(queries)} queries on {len(named)} tables, {rows} rows as `firelite sql` has them, "
    "with the store closed, open with a write-ahead log, and closed again"
)
