"""Compares what Spark reads with `firelite sql`: compare-spark.py TOOL PAGE, called by Scripts/spark.sh in a folder with health.sqlite.

compare-spark.py --texts prints patients with awkward names as NDJSON.
"""

import json
import re
import subprocess
import sys
from collections import Counter

TEXTS = [
    "Miller, A.", 'The "Great"', '"', '""', "line\nbreak", "carriage return\r\nand line feed", "carriage return\ralone", "\\", "back\\slash",
    '\\"both\\"', 'ends with "', "ends with \\", 'a,b\n"c","d"\n', "tab\there", "=1+1", "O'Hare", "Zoë 👩‍⚕️", "مريم", "日本", "e\u0301",
    '"\u0301', "\u2028separator", "no\u00a0break", "null", "NaN", "#comment", "1.50", "-", ",", ";",
]


def patient(number, text):
    return {"resourceType": "Patient", "id": f"text-{number:02}", "name": [{"family": text}]}


if sys.argv[1:] == ["--texts"]:
    for number, text in enumerate(TEXTS):
        print(json.dumps(patient(number, text)))
    sys.exit()

from pyspark.sql import SparkSession

tool, page = sys.argv[1:]


def sql(query):
    done = subprocess.run([tool, "sql", "--database", "health.sqlite", "--format", "ndjson", query], capture_output=True, text=True, check=True)
    return [tuple(json.loads(line).values()) for line in done.stdout.split("\n") if line]


settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
builder = SparkSession.builder.master("local[2]")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()

# The lines of the page, which make these tables.
lines = re.findall(r"```python\n(.*?)```", open(page, encoding="utf-8").read(), re.S)
values = {"spark": spark}
exec("".join(lines), values)
counts, families, names = values["counts"], values["families"], values["names"]


def same(found, expected, what):
    found, expected = Counter(map(tuple, found)), Counter(map(tuple, expected))
    assert found == expected and expected, (what, list((found - expected).items())[:3], list((expected - found).items())[:3])
    return sum(expected.values())


stored = sql("SELECT type, count(*) FROM _resource r JOIN _shape s ON r.shape = s.shape GROUP BY type")
same(counts.collect(), stored, "counts")
query = "SELECT p.id, n.family FROM Patient p JOIN Patient_name n ON p._k = (n._k & ~16777215) + n._parent"
rows = sql(query)
assert {(f"text-{number:02}", text) for number, text in enumerate(TEXTS)} <= set(rows)
same(families.collect(), rows, "NDJSON")
same(names.collect(), rows, "CSV")
same(spark.read.json("names.ndjson").select("id", "family").collect(), rows, "NDJSON of rows")

# Each option of the page's last line is needed.
options = {"multiLine": True, "escape": '"', "lineSep": "\r\n"}
for left_out in options:
    rest = {name: value for name, value in options.items() if name != left_out}
    assert Counter(map(tuple, spark.read.csv("names.csv", header=True, **rest).collect())) != Counter(rows), left_out

values = spark.read.json("folder/Observation.ndjson").selectExpr("avg(valueQuantity.value)").collect()[0][0]
expected = sql("SELECT avg(valueQuantity_value) FROM Observation")[0][0]
assert abs(values - expected) < 1e-9 * abs(expected), (values, expected)

total = sum(count for _, count in stored)
print(
    f"Spark {spark.version}: {total} resources of {len(stored)} types in NDJSON, {len(rows)} names of which {len(TEXTS)} are awkward in "
    "exports and in CSV and NDJSON of queries, as `firelite sql` has them"
)
spark.stop()
