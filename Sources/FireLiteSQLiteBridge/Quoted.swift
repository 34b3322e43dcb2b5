/// A name as an SQL identifier: in double quotes, with those in it doubled (<https://www.sqlite.org/lang_keywords.html>).
///
/// The only way a name gets into a statement.
public func quoted(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"" + name + "\"" }
    return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}
