import FireLite
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

/// Of a damaged store everything comes out that can be read, as it was, and everything else is listed.
@Suite struct RecoveryTests {
    private struct Original {
        let path: String
        /// The JSON of each resource by its number in the store.
        var json: [Int64: Data] = [:]
        var types: [Int64: String] = [:]
        var pks: [Int64: String] = [:]
    }

    /// Makes a closed store with patients (numbers 1 to 1,000) and observations (1,001 to 1,600).
    private func withOriginal(isTracked: Bool = false, _ body: (Original) throws -> Void) throws {
        try withTemporaryFolder { folder in
            var original = Original(path: folder + "/store.sqlite")
            do {
                let store = try FHIRStore(path: original.path, release: .r4)
                if isTracked { try store.track(.changes) }
                var resources: [FHIRResource] = []
                for index in 1...1_000 {
                    resources.append(
                        Patient {
                            $0.id = "p\(index)"
                            $0.birthDate = "1970-03-30"
                            $0.name = [
                                HumanName {
                                    $0.family = "Family \(index)"
                                    $0.given = ["Given \(index)", "Second"]
                                }
                            ]
                        })
                }
                for index in 1...600 {
                    resources.append(
                        try Observation(
                            json:
                                #"{"resourceType":"Observation","id":"o\#(index)","status":"final","code":{"coding":[{"code":"\#(index)"}]},"#
                                + #""valueQuantity":{"value":1.50}}"#))
                }
                try store.write { tx in for resource in resources { try tx.add(resource) } }
                for (index, resource) in resources.enumerated() {
                    original.json[Int64(index + 1)] = FHIRJSON.data(resource)
                    original.types[Int64(index + 1)] = resource.resourceType
                    original.pks[Int64(index + 1)] = resource.pk
                }
                _ = try store.createIndex(Patient.self) { $0.birthDate }
            }
            try body(original)
        }
    }

    /// Recovers, and expects that exactly the resources not in `lost` come out, each as it was, and that the damaged file is left as it is.
    private func recover(_ original: Original, losing lost: Set<Int64>) throws -> RecoveryReport {
        let before = try Data(contentsOf: URL(fileURLWithPath: original.path))
        let target = original.path + ".new"
        let report = try FHIRStore.recover(from: URL(fileURLWithPath: original.path), to: URL(fileURLWithPath: target), release: .r4)
        #expect(try Data(contentsOf: URL(fileURLWithPath: original.path)) == before)
        #expect(Set(report.lost.map(\.number)) == lost)
        #expect(report.recovered == original.json.count - lost.count)
        let store = try FHIRStore(path: target, release: .r4)
        try expectSound(store)
        #expect(try store.counts().reduce(0) { $0 + $1.count } == report.recovered)
        for (number, json) in original.json where !lost.contains(number) {
            let pk = try #require(original.pks[number])
            let resource = try #require(try store.read { try $0.resource(pk: pk) })
            #expect(FHIRJSON.data(resource) == json)
        }
        for resource in report.lost { #expect(resource.typeName == original.types[resource.number]) }
        return report
    }

    private func roots(_ keys: [Int64]) -> Set<Int64> { Set(keys.map { $0 >> 24 }) }

    @Test func aSoundStoreComesOutWhole() throws {
        try withOriginal { original in
            let folder = URL(fileURLWithPath: original.path).deletingLastPathComponent().path
            let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            let report = try recover(original, losing: [])
            #expect(report.isComplete)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.contains(".new") }.sorted() == before)
            let store = try FHIRStore(path: original.path + ".new", release: .r4)
            #expect(try store.indexes().count == 1)
            // Numbers go on after those of the damaged store.
            try store.write { tx in try tx.add(Patient { $0.id = "new" }) }
            try expectSound(store)
        }
    }

    @Test(arguments: ["Patient_name", "Patient_name_given", "Observation_code_coding"]) func aDamagedPageOfAnElementLosesItsResourcesAlone(
        _ table: String
    ) throws {
        try withOriginal { original in
            var pages = try DatabasePages(path: original.path)
            let leaves = try pages.leaves(of: table)
            try #require(leaves.count > 2)
            let leaf = leaves[leaves.count / 2]
            try pages.damage(page: leaf.page)
            let report = try recover(original, losing: roots(leaf.keys))
            for resource in report.lost {
                #expect(resource.reason == "its rows cannot be read in \(table)")
                #expect(resource.id?.isEmpty == false)
            }
            #expect(report.unverified.isEmpty && report.unreadable.isEmpty && !report.isComplete)
        }
    }

    /// A row whose number has changed comes with those of another resource, or twice: it is left out, and the rest is recovered.
    @Test(arguments: ["Patient", "Patient_name", "Patient_name_given", "Observation_code_coding", "_change"], [0, 1, 2, 3])
    func aRowWithAnotherNumberLosesItsResourceAlone(_ table: String, _ byte: Int) throws {
        let isLog = table == "_change"
        try withOriginal(isTracked: isLog) { original in
            var pages = try DatabasePages(path: original.path)
            let leaves = try pages.leaves(of: table)
            let leaf = leaves[leaves.count / 2]
            for row in [1, leaf.keys.count / 2, leaf.keys.count - 2] { try pages.changeKey(page: leaf.page, row: row, byte: byte) }
            let target = original.path + ".new"
            let report = try FHIRStore.recover(from: URL(fileURLWithPath: original.path), to: URL(fileURLWithPath: target), release: .r4)
            // What a page beside them has is found by its number, which the order of the page may lead past.
            #expect(report.recovered >= original.json.count - leaf.keys.count)
            #expect(report.isComplete == (report.recovered == original.json.count && !isLog))
            #expect(!isLog || report.recovered == original.json.count)
            let store = try FHIRStore(path: target, release: .r4)
            try expectSound(store)
            var recovered = 0
            for (number, json) in original.json {
                let pk = try #require(original.pks[number])
                guard let resource = try store.read({ try $0.resource(pk: pk) }) else { continue }
                recovered += 1
                #expect(FHIRJSON.data(resource) == json)
            }
            #expect(recovered == report.recovered)
        }
    }

    /// Some bytes of many pages: what is recovered is as it was, or listed as not verified, and what is left is a sound store.
    @Test func randomDamageOfManyPagesLeavesTheRest() throws {
        try withOriginal { original in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: original.path))
            let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
            try withEvery(Effort.seeds(byDay: 12, atNight: 300)) { seed in
                var random = SeededGenerator(seed: seed)
                var damaged = bytes
                let share = random.pick([5, 30, 60])
                let isAtStart = random.percent(50)
                for page in 2..<bytes.count / pageSize where random.percent(share) {
                    for _ in 0..<random.int(1...20) {
                        let place = random.int(0...(isAtStart ? 199 : pageSize - 1))
                        damaged[page * pageSize + place] = UInt8(random.int(0...255))
                    }
                }
                let path = original.path + "-\(seed)"
                try damaged.write(to: URL(fileURLWithPath: path))
                let target = path + ".new"
                let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: target), release: .r4)
                try #require(report.recovered > 0 && !report.isComplete, "a share of \(share)")
                let store = try FHIRStore(path: target, release: .r4)
                try #require(store.check().isEmpty)
                let unverified = Set(report.unverified.map { "\($0.typeName ?? "")/\($0.id ?? "")" })
                let expected = Set(original.json.values)
                try store.read { tx in
                    for type in try tx.counts() {
                        try tx.forEach(typeName: type.typeName) { resource in
                            let isKnown = expected.contains(FHIRJSON.data(resource))
                            #expect(isKnown || unverified.contains("\(resource.resourceType)/\(resource.id ?? "")"))
                        }
                    }
                }
            }
        }
    }

    @Test func damagedPagesOfATypeLoseTheirResourcesAlone() throws {
        try withOriginal { original in
            var pages = try DatabasePages(path: original.path)
            let leaves = try pages.leaves(of: "Patient")
            try #require(leaves.count > 3)
            var lost: Set<Int64> = []
            for leaf in [leaves[0], leaves[2], leaves[leaves.count - 1]] {
                try pages.damage(page: leaf.page)
                lost.formUnion(roots(leaf.keys))
            }
            let report = try recover(original, losing: lost)
            #expect(report.lost.allSatisfy { $0.id == nil && $0.reason == "its rows cannot be read in Patient" })
            #expect(report.unreadable.allSatisfy { $0.hasPrefix("Patient: the rows of resource") })
            #expect(report.unreadable.count >= 2)
        }
    }

    @Test func aDamagedPageOfTheRegistryLosesItsResourcesAlone() throws {
        try withOriginal { original in
            var pages = try DatabasePages(path: original.path)
            let leaves = try pages.leaves(of: "_resource")
            try #require(leaves.count > 2)
            try pages.damage(page: leaves[1].page)
            let report = try recover(original, losing: [])
            #expect(report.unverified.map(\.number) == leaves[1].keys)
            #expect(report.unreadable.count == 1 && report.unreadable[0].hasPrefix("_resource: "))
        }
    }

    @Test(arguments: ["_resource", "_shape"]) func aLostTableOfTheStoreLosesNothing(_ table: String) throws {
        try withOriginal { original in
            var pages = try DatabasePages(path: original.path)
            try pages.damage(page: try pages.root(of: table))
            let report = try recover(original, losing: [])
            #expect(report.unverified.count == (table == "_resource" ? 1_600 : 0))
        }
    }

    @Test(arguments: ["Patient__id", "Observation__id", "Patient__birthDate", "_resource__pk"])
    func aDamagedIndexLosesNothing(_ name: String) throws {
        try withOriginal { original in
            var pages = try DatabasePages(path: original.path)
            let page = try pages.root(of: name)
            try #require(page > 0)
            try pages.damage(page: page)
            #expect(try recover(original, losing: []).isComplete)
        }
    }

    @Test func whatIsLostWithItsRegistrationIsListedByRange() throws {
        try withOriginal { original in
            var pages = try DatabasePages(path: original.path)
            try pages.damage(page: try pages.root(of: "_resource"))
            try pages.damage(page: try pages.root(of: "Patient"))
            let target = original.path + ".new"
            let report = try FHIRStore.recover(from: URL(fileURLWithPath: original.path), to: URL(fileURLWithPath: target), release: .r4)
            #expect(report.recovered == 600)
            #expect(report.lost.isEmpty)
            #expect(report.unverified.count == 600)
            #expect(report.unverified.allSatisfy { $0.reason.hasSuffix("nor whether it contains resources in Patient") })
            #expect(report.unreadable.contains { $0.hasPrefix("Patient: the rows of resources 1 to ") })
            #expect(!report.isComplete)
        }
    }

    @Test func aChangedRowIsNotTakenForWhatWasStored() throws {
        try withOriginal { original in
            do {
                let connection = try Connection(path: original.path)
                try connection.execute("UPDATE Patient_name SET family = 'Another' WHERE _k >> 24 = 17")
                try connection.execute("DELETE FROM Patient_name_given WHERE _k >> 24 = 18")
                try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
            let report = try recover(original, losing: [17, 18])
            #expect(report.lost.map(\.reason) == Array(repeating: "its rows do not match their digest", count: 2))
            // A description names no values.
            #expect(!"\(report.lost.map(\.reason)) \(report.unreadable)".contains("Another"))
        }
    }

    /// One bit of a name in the list of tables, or of the release's, costs what it is about, and not the rest.
    @Test func aDamagedDefinitionLosesItsTableAlone() throws {
        func run(_ original: Original, _ sql: String) throws {
            let connection = try Connection(path: original.path, pageChecksums: .ignored, isHardened: false)
            try connection.execute("PRAGMA writable_schema = ON; \(sql); PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try withOriginal { original in
            try run(
                original,
                #"""
                UPDATE sqlite_master SET sql = replace(sql, '"value"', '"vclue"') WHERE name = 'Patient_name_given';
                UPDATE _meta SET value = 'R5' WHERE key = 'release'
                """#)
            let report = try recover(original, losing: Set(1...1_000))
            #expect(
                report.unreadable.filter { !$0.contains("does not match its checksum") }
                    == ["the definition of the table Patient_name_given is not one of FHIR R4's, so its rows cannot be read"])
            // Of other classes, it may be a column that this version does not know.
            try run(original, "UPDATE _meta SET value = 'R4' WHERE key = 'release'; UPDATE _meta SET value = 'another' WHERE key = 'model'")
            #expect {
                try FHIRStore.recover(
                    from: URL(fileURLWithPath: original.path), to: URL(fileURLWithPath: original.path + ".other"), release: .r4)
            } throws: { error in
                (error as? FHIRStoreError)?.code == .newerFormat
            }
        }
    }

    @Test(arguments: [4, 2]) func aTruncatedFileGivesWhatIsLeft(_ part: Int) throws {
        try withOriginal { original in
            var pages = try DatabasePages(path: original.path)
            let kept = pages.count - pages.count / part
            try pages.truncate(pages: kept)
            let report = try FHIRStore.recover(
                from: URL(fileURLWithPath: original.path), to: URL(fileURLWithPath: original.path + ".new"), release: .r4)
            #expect(!report.isComplete)
            let store = try FHIRStore(path: original.path + ".new", release: .r4)
            try expectSound(store)
            let unverified = Set(report.unverified.map(\.number))
            for (number, json) in original.json where !unverified.contains(number) {
                let pk = try #require(original.pks[number])
                let resource = try store.read { try $0.resource(pk: pk) }
                if let resource { #expect(FHIRJSON.data(resource) == json) }
            }
        }
    }

    @Test(.enabled(if: Library.hasFullText, "needs FTS5")) func fullTextIndexesComeAlong() throws {
        try withOriginal { original in
            do {
                let store = try FHIRStore(path: original.path, release: .r4)
                try store.createFullTextIndex(Patient.self) { [$0.name.given, $0.name.family] }
                try store.checkpoint(.truncate)
            }
            var pages = try DatabasePages(path: original.path)
            let leaf = try pages.leaves(of: "Patient_name")[1]
            try pages.damage(page: leaf.page)
            // The index itself as well: it is built anew.
            try pages.damage(page: try pages.root(of: "_text_Patient_data"))
            let lost = roots(leaf.keys)
            #expect(try recover(original, losing: lost).unreadable == [])
            let store = try FHIRStore(path: original.path + ".new", release: .r4)
            for number in [1, 500, 1_000] + lost.prefix(3) {
                let found = try store.query(Patient.self).where { $0.matching("given \(number)") }.ids()
                #expect(found == (lost.contains(number) ? [] : ["p\(number)"]))
            }
            #expect(try store.query(Patient.self).where { $0.matching("second") }.count() == 1_000 - lost.count)
            // And it is kept current.
            try store.write { tx in
                try tx.add(Patient { $0.name = [HumanName { $0.family = "Newcomer" }] })
                try tx.delete(Patient.self, id: "p1000")
            }
            #expect(try store.query(Patient.self).where { $0.matching("newcomer") }.count() == 1)
            #expect(try store.query(Patient.self).where { $0.matching("given 1000") }.count() == 0)
            try expectSound(store)
        }
    }

    /// The first page says what the others are.
    @Test(arguments: [true, false]) func aLostFirstPageIsSaid(_ isZeros: Bool) throws {
        try withOriginal { original in
            var bytes = try Data(contentsOf: URL(fileURLWithPath: original.path))
            bytes.replaceSubrange(0..<4_096, with: Data(repeating: isZeros ? 0 : 0xFF, count: 4_096))
            try bytes.write(to: URL(fileURLWithPath: original.path))
            let error = #expect(throws: FHIRStoreError.self) {
                try FHIRStore.recover(
                    from: URL(fileURLWithPath: original.path), to: URL(fileURLWithPath: original.path + ".new"), release: .r4)
            }
            #expect(error?.code == .notAStore && error?.message.contains("first page") == true)
            #expect(error?.message.contains("restore a backup") == true)
            #expect(!FileManager.default.fileExists(atPath: original.path + ".new"))
        }
    }

    @Test func whatIsNoStoreIsRefused() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/text"
            try Data(String(repeating: "no database ", count: 500).utf8).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: FHIRStoreError.self) {
                try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder + "/new"), release: .r4)
            }
            #expect(error?.code == .notAStore)
            let missing = #expect(throws: FHIRStoreError.self) {
                try FHIRStore.recover(from: URL(fileURLWithPath: folder + "/no"), to: URL(fileURLWithPath: folder + "/new"), release: .r4)
            }
            #expect(missing?.code == .cannotOpen)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["text"])
            let taken = #expect(throws: FHIRStoreError.self) {
                try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: path), release: .r4)
            }
            #expect(taken?.code == .alreadyExists)
        }
    }
}
