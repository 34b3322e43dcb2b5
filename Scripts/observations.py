"""Writes NDJSON for Scripts/ten-million.sh: observations.py COUNT NUMBERS|UUIDS PATH…

COUNT resources, spread evenly over the PATHs, which may be pipes. Each hundred is a patient and 99 observations of the patient. 999 of 1,000
observations have one of 30 frequent codes, and the others one of 990 rare codes, ten each in ten million resources.
"""

import datetime
import sys

count, ids, *paths = int(sys.argv[1]), sys.argv[2], *sys.argv[3:]
WORD = 0xFFFF_FFFF_FFFF_FFFF
UCUM = "http://unitsofmeasure.org"
FREQUENT = [f"{8000 + 13 * number}-{number % 10}" for number in range(30)]
RARE = [f"{90000 + number}-{number % 10}" for number in range(990)]
start = datetime.date(2015, 1, 1)
days = [(start + datetime.timedelta(day)).isoformat() for day in range(3650)]
times = [f"T{minute // 60:02}:{minute % 60:02}:00+01:00" for minute in range(1440)]
values = [f"{60 + number / 10:g}" for number in range(400)]
families = [f"Family {number}" for number in range(997)]

PATIENT = (
    '{"resourceType":"Patient","id":"%s","name":[{"use":"official","family":"%s","given":["Ada","Kim"]}],"gender":"%s","birthDate":"%s"}\n'
)
OBSERVATION = (
    '{"resourceType":"Observation","id":"%s","status":"final","category":[{"coding":[{"system":'
    '"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs"}]}],"code":{"coding":[{"system":"http://loinc.org",'
    '"code":"%s","display":"Measurement of the body"}],"text":"Measurement"},"subject":{"reference":"Patient/%s"},'
    '"effectiveDateTime":"%s%s","valueQuantity":{"value":%s,"unit":"/min","system":"' + UCUM + '","code":"/min"}}\n'
)


def identifier(number):
    """The id of the resource with a number: that number, or a UUID in random order."""
    if ids == "numbers":
        return str(10_000_000 + number)
    # SplitMix64, which makes no number twice.
    mixed = number * 0x9E3779B97F4A7C15 & WORD
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & WORD
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & WORD
    digits = f"{mixed ^ mixed >> 31:016x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-8{digits[13:16]}-{number:012x}"


def lines(first, last):
    patient = ""
    for number in range(first, last):
        if number % 100 == 0:
            patient = identifier(number)
            gender = "female" if number % 200 else "male"
            yield PATIENT % (patient, families[number // 100 % 997], gender, days[number // 100 % 3650])
            continue
        code = FREQUENT[number % 30] if number % 1000 != 1 else RARE[number // 1000 % 990]
        minute = number * 7919
        yield OBSERVATION % (identifier(number), code, patient, days[minute // 1440 % 3650], times[minute % 1440], values[minute % 400])


size = -(-count // len(paths))
for index, path in enumerate(paths):
    with open(path, "w", buffering=1 << 20) as file:
        file.writelines(lines(index * size, min((index + 1) * size, count)))
