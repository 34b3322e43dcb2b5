import FireLiteSQLiteBridge

// What several threads check at the same time.

extension StoreCheck {
    /// A part of the check that any thread can do.
    struct Part: Sendable {
        struct Findings: Sendable {
            var findings: [StoreFinding] = []
            /// The number of resources that were compared with their digests.
            var resources = 0
        }

        /// The table that is checked; nil for a part about resources.
        var subject: String?
        let find: @Sendable (StoreCheck) throws -> Findings
    }

    /// The numbers of a part have at least this distance, and there are no more than so many parts however numbers are spread.
    private static let (rangeSize, mostRanges): (UInt64, UInt64) = (1_024, 4_096)

    /// The rows of each table, the lists of tables, and the contents of resources by ranges of their numbers.
    func parts() throws -> [Part] {
        let tables = tables.map { table in
            let name = table.name
            return Part(subject: name) { check in
                guard let table = check.access.schema.table(named: name), table.isInFile else {
                    return Part.Findings(findings: [StoreFinding(.unreadable, table: name, "\(name): cannot be read by all connections")])
                }
                return Part.Findings(findings: try check.tolerant(name, table: name) { try check.orphans(table) })
            }
        }
        let shapes = Part { check in
            Part.Findings(findings: try check.tolerant("the tables of resources") { try check.shapes() })
        }
        let contents = try ranges().map { range in
            Part { check in
                var resources = 0
                let findings = try check.tolerant("_resource", table: "_resource") { try check.contents(in: range, &resources) }
                return Part.Findings(findings: findings, resources: resources)
            }
        }
        return tables + [shapes] + contents
    }

    /// Ranges with all numbers of resources.
    private func ranges() throws -> [ClosedRange<Int64>] {
        let all = Int64.min...Int64.max
        do {
            guard let first = try connection.integer("SELECT min(root) FROM _resource"),
                let last = try connection.integer("SELECT max(root) FROM _resource"), first <= last
            else { return [all] }
            // A file may have any numbers.
            let width = UInt64(bitPattern: last) &- UInt64(bitPattern: first)
            let size = max(Self.rangeSize, width / Self.mostRanges + 1)
            let beginnings = (0...width / size).map { first &+ Int64(bitPattern: $0 * size) }
            return beginnings.indices.map { index in
                let isFirst = index == 0
                let isLast = index == beginnings.count - 1
                return (isFirst ? .min : beginnings[index])...(isLast ? .max : beginnings[index + 1] - 1)
            }
        } catch let error as SQLiteError where error.isDamage {
            // Who reads the resources meets the damage, too.
            return [all]
        }
    }
}
