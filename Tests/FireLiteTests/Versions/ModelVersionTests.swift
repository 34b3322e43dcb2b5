import FireLite
import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import Testing

/// One file and two versions of a model's classes: what the older one wrote the newer one reads and extends, and what only the newer one knows the
/// older one never loses.
@Suite struct ModelVersionTests {
    typealias Old = OldModel
    typealias New = NewModel

    private static let ids = (1...5).map(String.init)

    private func oldThing(_ id: String) -> Old.Thing {
        Old.Thing {
            $0.id = id
            $0.name = "Thing \(id)"
            $0.part = [Old.ThingPart { $0.text = "a" }, Old.ThingPart { $0.text = "b" }]
            $0.size = Old.Size { $0.unit = "cm" }
        }
    }

    /// Runs `body` with a file that the old model has written.
    private func withOldFile(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: Old.release)
                try store.createIndex(Old.Thing.self) { $0.name }
                try store.write { tx in try tx.upsert(Self.ids.map(oldThing)) }
                try expectSound(store)
            }
            try body(path)
        }
    }

    private func opensInOldModel(_ path: String) throws -> FHIRStore { try FHIRStore(path: path, release: Old.release) }

    private func expectRefusal(by release: FHIRRelease = Old.release, _ path: String, _ code: FHIRStoreError.Code, says words: String)
        throws
    {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: release) }
        #expect(error?.code == code && error?.message.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func whatTheOlderModelWroteIsReadByTheNewer() throws {
        try withOldFile { path in
            let store = try FHIRStore(path: path, release: New.release)
            try expectSound(store)
            let things = try store.query(New.Thing.self).all()
            #expect(things.map(\.id) == Self.ids)
            for thing in things {
                let id = thing.id ?? ""
                #expect(FHIRJSON.data(thing) == FHIRJSON.data(oldThing(id)))
                #expect(thing.isNew == nil && thing.note.isEmpty && thing.weight == nil && thing.part[1].code == nil)
            }
            #expect(try store.query(New.Thing.self).where { $0.name == "Thing 3" }.ids() == ["3"])
            #expect(try store.count(New.Other.self) == 0)
            // What has not changed writes no row, though every element has another slot.
            let rows = try store.write { tx in
                let before = tx.rowsWritten
                let result = try tx.upsert(try Self.ids.map { try New.Thing(json: FHIRJSON.data(oldThing($0))) })
                #expect(result.unchanged == Self.ids.count)
                return tx.rowsWritten - before
            }
            #expect(rows == 0)
            // Looking has changed nothing: the older model goes on.
            #expect(try opensInOldModel(path).query(Old.Thing.self).all().count == Self.ids.count)
        }
    }

    @Test func theNewerModelAddsWhatItKnows() throws {
        try withOldFile { path in
            var json = Data()
            do {
                let store = try FHIRStore(path: path, release: New.release)
                let thing = try #require(try store.resource(New.Thing.self, id: "2"))
                try store.write { tx in
                    thing.language = "de"
                    thing.isNew = true
                    thing.note = ["x", "y"]
                    thing.part[1].code = "c"
                    thing.part.append(New.ThingPart { $0.code = "d" })
                    thing.weight = New.Size { $0.value = FHIRDecimal("1.50") }
                    thing.size?.value = FHIRDecimal("2")
                    try tx.add(New.Other { $0.id = "o" })
                }
                json = FHIRJSON.data(thing)
                try expectSound(store)
            }
            let store = try FHIRStore(path: path, release: New.release)
            #expect(try store.resource(New.Thing.self, id: "2").map { FHIRJSON.data($0) } == json)
            #expect(
                String(decoding: json, as: UTF8.self).contains(
                    #""note":["x","y"],"part":[{"text":"a"},{"code":"c","text":"b"},{"code":"d"}]"#))
            #expect(try store.query(New.Thing.self).where { $0.weight.value == 1.5 && $0.part.code == "d" }.ids() == ["2"])
            #expect(try store.query(New.Thing.self).where { $0.isNew == nil }.count() == Self.ids.count - 1)
            try store.checkpoint(.truncate)
        }
    }

    /// Each of what a newer model may have written: refused by the older one, the file untouched, and all there for the newer one.
    @Test(arguments: [
        ("a column of the type", "Thing has a column"), ("a list", "the table Thing_note"),
        ("an element in a list", "Thing_part has a column"),
        ("an element in an inlined one", "Thing has a column"), ("a type", "the table Other"),
    ])
    func theOlderModelRefusesWhatItWouldLose(_ what: String, _ words: String) throws {
        try withOldFile { path in
            var json = Data()
            do {
                let store = try FHIRStore(path: path, release: New.release)
                try store.write { tx in
                    let thing = try #require(try tx.resource(New.Thing.self, id: "1"))
                    switch what {
                    case "a column of the type": thing.isNew = true
                    case "a list": thing.note = ["n"]
                    case "an element in a list": thing.part[0].code = "c"
                    case "an element in an inlined one": thing.size?.value = FHIRDecimal("1")
                    default: try tx.add(New.Other { $0.id = "o" })
                    }
                    json = FHIRJSON.data(thing)
                }
                try store.checkpoint(.truncate)
            }
            try expectRefusal(path, .newerFormat, says: words)
            let store = try FHIRStore(path: path, release: New.release)
            try expectSound(store)
            #expect(try store.resource(New.Thing.self, id: "1").map { FHIRJSON.data($0) } == json)
            #expect(try store.count(New.Other.self) == (what == "a type" ? 1 : 0))
        }
    }

    /// Back and forth, with nothing that the older model does not know.
    @Test func eachModelChangesWhatBothKnow() throws {
        try withOldFile { path in
            for round in 1...3 {
                do {
                    let store = try FHIRStore(path: path, release: New.release)
                    try store.write { tx in
                        let thing = try #require(try tx.resource(New.Thing.self, id: "1"))
                        thing.name = "new \(round)"
                        thing.part.append(New.ThingPart { $0.text = "n\(round)" })
                    }
                }
                let store = try opensInOldModel(path)
                let thing = try #require(try store.resource(Old.Thing.self, id: "1"))
                #expect(thing.name == "new \(round)" && thing.part.last?.text == "n\(round)" && thing.part.count == 2 + 2 * round - 1)
                try store.write { _ in thing.part.append(Old.ThingPart { $0.text = "o\(round)" }) }
                try expectSound(store)
            }
        }
    }

    /// The newer program begins to write what the older one does not know while that has the file open.
    @Test func theOlderModelLosesNothingMeanwhile() throws {
        try withOldFile { path in
            let old = try opensInOldModel(path)
            #expect(try old.count(Old.Thing.self) == Self.ids.count)
            let new = try FHIRStore(path: path, release: New.release)
            let thing = try #require(try new.resource(New.Thing.self, id: "4"))
            try new.write { _ in thing.note = ["kept"] }
            for attempt in [
                { _ = try old.resource(Old.Thing.self, id: "4") }, { try old.write { tx in _ = try tx.upsert(self.oldThing("4")) } },
                { _ = try old.write { tx in try tx.delete(Old.Thing.self, id: "4") } },
            ] as [() throws -> Void] {
                let error = #expect(throws: FHIRStoreError.self) { try attempt() }
                #expect(error?.code == .newerFormat)
            }
            #expect(try new.resource(New.Thing.self, id: "4")?.note == ["kept"])
            try expectSound(new)
        }
    }

    @Test func theFileNamesTheModelThatMadeItGrow() throws {
        try withOldFile { path in
            func model() throws -> String? { try Connection(path: path).text("SELECT value FROM _meta WHERE key = 'model'") }
            let first = try model()
            let store = try FHIRStore(path: path, release: New.release)
            #expect(try model() == first)
            try store.write { tx in try tx.add(New.Other { $0.id = "o" }) }
            let second = try model()
            #expect(first?.utf8.count == 16 && second?.utf8.count == 16 && first != second)
        }
    }

    // MARK: - Releases

    /// A release with the same types is another one by its name.
    @Test func theWrongReleaseIsRefused() throws {
        try withOldFile { path in
            try expectRefusal(by: .r4, path, .wrongRelease, says: "holds FHIR T1, not R4: open it with that release")
        }
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            }
            let later = FHIRRelease(_name: "R5", version: "5.0.0", types: [_TypeGroup("Element", [Old.Element.self])], codes: [])
            try expectRefusal(by: later, path, .wrongRelease, says: "holds FHIR R4, not R5")
            #expect(try FHIRStore(path: path, release: .r4).count(Patient.self) == 1)
            let error = #expect(throws: FHIRStoreError.self) {
                try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: path + ".new"), release: later)
            }
            #expect(error?.code == .wrongRelease)
        }
    }
}
