import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import Testing

/// Makes the files of an attacker: stores without checksums of pages that are changed with SQL.
enum CraftedFiles {
    /// Some patients and observations with lists, contained resources, extensions, dates and decimals.
    static func fill(_ store: FHIRStore) throws {
        try store.write { tx in
            for number in 0..<6 {
                try tx.add(
                    Patient {
                        $0.id = "p\(number)"
                        $0.birthDate = "1970-03-30"
                        $0.name = [
                            HumanName {
                                $0.family = "Family \(number)"; $0.given = ["A", "B"]
                            }, HumanName { $0.text = "x" },
                        ]
                        $0.contained = [
                            Organization {
                                $0.id = "o"; $0.name = "Organization"
                            }
                        ]
                    })
                try tx.add(
                    Observation {
                        $0.id = "o\(number)"
                        $0.status = .final
                        $0.effectiveDateTime = "2020-02-07T13:28:17.239+02:00"
                        $0.subject = Reference { $0.reference = "Patient/p\(number)" }
                        $0.valueQuantity = Quantity { $0.value = 1.50 }
                        $0.code = CodeableConcept { $0.coding = [Coding { $0.code = "8867-4" }] }
                        $0.component = [ObservationComponent { $0.valueBoolean = true }]
                    })
                try tx.add(
                    Questionnaire {
                        $0.id = "q\(number)"
                        $0.item = [
                            QuestionnaireItem {
                                $0.linkId = "1"; $0.item = [QuestionnaireItem { $0.linkId = "1.1" }]
                            }
                        ]
                    })
            }
        }
    }

    /// Makes a store at a path, and changes it with SQL.
    static func make(_ path: String, hasIndexes: Bool = false, _ change: (Connection) throws -> Void) throws {
        var configuration = FHIRStore.Configuration()
        configuration.checksPages = false
        do {
            let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
            try fill(store)
            if hasIndexes {
                try store.createIndexes(.references)
                try store.createIndex(Patient.self) { $0.name.family }
                if Library.hasFullText { try store.createFullTextIndex(Patient.self) { [$0.name.family, $0.name.given] } }
            }
            try store.checkpoint(.truncate)
        }
        let connection = try Connection(path: path, pageChecksums: .ignored, isHardened: false)
        try change(connection)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Does all that can be done with a file, each of which may give an error of the store and must do nothing else.
    ///
    /// - Returns: how many of the attempts gave an error.
    @discardableResult
    static func tryEverything(_ path: String, _ folder: String) -> Int {
        var errors = 0
        func attempt(_ body: () throws -> Void) {
            do {
                try body()
            } catch is FHIRStoreError {
                errors += 1
            } catch {
                Issue.record("\(error)")
            }
        }
        for verifies in [true, false] {
            var configuration = FHIRStore.Configuration()
            configuration.verifiesContent = verifies
            configuration.busyTimeout = .milliseconds(100)
            attempt {
                let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
                attempt { _ = try store.check() }
                attempt { _ = try store.statistics() }
                attempt { _ = try store.indexes() }
                attempt { _ = try store.counts() }
                for number in 0..<6 {
                    for (type, letter) in [("Patient", "p"), ("Observation", "o"), ("Questionnaire", "q")] {
                        attempt { if let found = try store.resource(typeName: type, id: "\(letter)\(number)") { use(found) } }
                    }
                }
                for type in ["Patient", "Observation", "Questionnaire"] {
                    attempt { try store.read { try $0.forEach(typeName: type) { use($0) } } }
                }
                attempt { _ = try store.query(Patient.self).where { $0.name.family == "Family 1" }.all().map(use) }
                attempt {
                    _ = try store.query(Observation.self).where { $0.code.coding.code == "8867-4" }.sort { $0.effectiveDateTime.descending }
                        .all()
                }
                attempt { _ = try store.query(Patient.self).matching("family").all() }
                attempt { _ = try store.query(Observation.self).values { ($0.effectiveDateTime, $0.valueQuantity.value) } }
                attempt {
                    try store.write { tx in
                        _ = try tx.upsert(
                            Patient {
                                $0.id = "p1"; $0.active = true
                            })
                    }
                }
                attempt {
                    try store.write { tx in
                        try tx.add(
                            Observation {
                                $0.id = "new"; $0.status = .final
                            })
                    }
                }
                attempt { try store.write { tx in _ = try tx.delete(Patient.self, id: "p2") } }
                attempt { try store.write { tx in _ = try tx.update(store.query(Patient.self)) { $0.active = false } } }
                attempt { try store.backup(to: URL(fileURLWithPath: folder + "/backup.sqlite"), replacing: true) }
                attempt { try store.vacuum() }
            }
            unlink(folder + "/recovered.sqlite")
            attempt {
                try FHIRStore.recover(
                    from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/recovered.sqlite"), release: .r4)
                let recovered = try FHIRStore(path: folder + "/recovered.sqlite", release: .r4)
                let faults = try recovered.check()
                #expect(faults.isEmpty, "what was recovered is sound")
            }
        }
        return errors
    }

    private static func use(_ resource: FHIRResource) { _ = FHIRJSON.data(resource.copy()) }
}
