import FireLite
import FireLiteCore

/// Pieces of SQL that need nothing but SQLite's own functions, so that any client can run them.
///
/// DuckDB reads a view with its own parser and hands it to SQLite in its own words, in which `GLOB` is an operator that SQLite does not
/// know; the function `glob` stays what it is.
enum SQLText {
    /// The base addresses under which references are to the store's own resources.
    enum Bases {
        case these([String])
        /// Those that the file keeps whenever the statement runs.
        case ofFile

        /// The condition that an address with a slash at its end is one of them.
        fileprivate func contain(_ address: SQLFragment) -> SQLFragment {
            switch self {
            case .these(let bases):
                if bases.isEmpty { return "0" }
                return "\(address) IN (\(.joined(bases.map { "\(bind: .text($0 + "/"))" }, ", ")))"
            case .ofFile:
                // With a blank between two, which no address has.
                return """
                    (glob('http*', \(address)) AND instr(\(address), ' ') = 0 AND \
                    instr(' ' || coalesce((SELECT m.value FROM _meta m WHERE m.key = 'bases'), '') || ' ', \
                    ' ' || substr(\(address), 1, length(\(address)) - 1) || ' ') > 0)
                    """
            }
        }
    }

    /// The key of the resource that a reference's text names, `Patient/1`; NULL for other texts.
    ///
    /// A segment is what is left when the rest is cut off: `rtrim` takes all characters but the slash from the end.
    static func referenceKey(_ text: SQLFragment, type: String?, _ bases: Bases) -> SQLFragment {
        let mark: SQLFragment = "instr(\(text), '/_history/')"
        let version: SQLFragment = "substr(\(text), \(mark) + 10)"
        let isVersion: SQLFragment = "length(\(version)) BETWEEN 1 AND 64 AND NOT glob('*[^A-Za-z0-9.-]*', \(version))"
        let unversioned: SQLFragment =
            "CASE WHEN \(mark) > 1 AND \(isVersion) THEN substr(\(text), 1, \(mark) - 1) ELSE \(text) END"
        func head(_ sql: SQLFragment) -> SQLFragment { "rtrim(\(sql), replace(\(sql), '/', ''))" }
        let path: SQLFragment = "p"
        let rest: SQLFragment = "rtrim(\(head(path)), '/')"
        let id: SQLFragment = "substr(\(path), length(\(head(path))) + 1)"
        let name: SQLFragment = "substr(\(rest), length(\(head(rest))) + 1)"
        var conditions: [SQLFragment] = [
            "\(id) <> ''", "length(\(id)) <= 64", "NOT glob('*[^A-Za-z0-9.-]*', \(id))", "glob('[A-Z]*', \(name))",
            "NOT glob('*[^A-Za-z]*', \(name))", "length(\(head(path))) = length(\(rest)) + 1",
            "(\(head(rest)) = '' OR \(bases.contain(head(rest))))",
        ]
        if let type { conditions.append("\(name) = \(bind: .text(type))") }
        let general: SQLFragment = """
            (SELECT CASE WHEN \(.joined(conditions, " AND ")) THEN \(name) || '/' || \(id) END FROM (SELECT \(unversioned) AS p))
            """
        return "CASE WHEN \(isPlainReference(text, type)) THEN \(text) WHEN \(text) IS NOT NULL THEN \(general) END"
    }

    /// Whether a reference is a type and an id alone, as most are.
    private static func isPlainReference(_ text: SQLFragment, _ type: String?) -> SQLFragment {
        let slash: SQLFragment = type.map { "\($0.utf8.count + 1)" } ?? "instr(\(text), '/')"
        let name: SQLFragment = "substr(\(text), 1, \(slash) - 1)"
        let isType: SQLFragment =
            type.map { "substr(\(text), 1, \(slash)) = \(bind: .text($0 + "/"))" }
            ?? "glob('[A-Z]*', \(name)) AND NOT glob('*[^A-Za-z]*', \(name))"
        let id: SQLFragment = "substr(\(text), \(slash) + 1)"
        return "\(isType) AND length(\(id)) BETWEEN 1 AND 64 AND NOT glob('*[^A-Za-z0-9.-]*', \(id))"
    }

    /// The end of a statement if a condition holds, with an error: SQLite's only way to raise one in a query is a number out of range.
    static func failure(if condition: SQLFragment) -> SQLFragment { "abs(-9223372036854775807 - (\(condition)))" }

    /// What is said about the one value of several rows, and an error if there are several values.
    static func only(_ value: SQLFragment, result: SQLFragment, from: SQLFragment, filter: SQLFragment) -> SQLFragment {
        let isSeveral: SQLFragment = "count(\(value)) > 1"
        return "(SELECT CASE WHEN \(isSeveral) THEN \(failure(if: isSeveral)) ELSE max(\(result)) END FROM \(from) WHERE \(filter))"
    }
}
