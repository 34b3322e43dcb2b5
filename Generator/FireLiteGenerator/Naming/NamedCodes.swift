/// The struct of a value set's codes.
struct NamedCodes: Sendable {
    struct Member: Sendable {
        var name: String
        var code: String
    }

    var valueSet: ValueSetDefinition
    var name: String
    /// One for each code, or none where there are too many.
    var members: [Member]
    /// Whether its file is written by hand.
    var isHandwritten = false

    /// Value sets with more codes get no static members, to keep a module small.
    static let mostMembers = 300
}
