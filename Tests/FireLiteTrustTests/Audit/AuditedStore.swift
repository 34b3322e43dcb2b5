import FireLiteR4
import FireLiteTrust
import Foundation
import TestSupport

/// What rolls back a write.
private struct RolledBack: Error {}

/// A store with an audit, and the key that signs it.
struct AuditedStore {
    let store: FHIRStore
    let trail: AuditTrail
    let signer: SigningIdentity

    init(path: String = ":memory:", release: FHIRRelease = .r4) throws {
        signer = SigningIdentity(id: "device", key: try PrivateKey())
        store = try FHIRStore(path: path, release: release)
        trail = try store.startAudit(by: signer)
    }

    var keys: [PublicKey] { [signer.key.publicKey] }

    func head() throws -> AuditHead { try store.read { try $0.lastAuditHead() }.unwrapped() }

    func verification(from heads: [AuditHead] = []) throws -> AuditVerification {
        try store.read { try $0.verifyAudit(from: heads, signedBy: keys) }
    }

    /// Runs `body` in a write that is rolled back.
    func tampering<Value>(_ body: (WriteTransaction) throws -> Value) throws -> Value {
        var value: Value?
        do {
            try store.write { tx in
                value = try body(tx)
                throw RolledBack()
            }
        } catch is RolledBack {}
        return try value.unwrapped()
    }
}

extension Optional {
    struct Missing: Error {}

    func unwrapped() throws -> Wrapped {
        guard let self else { throw Missing() }
        return self
    }
}

/// A patient with an id and a family name.
func auditedPatient(_ id: String, _ family: String) -> Patient {
    Patient {
        $0.id = id
        $0.name = [HumanName { $0.family = family }]
    }
}
