import FireLiteSQLiteBridge

/// Goes through a table by key and steps over unreadable ranges: from both ends to the damage, then into the halves of the rest.
struct TolerantScan {
    /// The unreadable ranges of keys.
    private(set) var gaps: [ClosedRange<Int64>] = []
    private let connection: Connection
    private let sql: String
    /// The width of the smallest range to divide.
    private let granule: Int64
    /// The maximum number of ranges to try.
    private(set) var triesLeft: Int
    /// The number of ranges tried since a row was read.
    private var barrenTries = 0
    /// The maximum number of ranges to try without reading a row: in a table that cannot be read at all, keys up to 2^39 would be left. A gap of
    /// 100,000 resources takes fewer.
    private static let maximumBarrenTries = 250_000
    /// The maximum number of ranges to try in total.
    static let maximumTries = 1_000_000

    /// - Parameters:
    ///   - select: `SELECT key, … FROM table NOT INDEXED`; the first result is the key.
    ///   - condition: a further condition on the rows; may be empty.
    ///   - tries: the number of ranges tried, which several scans of a file share.
    init(
        _ connection: Connection, _ select: String, key: String, condition: String = "", granule: Int64 = 1,
        tries: Int = TolerantScan.maximumTries
    ) {
        triesLeft = tries
        self.connection = connection
        self.granule = granule
        sql = "\(select) WHERE \(key) BETWEEN ? AND ? \(condition) ORDER BY \(key)"
    }

    /// Calls `body` with every readable row in the range.
    ///
    /// - Throws: `SQLiteError` that is not damage.
    mutating func run(_ range: ClosedRange<Int64>, _ body: (Statement) -> Void) throws {
        var waiting = [range]
        while let range = waiting.popLast() {
            triesLeft -= 1
            barrenTries += 1
            var (low, high) = (range.lowerBound, range.upperBound)
            if try read(
                sql, low, high,
                { row in
                    body(row)
                    barrenTries = 0
                    // The highest possible key may be in the file too.
                    low = row.int(0) == .max ? .max : row.int(0) + 1
                })
            {
                continue
            }
            if low <= high,
                try read(
                    sql + " DESC", low, high,
                    { row in
                        body(row)
                        barrenTries = 0
                        high = row.int(0) - 1
                    })
            {
                continue
            }
            guard low <= high else { continue }
            if high - low < granule || triesLeft <= 0 || barrenTries >= Self.maximumBarrenTries {
                note(low...high)
            } else {
                let middle = low + (high - low) / 2
                // The lower half is next, so that gaps are found in order.
                waiting += [middle + 1...high, low...middle]
            }
        }
    }

    private mutating func note(_ gap: ClosedRange<Int64>) {
        if let last = gaps.last, last.upperBound + 1 == gap.lowerBound {
            gaps[gaps.count - 1] = last.lowerBound...gap.upperBound
        } else {
            gaps.append(gap)
        }
    }

    /// Reads to the end and returns true, or to unreadable data and returns false.
    private func read(_ sql: String, _ low: Int64, _ high: Int64, _ body: (Statement) -> Void) throws -> Bool {
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
