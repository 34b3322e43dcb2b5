/// An expression that has no form in SQL here.
struct NotCompiled: Error {
    let what: String
    /// Whether it is about an element that the type does not have.
    var isUnknownElement = false
}
