import FireLiteCore
import FireLiteSQLiteBridge

/// A search for the beginning of texts with an index that ignores the case of A to Z, for a test that ignores accents, too.
///
/// A text that begins with `jos` when case and accents are ignored begins with `jos` for the index, or agrees with it up to a character beyond
/// ASCII: `jós`. So the index is read in one range for each character of the beginning, and the test decides about each text in them.
struct CaselessSearch {
    let column: StoredColumn
    /// The bounds of ranges: from the first text to before the second; nil for no end.
    let ranges: [(from: String, to: String?)]
    private let alias: RowAlias

    /// The first text that is not ASCII.
    private static let beyondASCII = "\u{80}"
    /// The number of characters of the beginning for which the index is searched.
    private static let mostCharacters = 64

    /// Nil for a test of another kind.
    init?(_ test: ValueTest, _ column: StoredColumn, alias: RowAlias) {
        guard case .text(let way, let pattern, let folding) = test, way == .hasPrefix || way == .equal, folding.contains(.ignoringCase),
            !pattern.isEmpty
        else { return nil }
        self.column = column
        self.alias = alias
        let ascii = pattern.unicodeScalars.prefix { $0.isASCII }.count
        // Further characters are left to the test: SQLite allows 500 parts of a compound SELECT.
        let plain = Array(pattern.unicodeScalars.prefix(min(ascii, Self.mostCharacters)))
        var ranges: [(from: String, to: String?)] = []
        for length in 0...plain.count {
            let isWhole = length == plain.count
            let beginning = Self.text(plain[..<length])
            let end = ValueTestCompiler.end(ofPrefix: beginning)
            let isASCII = ascii > plain.count || plain.count == pattern.unicodeScalars.count
            ranges.append((beginning + (isWhole && isASCII ? "" : Self.beyondASCII), beginning.isEmpty ? nil : end))
        }
        self.ranges = ranges
    }

    /// A text of ASCII characters.
    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(decoding: scalars.map { UInt8(truncatingIfNeeded: $0.value) }, as: UTF8.self)
    }

    private var name: SQLFragment { "\(alias).\(name: column.name ?? "")" }

    private func rows(_ select: SQLFragment, _ range: (from: String, to: String?), _ condition: SQLFragment) -> SQLFragment {
        var parts: [SQLFragment] = ["\(name) >= \(bind: .text(range.from)) COLLATE NOCASE"]
        if let end = range.to { parts.append("\(name) < \(bind: .text(end)) COLLATE NOCASE") }
        // An index on a resource type's table has only the resources that are not contained.
        if column.table.isResource { parts.append("\(alias)._parent IS NULL") }
        return "SELECT \(select) FROM \(column.table) \(alias) WHERE \(.all(parts + [condition]))"
    }

    /// The rows to read, for counting them.
    var selects: [SQLFragment] { ranges.map { rows("1", $0, .always) } }

    /// The condition that the column's row passes the test.
    func condition(_ test: ValueTest) -> SQLFragment {
        let passes = ValueTestCompiler(column: name).condition(test)
        let keys = SQLFragment.joined(ranges.map { rows("\(alias)._k AS k", $0, passes) }, " UNION ALL ")
        return .key(of: column.alias, in: keys, column.table.isResource ? .resources : .rows, terms: ranges.count)
    }
}

extension PredicateCompiler {
    /// The search that an index without regard to case allows for a test; nil if there is none.
    func caselessSearch(_ test: ValueTest, _ column: StoredColumn) -> CaselessSearch? {
        guard indexes.hasCaselessIndex(on: column), !column.table.isResource || column.alias.isResource else { return nil }
        return CaselessSearch(test, column, alias: walk.newRow())
    }
}
