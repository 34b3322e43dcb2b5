import FireLiteCore

/// The constraints of one release of FHIR, from the text that the Generator writes, for classes that do not bring them along.
///
/// DSTU2 is not among them: its definitions state constraints in XPath.
struct ReleaseConstraints: Sendable {
    /// The release's version, `4.0.1`.
    let version: String
    /// A line for each: path, key, severity and FHIRPath, separated by blanks.
    private let text: String

    init(version: String, text: String) { (self.version, self.text) = (version, text) }

    private static let all = [stu3, r4, r4b, r5]

    /// The constraints of a release: those that came with its layouts, or else those of its version; none of an unknown version.
    static func lines(of release: FHIRRelease) -> [Substring] {
        let own = release.constraintLines
        if !own.isEmpty { return own }
        return all.first { $0.version == release.version }?.text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) } ?? []
    }
}
