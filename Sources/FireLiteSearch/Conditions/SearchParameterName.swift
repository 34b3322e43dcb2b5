/// The parts of a parameter's name: `subject:Patient.name:exact`.
struct SearchParameterName {
    /// The code of the parameter.
    let code: String
    /// What follows the first colon: a modifier, or the type in a chain.
    let modifier: String?
    /// What follows a reference: the rest of a chain.
    let chain: String?

    init(_ name: String) {
        let dot = name.firstIndex(of: ".")
        let head = dot.map { name[..<$0] } ?? name[...]
        chain = dot.map { String(name[name.index(after: $0)...]) }
        let parts = head.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        code = String(parts[0])
        modifier = parts.count > 1 ? String(parts[1]) : nil
    }
}
