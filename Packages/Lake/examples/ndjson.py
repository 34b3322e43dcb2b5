"""Compares rows of a lake with what DuckDB gives for the same views over the NDJSON that was imported: the definitions by hand, in DuckDB's SQL.

    python examples/ndjson.py LAKE STORE FOLDER

FOLDER has Patient.ndjson, Observation.ndjson, Condition.ndjson and Encounter.ndjson; STORE is the name of the store in the lake.
"""

from __future__ import annotations

import os
import sys

import duckdb
from engines import duckdb as connect

#: For each view, columns of the lake and the same of the NDJSON. Numbers are compared as exact decimals, moments in UTC.
VIEWS = {
    "patients": (
        "key, gender, birth_date, family, given, city, state, marital_status, deceased_date",
        """
        SELECT 'Patient/' || id, gender, CAST(birthDate AS DATE), name[1].family, array_to_string(name[1].given, ' '), address[1].city,
            address[1].state, maritalStatus.coding[1].code, CAST(deceasedDateTime AS TIMESTAMPTZ) AT TIME ZONE 'UTC'
        FROM read_json('{folder}/Patient.ndjson', columns = {{
            id: 'VARCHAR', gender: 'VARCHAR', birthDate: 'VARCHAR', name: 'STRUCT(family VARCHAR, given VARCHAR[])[]',
            address: 'STRUCT(city VARCHAR, state VARCHAR)[]', maritalStatus: 'STRUCT(coding STRUCT(code VARCHAR)[])', deceasedDateTime: 'VARCHAR'
        }})
        """,
    ),
    "observations": (
        "key, status, code, display, category, patient, encounter, effective, issued, value, unit, value_code",
        """
        SELECT 'Observation/' || id, status, code.coding[1].code, code.coding[1].display, category[1].coding[1].code,
            CASE WHEN subject.reference LIKE 'Patient/%' THEN subject.reference END,
            CASE WHEN encounter.reference LIKE 'Encounter/%' THEN encounter.reference END,
            CAST(effectiveDateTime AS TIMESTAMPTZ) AT TIME ZONE 'UTC', CAST(issued AS TIMESTAMPTZ) AT TIME ZONE 'UTC',
            CAST(valueQuantity.value AS DECIMAL(38, 18)), valueQuantity.unit, valueCodeableConcept.coding[1].code
        FROM read_json('{folder}/Observation.ndjson', columns = {{
            id: 'VARCHAR', status: 'VARCHAR', code: 'STRUCT(coding STRUCT(code VARCHAR, display VARCHAR)[])',
            category: 'STRUCT(coding STRUCT(code VARCHAR)[])[]', subject: 'STRUCT(reference VARCHAR)', encounter: 'STRUCT(reference VARCHAR)',
            effectiveDateTime: 'VARCHAR', issued: 'VARCHAR', valueQuantity: 'STRUCT(value VARCHAR, unit VARCHAR)',
            valueCodeableConcept: 'STRUCT(coding STRUCT(code VARCHAR)[])'
        }})
        """,
    ),
    "conditions": (
        "key, code, clinical_status, verification_status, patient, onset, recorded",
        """
        SELECT 'Condition/' || id, code.coding[1].code, clinicalStatus.coding[1].code, verificationStatus.coding[1].code,
            CASE WHEN subject.reference LIKE 'Patient/%' THEN subject.reference END,
            CAST(onsetDateTime AS TIMESTAMPTZ) AT TIME ZONE 'UTC', CAST(recordedDate AS TIMESTAMPTZ) AT TIME ZONE 'UTC'
        FROM read_json('{folder}/Condition.ndjson', columns = {{
            id: 'VARCHAR', code: 'STRUCT(coding STRUCT(code VARCHAR)[])', clinicalStatus: 'STRUCT(coding STRUCT(code VARCHAR)[])',
            verificationStatus: 'STRUCT(coding STRUCT(code VARCHAR)[])', subject: 'STRUCT(reference VARCHAR)', onsetDateTime: 'VARCHAR',
            recordedDate: 'VARCHAR'
        }})
        """,
    ),
    "encounters": (
        'key, status, class, type_code, patient, start, "end"',
        """
        SELECT 'Encounter/' || id, status, class.code, type[1].coding[1].code,
            CASE WHEN subject.reference LIKE 'Patient/%' THEN subject.reference END,
            CAST(period.start AS TIMESTAMPTZ) AT TIME ZONE 'UTC', CAST(period."end" AS TIMESTAMPTZ) AT TIME ZONE 'UTC'
        FROM read_json('{folder}/Encounter.ndjson', columns = {{
            id: 'VARCHAR', status: 'VARCHAR', class: 'STRUCT(code VARCHAR)', type: 'STRUCT(coding STRUCT(code VARCHAR)[])[]',
            subject: 'STRUCT(reference VARCHAR)', period: 'STRUCT(start VARCHAR, "end" VARCHAR)'
        }})
        """,
    ),
}


def main() -> None:
    lake, store, folder = sys.argv[1:]
    ask = connect(os.path.abspath(lake))
    for view, (columns, sql) in VIEWS.items():
        source = sql.format(folder=os.path.abspath(folder))
        published = f"SELECT {columns} FROM {view} WHERE _store = '{store}'"
        count = ask(f"SELECT count(*) FROM ({published})")[0][0]
        differing = ask(
            f"SELECT count(*) FROM ((({published}) EXCEPT ALL ({source})) UNION ALL (({source}) EXCEPT ALL ({published})))"
        )[0][0]
        if differing or not count:
            raise SystemExit(f"{view}: {differing} of {count} rows differ")
        print(f"{view}: {count} rows, as DuckDB {duckdb.__version__} gives them over NDJSON")


if __name__ == "__main__":
    main()
