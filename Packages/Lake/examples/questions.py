"""Twenty questions to the ready-made views, in SQL that every engine of these examples reads.

The results of each are keys with counts and sums, so those of a lake are the sums of its stores'.
"""

QUESTIONS = {
    "patients by gender": "SELECT gender, count(*) AS n FROM patients GROUP BY gender",
    "deceased patients": "SELECT count(*) AS n FROM patients WHERE deceased_date IS NOT NULL",
    "patients by year of birth": "SELECT extract(year FROM birth_date) AS y, count(*) AS n FROM patients GROUP BY extract(year FROM birth_date)",
    "patients by state": "SELECT state, count(*) AS n FROM patients GROUP BY state",
    "observations by code": "SELECT code, count(*) AS n FROM observations GROUP BY code",
    "sum of the values of each code": "SELECT code, count(value) AS n, sum(value) AS s FROM observations WHERE value IS NOT NULL GROUP BY code",
    "observations by year": (
        "SELECT extract(year FROM effective) AS y, count(*) AS n FROM observations WHERE effective IS NOT NULL GROUP BY extract(year FROM effective)"
    ),
    "observations by category and status": "SELECT category, status, count(*) AS n FROM observations GROUP BY category, status",
    "values from 100 to 200 by unit": (
        "SELECT unit, count(*) AS n, sum(value) AS s FROM observations WHERE value >= 100 AND value <= 200 GROUP BY unit"
    ),
    "observations by store": "SELECT _store, count(*) AS n FROM observations GROUP BY _store",
    "body weights by gender": (
        "SELECT p.gender, count(*) AS n, sum(o.value) AS s FROM observations o JOIN patients p ON p._store = o._store AND p.key = o.patient"
        " WHERE o.code = '29463-7' GROUP BY p.gender"
    ),
    "conditions by code": "SELECT code, count(*) AS n FROM conditions GROUP BY code",
    "patients with diabetes": "SELECT count(*) AS n FROM (SELECT DISTINCT _store, patient FROM conditions WHERE code = '44054006') AS d",
    "hypertension by gender": (
        "SELECT p.gender, count(*) AS n FROM conditions c JOIN patients p ON p._store = c._store AND p.key = c.patient"
        " WHERE c.code = '59621000' GROUP BY p.gender"
    ),
    "encounters by class": "SELECT class, count(*) AS n FROM encounters GROUP BY class",
    "encounters by year": "SELECT extract(year FROM start) AS y, count(*) AS n FROM encounters WHERE start IS NOT NULL GROUP BY extract(year FROM start)",
    "encounters by state": (
        "SELECT p.state, count(*) AS n FROM encounters e JOIN patients p ON p._store = e._store AND p.key = e.patient GROUP BY p.state"
    ),
    "medication requests by status and code": "SELECT status, medication_code, count(*) AS n FROM medication_requests GROUP BY status, medication_code",
    "procedures by code": "SELECT code, count(*) AS n FROM procedures GROUP BY code",
    "immunizations by vaccine": "SELECT vaccine_code, count(*) AS n FROM immunizations GROUP BY vaccine_code",
}

VIEWS = ["patients", "conditions", "observations", "encounters", "medication_requests", "procedures", "immunizations"]
