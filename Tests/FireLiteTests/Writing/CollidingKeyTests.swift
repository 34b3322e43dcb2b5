import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Keys that were chosen to meet in one place of a hash table do not, as each process hashes in a way of its own. Steps are counted, not time.
@Suite struct CollidingKeyTests {
    /// The hash that ids had without a seed, for which 200,000 ids of seven letters took 28.7 s to import instead of 0.8.
    private func oldHash(_ id: String) -> UInt64 {
        let bytes = Array(id.utf8)
        let rest = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        let product = (0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count) ^ rest).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low | 1
    }

    /// Ids of seven letters whose hashes agree in the ten bits that choose one of 1,024 places.
    private func colliding(_ count: Int, _ hash: (String) -> UInt64) -> [String] {
        var generator = SeededGenerator(seed: 1)
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        var ids: Set<String> = []
        while ids.count < count {
            var number = generator.next()
            let id = String(
                decoding: (0..<7).map { _ in
                    defer { number /= 26 }
                    return letters[Int(number % 26)]
                }, as: UTF8.self)
            if hash(id) >> 20 & 1_023 == 7 { ids.insert(id) }
        }
        return ids.sorted()
    }

    /// How many places are passed to find each hash.
    private func steps(_ hashes: [UInt64]) -> Int {
        let set = IDSet(capacity: 512)
        for hash in hashes { set.insert(hash) }
        let places = set.places
        #expect(places.count == 1_024)
        return places.indices.filter { places[$0] != 0 }.map { place in
            (place - IDSet.home(of: places[place], in: places) + places.count) % places.count
        }.reduce(0, +)
    }

    @Test func idsChosenForTheOldHashAreSpread() {
        let ids = colliding(200, oldHash)
        #expect(steps(ids.map(oldHash)) == 199 * 200 / 2)
        #expect(steps(ids.map { IDHash.of($0) }) < 200)
    }

    /// Ids chosen for the numbers of one process do not meet in another one.
    @Test func idsChosenForOneSeedAreSpreadByOthers() {
        var generator = SeededGenerator(seed: 2)
        let known = IDHash.Seed(&generator)
        let ids = colliding(200) { IDHash.of($0, seed: known) }
        #expect(steps(ids.map { IDHash.of($0, seed: known) }) == 199 * 200 / 2)
        for _ in 0..<50 {
            let other = IDHash.Seed(&generator)
            #expect(steps(ids.map { IDHash.of($0, seed: other) }) < 200)
        }
        var system = SystemRandomNumberGenerator()
        #expect(IDHash.Seed(&system).start != IDHash.Seed.process.start)
    }

    /// The type of a resource counts, and equal ids of one type have one hash.
    @Test func hashesTellTypesAndIDsApart() {
        let ids = ["", "a", "b", "aa", "12345678", "123456789", "1234567890123456"]
        let hashes = ids.flatMap { id in [IDHash.of(Patient { $0.id = id }), IDHash.of(Observation { $0.id = id })] }
        #expect(Set(hashes).count == ids.count * 2)
        #expect(hashes == ids.flatMap { id in [IDHash.of(Patient { $0.id = id }), IDHash.of(Observation { $0.id = id })] })
        #expect(IDHash.of(Patient()) == nil)
    }

    /// Nor do short ids of different types have one hash, whose layouts may lie next to each other in memory.
    @Test func smallIDsOfManyTypesHaveHashesOfTheirOwn() {
        let layouts = FHIRRelease.r4.resourceTypeNames.compactMap { FHIRRelease.r4.resourceLayout(named: $0) }
        var hashes: Set<UInt64> = []
        for layout in layouts {
            guard let resource = layout.makeObject() as? FHIRResource else { continue }
            for number in 1...1_000 {
                resource.id = "\(number)"
                if let hash = IDHash.of(resource) { hashes.insert(hash) }
            }
        }
        #expect(hashes.count == layouts.count * 1_000)
    }

    /// An id with extensions is an id.
    @Test func anIDWithExtensionsHasTheHashOfTheID() throws {
        let json = #"{"resourceType":"Patient","id":"1","_id":{"extension":[{"url":"http://example.org/e","valueBoolean":true}]}}"#
        let extended = try FHIRJSON.resource(from: Data(json.utf8), release: .r4)
        #expect(extended.id == "1")
        #expect(IDHash.of(extended) == IDHash.of(Patient { $0.id = "1" }))
    }

    // MARK: - Sets of tables

    /// Marks are bits, and of more than 64 tables some sets have the same one: whoever chooses the tables of two resources so does not get one
    /// list of tables for both.
    @Test func tablesChosenForOneMarkAreToldApart() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in
            let schema = tx.access.schema
            for name in FHIRRelease.r4.resourceTypeNames { _ = schema.table(named: name) }
            let chosen = try #require(Self.setsOfOneMark(schema.tables.map { ($0.index, $0.mark) }))
            let shapes = try [chosen.0, chosen.1].map { set in
                let mark = set.reduce(0) { $0 ^ schema.tables[$1].mark }
                return try tx.access.registry.shape(tables: ContiguousArray(set.map { Int32($0) }), mark: mark) { set.contains(Int($0)) }
            }
            #expect(shapes[0].mark == shapes[1].mark && shapes[0].tables.count == shapes[1].tables.count)
            #expect(shapes[0].number != shapes[1].number)
            #expect(Set(shapes[1].tables.map(\.index)) == Set(chosen.1))
            // Nothing of this belongs to a resource.
            try tx.access.connection.run("DELETE FROM _shape")
        }
    }

    /// A resource that contains one of another type, and one of that type that contains one of its own, have rows in the same tables.
    @Test(arguments: [false, true]) func typesWithTheSameTablesAreToldApart(isUpdate: Bool) throws {
        func list(_ language: String) -> FHIRResource {
            List {
                $0.id = "l"
                $0.language = language
                $0.contained = [Composition { $0.id = "c" }]
            }
        }
        func composition(_ language: String) -> FHIRResource {
            Composition {
                $0.id = "c"
                $0.language = language
                $0.contained = [List { $0.id = "l" }]
            }
        }
        let store = try FHIRStore.inMemory(release: .r4)
        try store.track(.changes)
        let begin = try store.read { try $0.newestChange() }
        if isUpdate { try store.write { tx in _ = try tx.upsert([List { $0.id = "l" }, Composition { $0.id = "c" }]) } }
        try store.write { tx in _ = try tx.upsert([list("en"), composition("en"), list("de"), composition("de"), list("fr")]) }
        func types() throws -> [String?] {
            try store.sql("SELECT s.type FROM _resource r JOIN _shape s USING (shape) ORDER BY s.type").map { $0.values[0].text }
        }
        #expect(try types() == ["Composition", "List"])
        let changes = try store.read { try $0.changes(since: begin) }
        #expect(Set(changes.map { "\($0.typeName)/\($0.resourceID ?? "")" }) == ["List/l", "Composition/c"])
        #expect(try store.check().isEmpty)
        // A file in which they were mixed up is not sound.
        try store.withWritingConnection { connection in
            try connection.run("UPDATE _resource SET shape = (SELECT min(shape) FROM _shape WHERE type = 'List' AND tables LIKE '% %')")
        }
        #expect(try store.check().contains { $0.kind == .registry && $0.text.contains("another type") })
    }

    /// Two sets of equal size whose marks are the same: of an even number of vectors that add up to nothing, the halves.
    private static func setsOfOneMark(_ tables: [(index: Int, mark: UInt64)]) -> ([Int], [Int])? {
        var basis: [Int: (mark: UInt64, isOdd: Bool, members: Set<Int>)] = [:]
        for table in tables {
            var (mark, isOdd, members) = (table.mark, true, Set([table.index]))
            while mark != 0 || isOdd {
                let place = mark == 0 ? 64 : mark.trailingZeroBitCount
                guard let other = basis[place] else {
                    basis[place] = (mark, isOdd, members)
                    break
                }
                mark ^= other.mark
                isOdd = isOdd != other.isOdd
                members.formSymmetricDifference(other.members)
            }
            guard mark == 0, !isOdd else { continue }
            let all = members.sorted()
            return (Array(all[..<(all.count / 2)]), Array(all[(all.count / 2)...]))
        }
        return nil
    }
}
