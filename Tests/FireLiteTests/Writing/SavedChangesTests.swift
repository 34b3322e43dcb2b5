import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Changes of managed objects are stored alike whenever they are saved, and fetches and queries see them.
@Suite(.soundStores) struct SavedChangesTests {
    /// What the store has: the content, the revision and the rows of each resource.
    private func content(_ store: FHIRStore) throws -> [String: [String]] {
        var content: [String: [String]] = [:]
        try store.read { transaction in
            for type in try transaction.counts().map(\.typeName) {
                try transaction.forEach(typeName: type) { resource in
                    let tie = try #require(resource.objectExtras as? StoreTie)
                    let rows = try transaction.rows(of: resource).map { "\($0)" }
                    content["\(type)/\(resource.id ?? "")"] = [FHIRJSON.string(resource), "\(tie.root) \(tie.revision)"] + rows
                }
            }
        }
        return content
    }

    @Test func fetchesByIDSeeChangedIDs() throws {
        let store = try freshStore()
        try store.write { transaction in _ = try transaction.upsert((0..<9).map { number in Patient { $0.id = "\(number)" } }) }
        try store.write { transaction in
            for number in 1..<9 { try transaction.resource(Patient.self, id: "\(number)")?.active = true }
            let moved = try #require(try transaction.resource(Patient.self, id: "0"))
            moved.active = false
            moved.id = "new"
            #expect(try transaction.resource(Patient.self, id: "0") == nil)
            #expect(try transaction.resource(Patient.self, id: "new") === moved)
            moved.id = "again"
            #expect(try transaction.resource(Patient.self, id: "again") === moved)
            #expect(try transaction.resource(Patient.self, id: "new") == nil)
            #expect(try transaction.resource(pk: moved.pk) === moved)
            let freed = try #require(try transaction.resource(Patient.self, id: "5"))
            freed.id = nil
            #expect(try transaction.resource(Patient.self, id: "5") == nil)
        }
        #expect(try store.query(Patient.self).where { $0.active == true }.count() == 8)
        #expect(try store.resource(Patient.self, id: "again")?.active == false)
        #expect(try store.resource(Patient.self, id: "0") == nil)
    }

    @Test func queriesSeeWhatWaits() throws {
        let store = try freshStore()
        let ids = (0..<700).map { "\($0)" }
        try store.write { transaction in _ = try transaction.upsert(ids.map { id in Patient { $0.id = id } }) }
        try store.write { transaction in
            for (number, id) in ids.enumerated() {
                try transaction.resource(Patient.self, id: id)?.name = [HumanName { $0.family = "N\(number)" }]
                if number % 100 == 50 { #expect(try transaction.query(Patient.self).where { $0.name.family != nil }.count() == number + 1) }
            }
            // Those that were saved are changed again: it stays one version.
            for id in ids { try transaction.resource(Patient.self, id: id)?.active = true }
        }
        try store.read { transaction in
            for (number, id) in ids.enumerated() {
                let patient = try #require(try transaction.resource(Patient.self, id: id))
                #expect(patient.name.first?.family == "N\(number)" && patient.active == true)
            }
        }
    }

    @Test func aStaleObjectAmongManyIsAConflictAndNothingIsStored() throws {
        let store = try freshStore()
        let ids = (0..<20).map { "\($0)" }
        try store.write { transaction in _ = try transaction.upsert(ids.map { id in Patient { $0.id = id } }) }
        let objects = try ids.map { try #require(try store.resource(Patient.self, id: $0)) }
        try store.write { transaction in try transaction.resource(Patient.self, id: "13")?.gender = .other }
        let before = try content(store)
        let error = #expect(throws: FHIRStoreError.self) {
            try store.write { transaction in
                for object in objects { object.active = true }
                // Caught, it still ends the write.
                do { try transaction.saveChanges() } catch {}
            }
        }
        #expect(error?.conflict == .changed)
        #expect(try content(store) == before)
        #expect(objects.allSatisfy { $0.active == nil })
    }

    /// The extensions of a primitive are taken out one by one; JSON has no element without content.
    @Test func anElementThatLosesItsContentIsNoDamage() throws {
        let store = try freshStore()
        let json =
            #"{"resourceType":"Patient","id":"1","birthDate":"1970","_birthDate":{"extension":[{"url":"u:1","valueString":"x"}]},"_gender":{"extension":[{"url":"u:2","valueString":"y"}]}}"#
        try store.write { transaction in try transaction.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }
        for element in ["birthDate", "gender"] {
            try store.write { transaction in
                let patient = try #require(try transaction.resource(Patient.self, id: "1"))
                let slot = try #require(patient.layout.element(named: element)).slot
                guard case .annotated(let primitive)? = patient.value(slot) else { throw Missing() }
                let list = try #require(primitive.element.layout.element(named: "extension")).slot
                primitive.element._setObjects(list, [] as [FHIRObject])
            }
            let read = try #require(try store.resource(Patient.self, id: "1"))
            #expect(!FHIRJSON.string(read).contains("_\(element)"))
        }
        #expect(
            try FHIRJSON.string(#require(try store.resource(Patient.self, id: "1")))
                == #"{"resourceType":"Patient","id":"1","birthDate":"1970"}"#)
        #expect(try store.check().isEmpty)
        // Setting the same again is no change.
        try store.write { transaction in
            let result = try transaction.upsert([Patient { ($0.id, $0.birthDate) = ("1", "1970") }])
            #expect(result.unchanged == 1)
        }
    }

    @Test func anItemThatLosesItsContentIsNoDamage() throws {
        for (json, kept) in [
            (#""given":["A","B"],"_given":[null,{"extension":[{"url":"u:1","valueString":"x"}]}]"#, #""given":["A","B"]"#),
            (#""given":["A",null],"_given":[{"id":"i"},{"extension":[{"url":"u:1","valueString":"x"}]}]"#, #""_given":[{"id":"i"}"#),
        ] {
            let store = try freshStore()
            let text = "{\"resourceType\":\"Patient\",\"id\":\"1\",\"name\":[{\(json)}]}"
            try store.write { transaction in try transaction.upsert(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) }
            try store.write { transaction in
                let name = try #require(try transaction.resource(Patient.self, id: "1")).name[0]
                let slot = try #require(name.layout.element(named: "given")).slot
                guard case .annotatedTexts(let items)? = name.value(slot), let element = items.elements[1] else { throw Missing() }
                element._setObjects(try #require(element.layout.element(named: "extension")).slot, [] as [FHIRObject])
            }
            let read = try #require(try store.resource(Patient.self, id: "1"))
            #expect(FHIRJSON.string(read).contains(kept), "\(FHIRJSON.string(read))")
            #expect(try store.check().isEmpty)
        }
    }

    private struct Missing: Error {}
}
