import FireLite
import FireLiteR4

/// All a store holds: the JSON of each resource by type and id.
func snapshot(_ store: FHIRStore) throws -> [String: String] {
    try store.read { tx in
        var contents: [String: String] = [:]
        for typeName in try tx.counts().map(\.typeName) {
            try tx.forEach(typeName: typeName) { contents["\(typeName)/\($0.id ?? "")"] = FHIRJSON.string($0) }
        }
        return contents
    }
}

/// A value that must be in no error.
let markerValue = "MarkerOfARecord"

func faultPatient(_ id: String, names: Int = 2) -> Patient {
    Patient {
        $0.id = id
        $0.gender = .female
        $0.birthDate = "1970-03"
        $0.name = (0..<names).map { place in
            HumanName {
                $0.family = "\(markerValue) \(id)"
                $0.given = ["\(place)", "of \(id)"]
            }
        }
    }
}

func faultObservation(_ id: String) -> Observation {
    Observation {
        $0.id = id
        $0.status = .final
        $0.subject = Reference { $0.reference = "Patient/\(id)" }
        $0.code = CodeableConcept { $0.text = "\(markerValue) weight" }
        $0.value = .quantity(Quantity { $0.value = FHIRDecimal("71.50") })
    }
}
