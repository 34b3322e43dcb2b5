#!/usr/bin/env python3
"""Talks to a running server with clients that others wrote: clients.py CLIENT BASE TOKEN.

Ends with status 0 if the client is content, 1 if not, and 77 if it is not installed.
"""
import asyncio
import importlib.util
import subprocess
import sys
import tempfile
import os

SKIPPED = 77


def need(module):
    if importlib.util.find_spec(module) is None:
        print(f"{module} is not installed")
        sys.exit(SKIPPED)


def check(condition, what):
    if not condition:
        print(f"not as it should be: {what}")
        sys.exit(1)


def fhirpy(base, token):
    need("fhirpy")
    from fhirpy import AsyncFHIRClient, SyncFHIRClient
    from fhirpy.base.exceptions import ResourceNotFound

    client = SyncFHIRClient(base, authorization=f"Bearer {token}")
    patient = client.resource("Patient", name=[{"family": "Fhirpy", "given": ["Sync"]}], active=True)
    patient.save()
    check(patient.id and patient["meta"]["versionId"] == "1", "a saved resource has an id and a version")
    patient["active"] = False
    patient.save()
    check(patient["meta"]["versionId"] == "2", "an update is a new version")
    found = client.resources("Patient").search(family="Fhirpy").fetch_all()
    check([p.id for p in found] == [patient.id], "search finds it")
    again = client.reference("Patient", patient.id).to_resource()
    check(again["active"] is False, "read returns what was stored")
    for number in range(5):
        client.resource("Observation", status="final", code={"text": "n"}, subject=patient.to_reference(),
                        valueInteger=number).save()
    pages = client.resources("Observation").search(patient=patient.id).limit(2).fetch_all()
    check(len(pages) == 5, "all pages are read")
    check(client.resources("Observation").search(patient=patient.id).count() == 5, "counts")
    included = client.resources("Observation").search(patient=patient.id).include("Observation", "patient").fetch_raw()
    check(any(e["resource"]["resourceType"] == "Patient" for e in included["entry"]), "includes")
    patient_, created = client.resources("Patient").search(family="Fhirpy").get_or_create(
        client.resource("Patient", name=[{"family": "Fhirpy"}]))
    check((patient_.id, bool(created)) == (patient.id, False), "conditional create")
    for observation in pages:
        observation.delete()
    patient.delete()
    try:
        client.reference("Patient", patient.id).to_resource()
        check(False, "a deleted resource is not there")
    except ResourceNotFound:
        pass

    async def asynchronous():
        client = AsyncFHIRClient(base, authorization=f"Bearer {token}")
        resources = [client.resource("Patient", name=[{"family": "Fhirpyasync"}]) for _ in range(20)]
        await asyncio.gather(*[r.save() for r in resources])
        check(len({r.id for r in resources}) == 20, "many at once")
        found = await client.resources("Patient").search(family="Fhirpyasync").limit(7).fetch_all()
        check(len(found) == 20, "pages")
        await asyncio.gather(*[r.delete() for r in found])

    asyncio.run(asynchronous())


def fhirclient(base, token):
    need("fhirclient")
    from fhirclient import client
    from fhirclient.models.humanname import HumanName
    from fhirclient.models.patient import Patient
    from fhirclient.server import FHIRNotFoundException

    smart = client.FHIRClient(settings={"app_id": "test", "api_base": base})
    smart.server.session.headers["Authorization"] = f"Bearer {token}"
    patient = Patient()
    name = HumanName()
    name.family = "Fhirclient"
    patient.name = [name]
    created = patient.create(smart.server)
    check(created["id"], "create returns the resource")
    read = Patient.read(created["id"], smart.server)
    check(read.name[0].family == "Fhirclient" and read.meta.versionId == "1", "read")
    read.gender = "other"
    check(read.update(smart.server)["meta"]["versionId"] == "2", "update")
    found = Patient.where({"family": "Fhirclient"}).perform_resources(smart.server)
    check([p.id for p in found] == [read.id], "search")
    read.delete(smart.server)
    try:
        Patient.read(read.id, smart.server)
        check(False, "a deleted resource is not there")
    except Exception as error:
        check("410" in str(error) or isinstance(error, FHIRNotFoundException), f"gone, not {error}")


def fhir_pyrate(base, token):
    need("fhir_pyrate")
    import requests
    from fhir_pyrate import Pirate

    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {token}"
    for number in range(25):
        body = {"resourceType": "Observation", "id": f"pyrate-{number}", "status": "final", "code": {"text": "n"},
                "subject": {"reference": "Patient/p0"}, "valueInteger": number}
        answer = session.put(f"{base}/Observation/{body['id']}", json=body)
        check(answer.status_code in (200, 201), f"update: {answer.status_code}")
    search = Pirate(auth=session, base_url=base, num_processes=1)
    check(search.get_bundle_total("Observation", {"subject": "Patient/p0"}) == 25, "total")
    frame = search.steal_bundles_to_dataframe(
        resource_type="Observation", request_params={"_count": 7, "subject": "Patient/p0"},
        fhir_paths=[("id", "id"), ("value", "valueInteger"), ("patient", "subject.reference")])
    frame = frame["Observation"] if isinstance(frame, dict) else frame
    check(sorted(frame["value"]) == list(range(25)), f"all pages: {len(frame)}")
    check(set(frame["patient"]) == {"Patient/p0"}, "paths")
    for number in range(25):
        check(session.delete(f"{base}/Observation/pyrate-{number}").status_code == 204, "delete")
    search.close()


def smart_fetch(base, token):
    need("smart_fetch")
    # A machine's proxies are not for the loopback interface.
    with tempfile.TemporaryDirectory() as folder:
        for mode in ["crawl", "bulk"]:
            target = os.path.join(folder, mode)
            command = [os.path.join(os.path.dirname(sys.executable), "smart-fetch"), "export", target, "--fhir-url", base,
                       "--bearer-token", token_file(folder, token), "--export-mode", mode, "--type", "Patient,Condition"]
            result = subprocess.run(command, capture_output=True, text=True)
            check(result.returncode == 0, f"smart-fetch {mode}: {result.stdout[-2000:]} {result.stderr[-2000:]}")
            files = [os.path.join(root, file) for root, _, files in os.walk(target) for file in files]
            check(any("Patient" in file and "ndjson" in file for file in files), f"{mode} wrote patients: {files}")


def token_file(folder, token):
    path = os.path.join(folder, "token")
    with open(path, "w") as file:
        file.write(token)
    return path


def schemathesis(base, token):
    need("schemathesis")
    examples = os.environ.get("FIRELITE_SCHEMATHESIS_EXAMPLES", "20")
    command = [os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run", base + "/openapi.json",
               "-H", f"Authorization: Bearer {token}", "--checks", "not_a_server_error", "-n", examples, "--phases", "fuzzing"]
    result = subprocess.run(command, capture_output=True, text=True)
    print(result.stdout[-3000:], result.stderr[-1000:])
    check(result.returncode == 0, "schemathesis found a failure")


CLIENTS = {"fhirpy": fhirpy, "fhirclient": fhirclient, "fhir-pyrate": fhir_pyrate, "smart-fetch": smart_fetch, "schemathesis": schemathesis}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in CLIENTS:
        sys.exit(f"usage: clients.py {'|'.join(CLIENTS)} BASE TOKEN")
    CLIENTS[sys.argv[1]](sys.argv[2], sys.argv[3])
