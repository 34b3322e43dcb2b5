import FireLite
import SlimModels

let store = try FHIRStore.inMemory(release: .r4)
try store.write { tx in
    _ = try tx.upsert(
        Patient {
            $0.id = "1"
            $0.name = [
                PersonName {
                    $0.given = ["Joey"]; $0.family = "Baloney"
                }
            ]
        })
    _ = try tx.upsert(
        Observation {
            $0.id = "2"
            $0.status = .final
            $0.subject = Reference { $0.reference = "Patient/1" }
            $0.result = .quantity(
                Quantity {
                    $0.value = "61"; $0.unit = "/min"
                })
        })
}
for observation in try store.query(Observation.self).where({ $0.subject.refers(to: Patient.self, id: "1") }).all() {
    let patient = try store.resource(Patient.self, id: "1")
    print(patient?.spokenName ?? "", observation.valueQuantity?.value?.literal ?? "", observation.valueQuantity?.unit ?? "")
}
