import FireLiteCore
import FireLiteR4
@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Several cores find the faults that one finds, in the same order.
@Suite struct CheckByCoresTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What another program may do to the file, and the kinds of the faults.
    private static let damages: [(sql: String, kinds: Set<StoreFinding.Kind>)] = [
        ("UPDATE Patient_name SET family = 'other' WHERE _k = (SELECT _k FROM Patient_name ORDER BY _k LIMIT 1 OFFSET ?)", [.content]),
        ("DELETE FROM Patient_name WHERE _k = (SELECT _k FROM Patient_name ORDER BY _k LIMIT 1 OFFSET ?)", [.content]),
        ("UPDATE _resource SET digest = 7 WHERE root = (SELECT root FROM _resource ORDER BY root LIMIT 1 OFFSET ?)", [.content]),
        ("UPDATE _resource SET revision = -? - 1 WHERE root = (SELECT max(root) FROM _resource)", [.registry]),
        ("UPDATE _resource SET root = 9223372036854775807 - ? WHERE root = (SELECT max(root) FROM _resource)", []),
        ("UPDATE _resource SET root = -9223372036854775807 + ? WHERE root = (SELECT min(root) FROM _resource)", []),
        ("UPDATE _resource SET root = root + 500000000000 + ? WHERE root % 100 = 3", []),
        ("DELETE FROM _resource WHERE root = (SELECT root FROM _resource ORDER BY root LIMIT 1 OFFSET ?)", [.orphanRows]),
        ("UPDATE Observation SET _parent = 5 WHERE _k = (SELECT _k FROM Observation ORDER BY _k LIMIT 1 OFFSET ?)", [.orphanRows]),
    ]

    @Test func faultsAreTheSameHoweverManyCores() throws {
        let original = folder.file("original.sqlite")
        try CoresStore.fill(CoresStore.open(original, cores: 1), count: 2_600, seed: 3)
        #expect(try CoresStore.open(original, cores: 4).check().isEmpty)
        try withEvery(0..<UInt64(Effort.count(14))) { seed in
            var random = SeededGenerator(seed: seed)
            let path = folder.file("\(seed).sqlite")
            try FileManager.default.copyItem(atPath: original, toPath: path)
            var statements: [String] = []
            var kinds: Set<StoreFinding.Kind> = []
            // Each damage once before they meet.
            let first = Int(seed) < Self.damages.count ? [Int(seed)] : []
            let count = first.isEmpty ? Int.random(in: 1...4, using: &random) : 0
            for index in first + (0..<count).map({ _ in Int.random(in: Self.damages.indices, using: &random) }) {
                let (sql, expected) = Self.damages[index]
                let number = Int.random(in: 0..<900, using: &random)
                statements.append(sql.replacingOccurrences(of: "?", with: "\(number)"))
                if !first.isEmpty { kinds = expected }
            }
            try damage(path, statements)
            let one = try faults(path, cores: 1)
            #expect(!one.isEmpty, "seed \(seed)")
            #expect(kinds.isSubset(of: one.map(\.kind)), "seed \(seed): \(one)")
            for cores in [2, 5] {
                let many = try faults(path, cores: cores)
                #expect(many == one, "seed \(seed): \(one.difference(from: many))")
            }
        }
    }

    private func damage(_ path: String, _ statements: [String]) throws {
        let tool = try Connection(path: path, pageChecksums: .unverified)
        for statement in statements { try tool.execute(statement) }
    }

    private func faults(_ path: String, cores: Int) throws -> [StoreFinding] { try CoresStore.open(path, cores: cores).check() }

    /// Pages of tables that are overwritten: parts that cannot be read are found by all, and listed once.
    @Test func partsThatCannotBeReadAreListedOnce() throws {
        let original = folder.file("original.sqlite")
        try CoresStore.fill(CoresStore.open(original, cores: 1), count: 3_000, seed: 3)
        let size = try #require(try FileManager.default.attributesOfItem(atPath: original)[.size] as? Int)
        var unreadable = 0
        try withEvery(0..<UInt64(Effort.count(6))) { seed in
            var random = SeededGenerator(seed: seed)
            let path = folder.file("\(seed).sqlite")
            try FileManager.default.copyItem(atPath: original, toPath: path)
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            for _ in 0..<3 {
                try file.seek(toOffset: UInt64(Int.random(in: 40..<size / 4_096, using: &random)) * 4_096)
                try file.write(contentsOf: Data((0..<4_096).map { _ in UInt8.random(in: 0...255, using: &random) }))
            }
            try file.close()
            // A page of the catalog ends all of them alike.
            let one = Result { try faults(path, cores: 1) }
            let four = Result { try faults(path, cores: 4) }
            switch (one, four) {
            case (.success(let one), .success(let four)):
                #expect(one == four, "seed \(seed)")
                let parts = one.filter { $0.kind == .unreadable }
                #expect(Set(parts).count == parts.count, "seed \(seed): \(parts)")
                unreadable += parts.count
            case (.failure(let one), .failure(let four)): #expect("\(one)" == "\(four)", "seed \(seed)")
            default: Issue.record("seed \(seed): \(one) and \(four)")
            }
        }
        #expect(unreadable > 0)
    }

    @Test func progressIsOfThisThreadAndCountsUp() throws {
        let store = try CoresStore.open(folder.file("store.sqlite"), cores: 4)
        try CoresStore.fill(store, count: 3_000, seed: 3)
        let resources = try store.counts().reduce(0) { $0 + $1.count }
        let thread = Thread.current
        var phases: [StoreProgress.Phase] = []
        var (tables, seen): ([Int], [Int]) = ([], [])
        let faults = try store.check { progress in
            #expect(Thread.current === thread)
            if phases.last != progress.phase { phases.append(progress.phase) }
            if progress.phase == .checkingTables { tables.append(progress.completed) }
            if progress.phase == .checkingResources { seen.append(progress.completed) }
        }
        #expect(faults.isEmpty)
        #expect(phases == [.checkingFile, .checkingTables, .checkingResources])
        #expect(tables == Array(1...tables.count) && seen == seen.sorted() && seen.last == resources && seen.count > 1)
        struct Enough: Error {}
        #expect(throws: Enough.self) { try store.check { if $0.phase == .checkingTables { throw Enough() } } }
        try store.close()
    }
}
