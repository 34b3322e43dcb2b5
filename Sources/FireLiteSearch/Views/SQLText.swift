import FireLite
import FireLiteCore

/// Pieces of SQL that need nothing but SQLite's own functions, so that any client can run them.
///
/// DuckDB reads a view with its own parser and hands it to SQLite in its own words, in which `GLOB` is an operator that SQLite does not
/// know; the function `glob` stays what it is.
enum SQLText {
    /// A text as a literal.
    static func literal(_ text: String) throws -> String {
        // SQLite reads a statement up to its first zero.
        if text.utf8.contains(0) { throw NotCompiled(what: "a text with a zero") }
        return "'" + text.replacing("'", with: "''") + "'"
    }

    /// The literal of a date or time from its UTC text and its offset, as the file format describes them.
    static func temporal(_ value: String, _ offset: String?) -> String {
        guard let offset else { return value }
        let sign = "CASE WHEN \(offset) < 0 THEN '-' ELSE '+' END"
        let zone = "\(sign) || substr('0' || (abs(\(offset)) / 60), -2) || ':' || substr('0' || (abs(\(offset)) % 60), -2)"
        let local = "strftime('%Y-%m-%dT%H:%M:%S', substr(\(value), 1, 19), \(offset) || ' minutes') || substr(\(value), 20)"
        return """
            CASE WHEN \(offset) IS NULL THEN \(value) WHEN typeof(\(offset)) = 'text' THEN \(value) || \(offset) \
            WHEN \(offset) = 0 THEN \(value) || 'Z' ELSE \(local) || \(zone) END
            """
    }

    /// The base addresses under which references are to the store's own resources.
    enum Bases {
        case these([String])
        /// Those that the file keeps whenever the statement runs.
        case ofFile

        /// The condition that an address with a slash at its end is one of them.
        fileprivate func contain(_ address: String) throws -> String {
            switch self {
            case .these(let bases):
                if bases.isEmpty { return "0" }
                let literals = try bases.map { try SQLText.literal($0 + "/") }
                return "\(address) IN (\(literals.joined(separator: ", ")))"
            case .ofFile:
                // With a blank between two, which no address has.
                let kept = "' ' || coalesce((SELECT m.value FROM _meta m WHERE m.key = 'bases'), '') || ' '"
                return """
                    (glob('http*', \(address)) AND instr(\(address), ' ') = 0 AND \
                    instr(\(kept), ' ' || substr(\(address), 1, length(\(address)) - 1) || ' ') > 0)
                    """
            }
        }
    }

    /// The key of the resource that a reference's text names, `Patient/1`; NULL for other texts.
    ///
    /// A segment is what is left when the rest is cut off: `rtrim` takes all characters but the slash from the end.
    static func referenceKey(_ text: String, type: String?, _ bases: Bases) throws -> String {
        let unversioned =
            "CASE WHEN instr(\(text), '/_history/') > 1 THEN substr(\(text), 1, instr(\(text), '/_history/') - 1) ELSE \(text) END"
        func head(_ sql: String) -> String { "rtrim(\(sql), replace(\(sql), '/', ''))" }
        let path = "p"
        let rest = "rtrim(\(head(path)), '/')"
        let id = "substr(\(path), length(\(head(path))) + 1)"
        let name = "substr(\(rest), length(\(head(rest))) + 1)"
        let isOwn = try bases.contain(head(rest))
        var conditions = [
            "\(id) <> ''", "length(\(id)) <= 64", "NOT glob('*[^A-Za-z0-9.-]*', \(id))", "glob('[A-Z]*', \(name))",
            "NOT glob('*[^A-Za-z]*', \(name))", "length(\(head(path))) = length(\(rest)) + 1",
            "(\(head(rest)) = '' OR \(isOwn))",
        ]
        if let type { conditions.append("\(name) = '\(type)'") }
        let general = """
            (SELECT CASE WHEN \(conditions.joined(separator: " AND ")) THEN \(name) || '/' || \(id) END FROM (SELECT \(unversioned) AS p))
            """
        return "CASE WHEN \(isPlainReference(text, type)) THEN \(text) WHEN \(text) IS NOT NULL THEN \(general) END"
    }

    /// Whether a reference is a type and an id alone, as most are.
    private static func isPlainReference(_ text: String, _ type: String?) -> String {
        let slash = type.map { "\($0.utf8.count + 1)" } ?? "instr(\(text), '/')"
        let name = "substr(\(text), 1, \(slash) - 1)"
        let isType =
            type.map { "substr(\(text), 1, \(slash)) = '\($0)/'" } ?? "glob('[A-Z]*', \(name)) AND NOT glob('*[^A-Za-z]*', \(name))"
        let id = "substr(\(text), \(slash) + 1)"
        return "\(isType) AND length(\(id)) BETWEEN 1 AND 64 AND NOT glob('*[^A-Za-z0-9.-]*', \(id))"
    }

    /// The one value of several rows, and an error if there are several values: SQLite's only way to raise one in a query is a number out of range.
    static func only(_ value: String, _ from: String, _ filter: String) -> String {
        """
        (SELECT CASE WHEN count(\(value)) > 1 THEN abs(-9223372036854775807 - (count(\(value)) > 1)) ELSE max(\(value)) END \
        FROM \(from) WHERE \(filter))
        """
    }
}
