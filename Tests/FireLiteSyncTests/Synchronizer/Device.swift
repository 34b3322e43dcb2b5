import FireLiteR4
import Foundation

@testable import FireLiteClient
@testable import FireLiteSync

/// A store with a synchronizer, as an app on a device has it.
struct Device {
    let store: FHIRStore
    let synchronizer: Synchronizer
    let clock: TestClock

    init(
        _ server: any HTTPTransport, store: FHIRStore? = nil, scope: SyncScope = .types("Patient", "Observation"),
        clock: TestClock = TestClock(random: 0), release: FHIRRelease = .r4, _ change: (inout Synchronizer.Configuration) -> Void = { _ in }
    ) throws {
        self.store = try store ?? FHIRStore.inMemory(release: release)
        self.clock = clock
        var settings = FHIRClient.Configuration()
        settings.clock = clock.clock
        settings.retry = .never
        let client = try FHIRClient(base: testBase, release: release, configuration: settings, transport: server)
        var configuration = Synchronizer.Configuration()
        change(&configuration)
        synchronizer = Synchronizer(self.store, client, scope: scope, configuration: configuration)
    }

    @discardableResult
    func sync(_ direction: SyncDirection = .both) async throws -> SyncResult { try await synchronizer.sync(direction) }

    /// What every resource is, without meta.
    func contents() throws -> [String: String] {
        try store.blocking { store in
            try store.read { tx in
                var contents: [String: String] = [:]
                for type in try tx.counts() {
                    try tx.forEach(typeName: type.typeName) { resource in
                        contents["\(resource.resourceType)/\(resource.id ?? "")"] = ModelServer.plain(FHIRJSON.string(resource))
                    }
                }
                return contents
            }
        }
    }

    /// The user changes something.
    func edit(_ body: (WriteTransaction) throws -> Void) throws { try store.blocking { try $0.write { try body($0) } } }

    func patient(_ id: String) throws -> Patient? { try store.blocking { try $0.resource(Patient.self, id: id) } }
}

func samplePatient(_ id: String, _ family: String = "Smith") -> Patient {
    Patient {
        $0.id = id
        $0.name = [HumanName { $0.family = family }]
    }
}

func sampleObservation(_ id: String, of patient: String) -> Observation {
    Observation {
        $0.id = id
        $0.status = .final
        $0.code = CodeableConcept { $0.text = "weight" }
        $0.subject = Reference { $0.reference = "Patient/\(patient)" }
    }
}
