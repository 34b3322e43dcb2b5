import FireLiteR4
import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// A resource that cannot be read keeps no other from coming out.
@Suite struct UnreadableTests {
    private func patient(_ number: Int) -> Patient {
        Patient {
            $0.id = "p\(number)"
            $0.name = [
                HumanName {
                    $0.family = "F\(number)"; $0.given = ["G\(number)", String(repeating: "x", count: 300)]
                }
            ]
        }
    }

    private func fill(_ path: String, _ count: Int) throws {
        let store = try FHIRStore(path: path, release: .r4)
        try store.write { tx in try tx.upsert((1...count).map(patient)) }
        try store.checkpoint(.truncate)
    }

    /// The ids that came out, and what was listed.
    private func pass(_ store: FHIRStore, _ isWrite: Bool = false) throws -> (ids: [String], listed: [UnreadableResource]) {
        var (ids, listed): ([String], [UnreadableResource]) = ([], [])
        func run(_ tx: ReadTransaction) throws {
            try tx.forEach(typeName: "Patient", unreadable: { listed.append($0) }) { resource in
                let number = try #require(Int(resource.id?.dropFirst() ?? ""))
                #expect(resource == patient(number))
                ids.append(resource.id ?? "")
            }
        }
        if isWrite { try store.write { try run($0) } } else { try store.read { try run($0) } }
        return (ids, listed)
    }

    @Test(arguments: [false, true]) func aSoundTypeComesOutWhole(_ isWrite: Bool) throws {
        try withTemporaryFolder { folder in
            try fill(folder + "/store.sqlite", 600)
            let (ids, listed) = try pass(FHIRStore(path: folder + "/store.sqlite", release: .r4), isWrite)
            #expect(ids == (1...600).map { "p\($0)" } && listed.isEmpty)
        }
    }

    /// Rows that were changed, that are gone, and a list of tables that is not there.
    @Test(arguments: [false, true]) func changedRowsAreListed(_ isWrite: Bool) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try fill(path, 600)
            do {
                let connection = try Connection(path: path)
                try connection.execute(
                    """
                    UPDATE Patient_name SET family = 'other' WHERE _k >> 24 = 300;
                    DELETE FROM Patient_name_given WHERE _k >> 24 = 1;
                    UPDATE _resource SET shape = 99 WHERE root = 600
                    """)
            }
            let store = try FHIRStore(path: path, release: .r4)
            #expect(throws: FHIRStoreError.self) { try store.read { tx in try tx.forEach(Patient.self) { _ in } } }
            let (ids, listed) = try pass(store, isWrite)
            #expect(ids == (1...600).filter { ![1, 300, 600].contains($0) }.map { "p\($0)" })
            #expect(listed.map(\.number) == [1, 300, 600])
            #expect(listed.map(\.id) == ["p1", "p300", "p600"] && listed.allSatisfy { $0.typeName == "Patient" })
            let changed = "its rows do not match their digest"
            #expect(listed.map(\.reason) == [changed, changed, "its list of tables is missing"])
        }
    }

    /// A damaged page of any table: every resource comes out or is listed, none twice, and those that come out are what was stored.
    @Test func aDamagedPageLosesNoOther() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/store.sqlite"
            try fill(path, 1_000)
            let (pages, pageSize, trees) = try {
                let connection = try Connection(path: path)
                var trees: Set<Int64> = [1]
                let statement = try connection.prepare("SELECT rootpage FROM sqlite_master")
                while try statement.step() { trees.insert(statement.int(0)) }
                return (try connection.integer("PRAGMA page_count") ?? 0, try connection.integer("PRAGMA page_size") ?? 0, trees)
            }()
            let original = try Data(contentsOf: URL(fileURLWithPath: path))
            var random = SeededGenerator(seed: 15)
            var losses = 0
            for page in 2...pages where !trees.contains(page) && random.next() % 4 == 0 {
                var bytes = original
                for offset in 0..<40 { bytes[Int((page - 1) * pageSize) + 8 + offset] ^= 0x5A }
                try bytes.write(to: URL(fileURLWithPath: path))
                let (ids, listed) = try pass(FHIRStore(path: path, release: .r4))
                let all = (ids.compactMap { Int64($0.dropFirst()) } + listed.map(\.number)).sorted()
                #expect(all == Array(1...1_000), "page \(page)")
                #expect(listed.count < 400, "page \(page)")
                losses += listed.isEmpty ? 0 : 1
            }
            #expect(losses > 0)
        }
    }

    @Test func whatTheBodyThrowsComesOut() throws {
        struct Stop: Error {}
        try withStore { store in
            try store.write { tx in try tx.upsert((1...3).map(patient)) }
            var count = 0
            #expect(throws: Stop.self) {
                try store.read { tx in
                    try tx.forEach(typeName: "Patient", unreadable: { _ in }) { _ in
                        count += 1
                        throw Stop()
                    }
                }
            }
            // Also where it looks like damage.
            #expect(throws: FHIRStoreError.self) {
                try store.read { tx in
                    try tx.forEach(typeName: "Patient", unreadable: { _ in }) { _ in
                        count += 1
                        throw FHIRStoreError(.notAStore, "mine")
                    }
                }
            }
            #expect(count == 2)
        }
    }
}
