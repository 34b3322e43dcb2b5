/// An expression that has no form in SQL here.
struct NotCompiled: Error {
    let what: String
}
