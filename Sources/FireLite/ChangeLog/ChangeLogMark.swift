import FireLiteSQLiteBridge

/// Which numbers the log of changes must have, so that lost rows are noticed: all from `first` on, but for holes, whose rows were taken out on purpose
/// or never stayed.
///
/// The row `track.whole` of `_meta` has the first number and that of the next entry. A version of the library that does not keep it leaves one for
/// another next number, which is void. Holes are in `track.holes`, a row of its own, as there may be many of them and few writes make one.
struct ChangeLogMark: Equatable {
    private(set) var first: Int64
    /// Holes that `track.holes` does not have yet, in their order.
    private(set) var added: [ClosedRange<Int64>] = []
    /// Whether holes that `track.holes` has are of another mark.
    private var isNew: Bool

    /// So many holes are kept. If there are more, nothing is said any more of the older half and of the numbers before it.
    static let mostHoles = 20_000

    init(first: Int64) {
        self.first = first
        isNew = true
    }

    /// - Parameter next: the number of the next entry.
    /// - Returns: nil if the text is no mark of a log that ends there.
    init?(stored text: String?, next: Int64) {
        let numbers = (text ?? "").split(separator: " ").map { Int64($0) ?? 0 }
        guard numbers.count == 2, numbers[1] == next, numbers[0] >= 1, numbers[0] <= next else { return nil }
        first = numbers[0]
        isNew = false
    }

    /// Notes more holes.
    mutating func add(_ more: [ClosedRange<Int64>]) { if !more.isEmpty { added = Self.joined(added + more) } }

    /// Writes both rows.
    mutating func store(_ settings: TrackingSettings, _ connection: Connection) throws {
        if isNew || !added.isEmpty {
            var holes = try self.holes(connection).filter { $0.upperBound >= max(first, settings.start) }
            if holes.count > Self.mostHoles {
                first = holes[holes.count - Self.mostHoles / 2 - 1].upperBound + 1
                holes.removeFirst(holes.count - Self.mostHoles / 2)
            }
            try Self.store("track.holes", Self.text(of: holes), connection)
            added.removeAll()
            isNew = false
        }
        try Self.store("track.whole", "\(first) \(settings.next)", connection)
    }

    /// The same mark with its holes, to be stored in another file.
    func taken(from connection: Connection) -> ChangeLogMark {
        var mark = ChangeLogMark(first: first)
        // Without them, rows that were taken out on purpose count as lost.
        mark.add((try? holes(connection)) ?? [])
        return mark
    }

    private static func store(_ key: String, _ text: String, _ connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)")
        statement.bind(1, key)
        statement.bind(2, text)
        try statement.run()
    }

    // MARK: - Holes

    /// The numbers whose rows were taken out on purpose, or never stayed, in their order.
    func holes(_ connection: Connection) throws -> [ClosedRange<Int64>] {
        guard !isNew else { return added }
        let statement = try connection.cached("SELECT value FROM _meta WHERE key = 'track.holes'")
        defer { statement.reset() }
        return Self.joined(added + (try statement.step() ? Self.holes(of: statement.text(0)) : []))
    }

    /// Ranges as a text: the first and last number of each, separated by blanks.
    static func text(of holes: [ClosedRange<Int64>]) -> String {
        holes.flatMap { ["\($0.lowerBound)", "\($0.upperBound)"] }.joined(separator: " ")
    }

    /// - Returns: no ranges if the text does not have them in their order: rows that were taken out on purpose then count as lost.
    static func holes(of text: String?) -> [ClosedRange<Int64>] {
        let numbers = (text ?? "").split(separator: " ").map { Int64($0) ?? 0 }
        guard numbers.count % 2 == 0 else { return [] }
        var holes: [ClosedRange<Int64>] = []
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard numbers[index] > holes.last?.upperBound ?? 0, numbers[index + 1] >= numbers[index],
                numbers[index + 1] < TrackingSettings.limit
            else { return [] }
            holes.append(numbers[index]...numbers[index + 1])
        }
        return holes
    }

    /// Ranges in their order, those that meet as one.
    static func joined(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var result: [ClosedRange<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound - 1 <= last.upperBound {
                result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// The numbers without a row that are no holes.
    func lost(in numbers: Range<Int64>, _ table: ChangeTable) throws -> [ClosedRange<Int64>] {
        let numbers = max(numbers.lowerBound, first)..<max(numbers.upperBound, numbers.lowerBound, first)
        guard !numbers.isEmpty else { return [] }
        let all = Int64(numbers.count)
        let count = try table.count(in: numbers)
        if count >= all { return [] }
        let holes = try holes(table.connection)
        let open = holes.reduce(into: Int64(0)) { $0 += Int64(numbers.clamped(to: $1.lowerBound..<$1.upperBound + 1).count) }
        return count >= all - open ? [] : try Self.remaining(table.missing(in: numbers), without: holes)
    }

    /// What remains of ranges without others, each in their order.
    static func remaining(_ ranges: [ClosedRange<Int64>], without others: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var result: [ClosedRange<Int64>] = []
        var first = 0
        for range in ranges {
            var low = range.lowerBound
            while first < others.count, others[first].upperBound < low { first += 1 }
            var index = first
            while index < others.count, others[index].lowerBound <= range.upperBound {
                if others[index].lowerBound > low { result.append(low...others[index].lowerBound - 1) }
                low = others[index].upperBound + 1
                index += 1
            }
            if low <= range.upperBound { result.append(low...range.upperBound) }
        }
        return result
    }

    /// Numbers for a message: `3, 7 to 9`, at most ten ranges of them.
    static func text(_ ranges: [ClosedRange<Int64>]) -> String {
        let shown = ranges.prefix(10).map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
        return shown.joined(separator: ", ") + (ranges.count > shown.count ? " and others" : "")
    }
}
