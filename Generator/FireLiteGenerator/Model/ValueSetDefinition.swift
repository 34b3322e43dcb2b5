/// A value set behind a required binding.
struct ValueSetDefinition: Sendable {
    /// Canonical URL without version.
    var url: String
    var name: String
    /// Every code in it; empty where the definitions do not list them all (UCUM, MIME types, ...).
    var codes: [String]
    /// Where it was read.
    var location: SourceLocation
}
