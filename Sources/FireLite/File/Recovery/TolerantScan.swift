import FireLiteSQLiteBridge

/// Goes through a table by key and steps over what cannot be read: from both ends to the damage, then into the halves of what is left.
struct TolerantScan {
    /// The ranges of keys where nothing can be read.
    private(set) var gaps: [ClosedRange<Int64>] = []
    private let connection: Connection
    private let sql: String
    /// A range no wider is not divided further.
    private let granule: Int64
    /// How many ranges are tried before the rest is given up.
    private(set) var triesLeft: Int
    /// How many were tried since a row was read.
    private var barrenTries = 0
    /// How many are tried without a row before the rest is given up: of a table none of which can be read, keys up to 2^39 would be left. The numbers
    /// of 100,000 resources in a row are found unreadable with fewer.
    private static let maximumBarrenTries = 250_000
    /// How many ranges are tried in all.
    static let maximumTries = 1_000_000

    /// - Parameters:
    ///   - select: `SELECT key, … FROM table NOT INDEXED`; the first result is the key.
    ///   - condition: what rows have to be beside in the range; may be empty.
    ///   - tries: how many ranges are tried; several scans of a file share them.
    init(
        _ connection: Connection, _ select: String, key: String, condition: String = "", granule: Int64 = 1,
        tries: Int = TolerantScan.maximumTries
    ) {
        triesLeft = tries
        self.connection = connection
        self.granule = granule
        sql = "\(select) WHERE \(key) BETWEEN ? AND ? \(condition) ORDER BY \(key)"
    }

    /// Calls `body` with every row in the range that can be read.
    ///
    /// - Throws: `SQLiteError` that is no damage.
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
                    // The greatest key there can be may be in the file, too.
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
                // The lower half is next, so that gaps come in their order.
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

    /// Reads until the end, true, or to what cannot be read, false.
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
