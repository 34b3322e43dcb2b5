/// A FHIR release: its short name (`R4`) and version (`4.0.1`).
struct FHIRReleaseName: Hashable, Sendable, CustomStringConvertible {
    var name: String
    var version: String

    /// Names of the published releases by the first two numbers of their version.
    ///
    /// From "FHIR Publication (Version) History" of the specification.
    private static let names = ["1.0": "DSTU2", "3.0": "STU3", "4.0": "R4", "4.3": "R4B", "5.0": "R5"]

    init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    /// The release a version belongs to, `nil` for a version that is none of the published ones.
    init?(version: String) {
        let numbers = version.split(separator: ".", omittingEmptySubsequences: false).prefix(2).joined(separator: ".")
        guard let name = Self.names[numbers] else { return nil }
        self.init(name: name, version: version)
    }

    /// Whether a text can be a version: a word that may stand in a string literal as it is.
    static func isVersion(_ text: some StringProtocol) -> Bool {
        Identifier.isWord(text) && !text.contains("\"") && !text.contains("\\")
    }

    var description: String { "\(name) \(version)" }
}
