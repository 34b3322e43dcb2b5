import FireLite
import FireLiteR4
import TestSupport
import Testing

/// Numbers of resources grow in the order of the commits, are unused when they are given, and are not written to the file with each small write.
@Suite struct ResourceNumberTests {
    private struct Undone: Error {}

    private func patient(_ number: Int) -> Patient { Patient { $0.id = "p\(number)" } }

    /// Deeper than can be stored.
    private func failing() -> Patient {
        var deep = Extension { $0.url = "u:0" }
        for _ in 0..<(FHIRJSON.maximumDepth + 10) {
            let inner = deep
            deep = Extension { ($0.url, $0.extension) = ("u:1", [inner]) }
        }
        return Patient { ($0.id, $0.extension) = ("deep", [deep]) }
    }

    private func roots(_ store: FHIRStore) throws -> [Int64] {
        try store.sql("SELECT root FROM _resource ORDER BY root").map { row in
            guard case .integer(let root)? = row.values.first else { return -1 }
            return root
        }
    }

    private func next(_ store: FHIRStore) throws -> Int64 {
        guard case .integer(let next)? = try store.sql("SELECT value FROM _meta WHERE key = 'nextRoot'").first?.values.first else {
            return -1
        }
        return next
    }

    @Test func manySmallWritesSayOnceWhichNumberIsNext() throws {
        try withStore { store in
            var said: Set<Int64> = []
            for number in 1...60 {
                try store.write { tx in try tx.add(patient(number)) }
                said.insert(try next(store))
            }
            #expect(try roots(store) == Array(1...60))
            // The first write may have been the only one; the second takes numbers for more.
            #expect(said == [2, 67])
        }
    }

    @Test func oneWriteOfEachOpeningLeavesNoGap() throws {
        try withTemporaryFolder { folder in
            for number in 1...5 {
                let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4)
                try store.write { tx in try tx.add(patient(number)) }
                #expect(try next(store) == Int64(number) + 1)
                #expect(try roots(store) == (1...Int64(number)).map { $0 })
            }
        }
    }

    @Test func largeWritesTakeNoMoreThanTheyNeed() throws {
        try withStore { store in
            for number in 0..<4 {
                try store.write { tx in try tx.upsert((0..<20).map { patient(number * 20 + $0) }) }
                #expect(try next(store) == Int64(number + 1) * 20 + 1)
            }
        }
    }

    /// Three connections to a file, of which any may be closed or opened, add, delete, fail and roll back to savepoints.
    @Test(arguments: 0..<20)
    func numbersGrowInTheOrderOfCommits(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            func open() throws -> FHIRStore { try FHIRStore(path: path, release: .r4) }
            var stores = try [open(), open(), open()]
            var last: Int64 = 0
            var number = 0
            var known: Set<Int64> = []
            var which = 0
            for _ in 0..<120 {
                // Mostly the same one again.
                if Int.random(in: 0..<6, using: &random) == 0 { which = Int.random(in: 0..<3, using: &random) }
                if Int.random(in: 0..<20, using: &random) == 0 { stores[which] = try open() }
                let store = stores[which]
                let count = Int.random(in: 0..<12, using: &random) == 0 ? 30 : Int.random(in: 1...3, using: &random)
                let added = (0..<count).map { patient(number + $0) }
                let kind = Int.random(in: 0..<6, using: &random)
                do {
                    try store.write { tx in
                        if kind == 0, let some = try tx.query(Patient.self).sort({ $0.id.descending }).first() { try tx.delete(some) }
                        // A list is undone as a whole.
                        if kind == 1 { #expect(throws: FHIRStoreError.self) { try tx.upsert([patient(-1), failing()]) } }
                        try tx.upsert(added)
                        if kind == 3 { throw Undone() }
                    }
                    number += count
                } catch is Undone {}
                let now = try Set(roots(stores[Int.random(in: 0..<3, using: &random)]))
                let new = now.subtracting(known)
                if let least = new.min() { #expect(least > last) }
                last = max(last, new.max() ?? 0)
                known.formUnion(now)
                #expect(try next(store) > last)
            }
            try expectSound(stores[0])
        }
    }
}
