import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// What is larger than anything in practice is stored, or refused with a clear error and nothing else touched. Small forms of it; the full
/// sizes run where `FIRELITE_NIGHTLY` is set, in `HugeTests`.
@Suite(.soundStores) struct SizeTests {
    /// How many steps SQLite's machine takes, in thousands, and how many bytes the store got longer: work that does not depend on the clock.
    private func pages(_ store: FHIRStore) throws -> Int64 { try store.sql("PRAGMA page_count")[0].values[0].integer ?? 0 }

    /// Twice the text, twice the pages, whatever the shape.
    @Test(arguments: [50_000, 200_000]) func longTextIsLinearInPages(_ length: Int) throws {
        func pages(_ length: Int) throws -> Int64 {
            let store = try freshStore()
            let before = try self.pages(store)
            let text = String(repeating: "x", count: length)
            try store.write { tx in
                try tx.add(
                    Patient {
                        $0.id = "1"; $0.language = text
                    })
            }
            let read = try store.resource(Patient.self, id: "1")
            #expect(read?.language == text)
            return try self.pages(store) - before
        }
        let (one, two) = (try pages(length), try pages(2 * length))
        #expect(two <= 2 * one + 2)
    }

    @Test func longListsComeBackInOrder() throws {
        try withStore { store in
            let given = (0..<20_000).map { "n\($0)" }
            try store.write { tx in
                try tx.add(
                    Patient {
                        $0.id = "1"; $0.name = [HumanName { $0.given = given }]
                    })
            }
            #expect(try store.query(Patient.self).all().first?.name[0].given == given)
        }
    }

    @Test func inWithMoreValuesThanSQLiteHasParameters() throws {
        try withStore { store in
            try store.write { tx in
                try tx.upsert(
                    (0..<50).map { n in
                        Patient {
                            $0.id = "\(n * 1_000)"; $0.language = "v\(n * 1_000)"
                        }
                    })
            }
            let many = (0..<40_000)
            #expect(try store.query(Patient.self).where { $0.language.in(many.map { "v\($0)" }) }.count() == 40)
            #expect(try store.resources(Patient.self, ids: many.map { "\($0)" }).count == 40)
        }
    }

    /// More conditions than SQLite's expressions may be deep are answered.
    @Test func thousandsOfConditions() throws {
        try withStore { store in
            try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
            var query = store.query(Patient.self)
            for number in 0..<3_000 { query = query.where { $0.language != "\(number)" } }
            #expect(try query.count() == 1)
            #expect(try store.count(Patient.self) == 1)
        }
    }

    /// Conditions that were combined one by one need no more of a stack than other threads than the main one have on Apple's systems.
    @Test(.enabled(if: Library.takesManyParameters, "needs SQLite 3.32, as a statement of an older one has at most 999 parameters"))
    func thousandsOfCombinedConditionsNeedNoDeepStack() throws {
        try withStore { store in
            try store.write { tx in for id in ["1", "2"] { try tx.add(Patient { ($0.id, $0.language) = (id, id) }) } }
            let counts = try onSmallStack {
                try [
                    store.query(Patient.self).where { patient in
                        (0..<6_000).reduce(.constant(false)) { $0 || patient.language.contains("\($1 + 2)") }
                    },
                    store.query(Patient.self).where { patient in
                        (0..<6_000).reduce(.constant(true)) { $0 && patient.language != "\($1 + 2)" }
                    },
                    store.query(Patient.self).where { patient in
                        (0..<6_000).reduce(.constant(false)) { patient.language == "\($1 + 2)" || $0 } && patient.id == "2"
                    },
                    (0..<6_000).reduce(store.query(Patient.self)) { query, number in query.where { $0.language != "\(number + 3)" } },
                ].map { try $0.count() }
            }
            #expect(counts == [1, 1, 1, 2])
        }
    }

