import Dispatch
import FireLite
import FireLiteR4

/// A write in one call that blocks, as asynchronous functions otherwise pick the asynchronous one.
func writing(_ store: FHIRStore, _ body: (WriteTransaction) throws -> Void) throws { try store.write(body) }

/// Stores a patient with that id and family name.
func put(_ store: FHIRStore, _ id: String, _ family: String) throws {
    try writing(store) { tx in
        try tx.upsert(
            Patient {
                $0.id = id
                $0.name = [HumanName { $0.family = family }]
            })
    }
}

/// Stores an observation.
func putObservation(_ store: FHIRStore, _ id: String, status: ObservationStatus = .final) throws {
    try writing(store) { tx in
        try tx.upsert(
            Observation {
                $0.id = id
                $0.status = status
            })
    }
}

func reading<Value>(_ store: FHIRStore, _ body: (ReadTransaction) throws -> Value) throws -> Value { try store.read(body) }

/// `Type/id` of each change, with `+`, `~` or `-`.
func marks(_ commit: StoreCommit) -> [String] {
    commit.resources.map { change in
        let sign =
            switch change.kind {
            case .added: "+"
            case .updated: "~"
            case .deleted: "-"
            }
        return "\(sign)\(change.typeName)/\(change.id ?? "")"
    }
}

extension Gate {
    /// Waits until the gate is open without blocking a thread of tasks.
    func opened() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "gate").async {
                self.wait()
                continuation.resume()
            }
        }
    }
}
