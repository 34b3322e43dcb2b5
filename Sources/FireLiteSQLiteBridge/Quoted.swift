/// A name as an identifier of SQL: in double quotes, those in it doubled (<https://www.sqlite.org/lang_keywords.html>).
///
/// The one way by which a name comes into a statement.
public func quoted(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"" + name + "\"" }
    return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}
