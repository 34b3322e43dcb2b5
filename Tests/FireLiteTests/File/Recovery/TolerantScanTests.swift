@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Reading around damage finds every readable page, in a number of steps that depends on the file's size alone.
@Suite struct TolerantScanTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a database of tables `t0`, `t1` … whose rows have the keys.
    private func file(_ name: String, tables: Int = 1, _ keys: [Int64]) throws -> String {
        let path = folder.file(name)
        let connection = try Connection(path: path)
        try connection.execute("BEGIN")
        for table in 0..<tables {
            try connection.run("CREATE TABLE t\(table)(key INTEGER PRIMARY KEY, value TEXT)")
            let insert = try connection.prepare("INSERT INTO t\(table) VALUES (?, ?)")
            for key in keys {
                insert.bind(1, key)
                insert.bind(2, String(repeating: "x", count: 100))
                try insert.run()
            }
        }
        try connection.execute("COMMIT")
        return path
    }

    private func scan(
        _ path: String, _ table: String, _ range: ClosedRange<Int64>, _ budget: TolerantScan.Budget
    ) throws -> (keys: Set<Int64>, gaps: [ClosedRange<Int64>]) {
        let connection = try Connection(path: path, isReadOnly: true)
        var keys: Set<Int64> = []
        var scan = TolerantScan(connection, "SELECT key FROM \(table) NOT INDEXED", key: "key", budget: budget)
        try scan.run(range) { keys.insert($0.int(0)) }
        return (keys, scan.gaps)
    }

    @Test func everyReadablePageIsFound() throws {
        try withEvery(Effort.seeds(byDay: 12, atNight: 500)) { seed in
            var random = SeededGenerator(seed: seed)
            let width = random.pick([1, 1, 3, 50, 1 << 24])
            let keys = (1...random.int(200...3_000)).map { Int64($0 * width) }
            let path = try file("\(seed).sqlite", keys)
            var pages = try DatabasePages(path: path)
            var (expected, gaps) = (Set(keys), 0)
            let share = random.pick([10, 50, 90])
            for leaf in try pages.leaves(of: "t0") where random.percent(share) {
                try pages.damage(page: leaf.page)
                expected.subtract(leaf.keys)
                gaps += 1
            }
            let last = keys[keys.count - 1]
            let budget = TolerantScan.Budget(pages: pages.count)
            // Wide keys are divided down to one row, as those of resources are.
            var found: Set<Int64> = []
            let connection = try Connection(path: path, isReadOnly: true)
            var scan = TolerantScan(
                connection, "SELECT key FROM t0 NOT INDEXED", key: "key", granule: Int64(width), budget: budget)
            try scan.run(1...last) { found.insert($0.int(0)) }
            try #require(found == expected, "keys \(width) apart, \(share) % damaged")
            // The gaps are in order, do not meet, and contain all that is missing and nothing that was found.
            try #require(scan.gaps.count <= gaps)
            for (gap, next) in zip(scan.gaps, scan.gaps.dropFirst()) { try #require(gap.upperBound + 1 < next.lowerBound) }
            for key in keys { try #require(scan.gaps.contains { $0.contains(key) } == !expected.contains(key)) }
        }
    }

    /// Where the last page of a table is lost, so is the number of its last row, and any could be; the number that the file names may be damaged.
    @Test func tablesWithoutAnEndCostNoMoreThanTheFileIsLarge() throws {
        let keys = (1...500).map { Int64($0) }
        let path = try file("endless.sqlite", tables: 12, keys)
        var pages = try DatabasePages(path: path)
        var expected: [Set<Int64>] = []
        for table in 0..<12 {
            let leaves = try pages.leaves(of: "t\(table)")
            try #require(leaves.count > 4)
            var readable = Set(keys)
            for leaf in [leaves[1], leaves[leaves.count - 1]] {
                try pages.damage(page: leaf.page)
                readable.subtract(leaf.keys)
            }
            expected.append(readable)
        }
        let budget = TolerantScan.Budget(pages: pages.count)
        let all = budget.triesLeft
        #expect(all <= 128 * max(pages.count, 64))
        for table in 0..<12 {
            let found = try scan(path, "t\(table)", 1...(1 << 40), budget)
            #expect(found.keys == expected[table])
            #expect(found.gaps.last?.upperBound == 1 << 40)
        }
        // Each table has the windows to itself, and all together the rest.
        #expect(all - budget.triesLeft <= all + 12 * 50)
    }

    @Test func theBudgetGrowsWithTheFileUpToALimit() {
        let tries = [0, 64, 1_000, 10_000_000].map { TolerantScan.Budget(pages: $0).triesLeft }
        #expect(tries == [8_192, 8_192, 128_000, 1_000_000])
    }
}
