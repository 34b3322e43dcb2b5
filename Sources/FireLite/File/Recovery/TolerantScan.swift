import FireLiteSQLiteBridge

/// Goes through a table by key and steps over unreadable ranges: from both ends to the damage, then into the halves of the rest.
///
/// All ranges of a width come before those of half the width. So wherever readable pages are between unreadable ones, a few tries for each page find
/// one of their rows, and from there all of them are read.
struct TolerantScan {
    /// The unreadable ranges of keys, in order.
    private(set) var gaps: [ClosedRange<Int64>] = []
    private let connection: Connection
    private let sql: String
    /// The width of the smallest range to divide.
    private let granule: Int64
    private let budget: Budget
    /// The number of ranges tried since a row was read.
    private var barrenTries = 0

    /// How many ranges may be tried, which all scans of a file share: what a file can cost depends on its size, and not on the numbers in it, which
    /// may be damaged too.
    final class Budget {
        fileprivate(set) var triesLeft: Int
        /// The maximum number of ranges to try without reading a row.
        fileprivate let barren: Int

        /// - Parameter pages: the number of the file's pages.
        init(pages: Int) {
            // A table has no more parts that can be read than the file has pages.
            barren = min(max(pages, 64) * Self.barrenTriesForPage, Self.mostBarrenTries)
            triesLeft = min(barren * Self.scans, Self.mostTries)
        }

        private static let barrenTriesForPage = 16
        /// A gap of 100,000 resources takes fewer.
        private static let mostBarrenTries = 250_000
        /// The number of scans that may find nothing before the tries are used up.
        private static let scans = 8
        private static let mostTries = 1_000_000

        /// The budget for the file of a connection.
        ///
        /// - Throws: `SQLiteError` that is not damage.
        convenience init(_ connection: Connection) throws {
            do {
                self.init(pages: Int(try connection.integer("PRAGMA page_count") ?? 0))
            } catch let error as SQLiteError where error.isDamage {
                self.init(pages: 0)
            }
        }
    }

    /// - Parameters:
    ///   - select: `SELECT key, … FROM table NOT INDEXED`; the first result is the key.
    ///   - condition: a further condition on the rows; may be empty.
    ///   - budget: the number of ranges to try, which several scans of a file share.
    init(
        _ connection: Connection, _ select: String, key: String, condition: String = "", granule: Int64 = 1, budget: Budget
    ) {
        self.budget = budget
        self.connection = connection
        self.granule = granule
        sql = "\(select) WHERE \(key) BETWEEN ? AND ? \(condition) ORDER BY \(key)"
    }

    /// Calls `body` with every readable row in the range, in any order.
    ///
    /// - Throws: `SQLiteError` that is not damage.
    mutating func run(_ range: ClosedRange<Int64>, _ body: (Statement) -> Void) throws {
        guard let rest = try readInwards(range, body) else { return }
        var waiting = try readWindows(rest, body)
        var next = 0
        barrenTries = 0
        while next < waiting.count {
            let (low, high) = (waiting[next].lowerBound, waiting[next].upperBound)
            next += 1
            if high - low < granule || budget.triesLeft <= 0 || barrenTries >= budget.barren {
                gaps.append(low...high)
                continue
            }
            let middle = low + (high - low) / 2
            for half in [low...middle, middle + 1...high] {
                if let rest = try readInwards(half, body) { waiting.append(rest) }
            }
        }
        join()
    }

    /// Reads ranges of which each is twice as wide as the one before. The upper end may be any number, if the last row cannot be read, and the rows
    /// are far below it.
    ///
    /// - Returns: the keys that are left.
    private mutating func readWindows(_ range: ClosedRange<Int64>, _ body: (Statement) -> Void) throws -> [ClosedRange<Int64>] {
        var left: [ClosedRange<Int64>] = []
        var (low, width) = (range.lowerBound, granule)
        while true {
            let isLast = range.upperBound - low < width
            let high = isLast ? range.upperBound : low + width - 1
            if let rest = try readInwards(low...high, body) { left.append(rest) }
            if isLast { return left }
            low = high + 1
            width = width > .max / 2 ? .max : width * 2
        }
    }

    /// Reads from both ends to the damage.
    ///
    /// - Returns: the keys that are left; nil if there are none.
    private mutating func readInwards(_ range: ClosedRange<Int64>, _ body: (Statement) -> Void) throws -> ClosedRange<Int64>? {
        budget.triesLeft -= 1
        barrenTries += 1
        var (low, high) = (range.lowerBound, range.upperBound)
        let isRead = try read(sql, low: low, high: high) { row in
            body(row)
            barrenTries = 0
            // The highest possible key may be in the file too.
            low = row.int(0) == .max ? .max : row.int(0) + 1
        }
        if isRead || low > high { return nil }
        let isRest = try read(sql + " DESC", low: low, high: high) { row in
            body(row)
            barrenTries = 0
            high = row.int(0) - 1
        }
        return isRest || low > high ? nil : low...high
    }

    /// Puts the gaps in order, and makes one of those that meet.
    private mutating func join() {
        var joined: [ClosedRange<Int64>] = []
        for gap in gaps.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, last.upperBound + 1 == gap.lowerBound {
                joined[joined.count - 1] = last.lowerBound...gap.upperBound
            } else {
                joined.append(gap)
            }
        }
        gaps = joined
    }

    /// Reads to the end and returns true, or to unreadable data and returns false.
    private func read(_ sql: String, low: Int64, high: Int64, body: (Statement) -> Void) throws -> Bool {
        do {
            let statement = try connection.cached(sql)
            defer { statement.reset() }
            statement.bind(1, low)
            statement.bind(2, high)
            while try statement.step() { body(statement) }
            return true
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }
}