    /// What a block returns on a thread whose stack has 512 KB.
    private func onSmallStack<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        nonisolated(unsafe) var result: Result<Value, any Error>?
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            result = Result { try body() }
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
        return try #require(result).get()
    }

    // MARK: - Columns

    /// Elements of one list that have every type of every choice element, each primitive with an id, and every pk in use: together more columns than a table may
    /// have.
    private func elements(_ rounds: Swift.Range<Int>) throws -> [ElementDefinition] {
        try rounds.map { round in
            var random = RandomInstance(seed: 1, mode: .everything(round: round))
            random.maximumDepth = 5
            let json = try JSONSerialization.jsonObject(with: FHIRJSON.data(random.make(ElementDefinition.self)))
            let data = try JSONSerialization.data(withJSONObject: annotated(json))
            let element = try FHIRJSON.lenientDecode(ElementDefinition.self, from: data).object
            readPKs(element)
            return element
        }
    }

    /// A pk that has been read gets a column.
    private func readPKs(_ object: FHIRObject) {
        _ = object.pk
        object.forEachSlot { $0.value.forEachChild { readPKs($0) } }
    }

    private func annotated(_ json: Any) -> Any {
        if let list = json as? [Any] { return list.map(annotated) }
        guard let object = json as? [String: Any] else { return json }
        var result = object.mapValues(annotated)
        for (name, value) in object where !name.hasPrefix("_") && name != "id" && (value is String || value is NSNumber) {
            result["_" + name] = ["id": "i"]
        }
        return result
    }

    private func definition(_ id: String, _ rounds: Swift.Range<Int>) throws -> FHIRResource {
        let elements = try elements(rounds)
        return StructureDefinition {
            $0.id = id
            $0.snapshot = StructureDefinitionSnapshot { $0.element = elements }
        }
    }

    @Test func moreThanTwoThousandColumns() throws {
        try withStore { store in
            let wide = try definition("wide", 0..<50)
            let small = Patient {
                $0.id = "small"; $0.active = true
            }
            try store.write { tx in try tx.add(Patient { $0.id = "before" }) }
            let rows = try rowCounts(store)
            let error = try #require(throws: FHIRStoreError.self) {
                try store.write { tx in _ = try tx.upsert([small, wide] as [FHIRResource]) }
            }
            #expect(error.code == .tooLarge && error.message.contains("columns in the table StructureDefinition_snapshot_element"))
            #expect(try rowCounts(store) == rows)
            #expect(!small.isManaged && !wide.isManaged)
            // Caught inside, it leaves the write as it was before it.
            try store.write { tx in
                #expect(throws: FHIRStoreError.self) { try tx.add(wide) }
                try tx.add(small)
            }
            #expect(try store.resource(Patient.self, id: "small") == small)
            #expect(try store.count(StructureDefinition.self) == 0)
            // What fits is stored until the table is full, and stays.
            var stored: [String] = []
            for round in 0..<50 {
                do {
                    let one = try definition("\(round)", round..<round + 1)
                    try store.write { tx in try tx.add(one) }
                    stored.append("\(round)")
                } catch let error as FHIRStoreError where error.code == .tooLarge { break }
            }
            let columns = try store.sql("PRAGMA table_info(StructureDefinition_snapshot_element)").count
            let isNearlyFull = columns > StorageSchema.maximumColumns * 3 / 4
            #expect(stored.count > 2 && stored.count < 50 && isNearlyFull, "\(stored.count) definitions, \(columns) columns")
            for id in stored {
                let round = try #require(Int(id))
                let found = try #require(try store.resource(StructureDefinition.self, id: id))
                #expect(try found == definition(id, round..<round + 1))
            }
        }
    }

    // MARK: - Rows

    /// A resource whose row numbers are used up refuses the next row, says what to do, and stays as it was.
    @Test func rowNumbersUsedUp() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            do {
                let store = try FHIRStore(path: path, release: .r4)
                try store.write { tx in
                    try tx.add(
                        Patient {
                            $0.id = "1"; $0.name = [HumanName { $0.text = "a" }]
                        })
                    try tx.add(Patient { $0.id = "2" })
                }
            }
            try Connection(path: path).execute("UPDATE _resource SET nodes = \(Flattener.maximumNode) WHERE root = 1")
            let store = try FHIRStore(path: path, release: .r4)
            let patient = try #require(try store.resource(Patient.self, id: "1"))
            try store.write { _ in patient.name.append(HumanName { $0.text = "the last one" }) }
            let error = try #require(throws: FHIRStoreError.self) {
                try store.write { _ in patient.name.append(HumanName { $0.text = "one too many" }) }
            }
            #expect(error.code == .tooLarge && error.message.contains("store a copy of it instead"))
            #expect(patient.name.map(\.text) == ["a", "the last one"])
            #expect(try store.resource(Patient.self, id: "1")?.name.count == 2)
            // The remedy works, and others are not affected.
            try store.write { tx in
                let copy = patient.copy()
                try tx.delete(patient)
                copy.name.append(HumanName { $0.text = "more" })
                try tx.add(copy)
                _ = try tx.upsert(
                    Patient {
                        $0.id = "2"; $0.name = [HumanName { $0.text = "b" }]
                    })
            }
            #expect(try store.resource(Patient.self, id: "1")?.name.count == 3)
            try expectSound(store)
        }
    }

    // MARK: - Text

    /// A text that SQLite refuses to bind must not become the text of the row before it, or none.
    @Test func textLongerThanSQLiteHolds() throws {
        try withStore { store in
            try store.write { tx in
                tx.access.connection.setMaximumLength(100_000)
                try tx.add(
                    Patient {
                        $0.id = "1"; $0.language = "a"
                    })
                for length in [100_001, 99_999] {
                    // Too long by itself, and too long only with the rest of its row.
                    let error = try #require(throws: FHIRStoreError.self) {
                        try tx.add(
                            Patient {
                                $0.id = "2"; $0.language = String(repeating: "x", count: length); $0.implicitRules = "u"
                            })
                    }
                    #expect(error.code == .tooLarge && !error.description.contains("xx"))
                }
                try tx.add(
                    Patient {
                        $0.id = "3"; $0.language = "c"
                    })
            }
            #expect(try store.query(Patient.self).all().map(\.language) == ["a", "c"])
            #expect(throws: FHIRStoreError.self) {
                try store.write { tx in
                    tx.access.connection.setMaximumLength(1_000)
                    _ = try tx.upsert([
                        Patient {
                            $0.id = "1"; $0.language = String(repeating: "y", count: 5_000)
                        }
                    ])
                }
            }
            #expect(try store.resource(Patient.self, id: "1")?.language == "a")
        }
    }
}
