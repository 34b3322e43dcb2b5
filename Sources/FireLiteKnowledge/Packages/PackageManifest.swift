import FireLiteCore
import Foundation

/// The content of `package.json` of a FHIR package (FHIR, NPM Package Specification).
public struct PackageManifest: Sendable, Hashable, Codable {
    /// The package's name, `hl7.fhir.us.core`.
    public let name: String
    /// Its version, `6.1.0`.
    public let version: String
    /// The base of its canonical URLs; nil if it names none.
    public let canonical: String?
    /// Its title for people; nil if it has none.
    public let title: String?
    /// The versions of FHIR that it is for, such as `4.0.1`.
    public let fhirVersions: [String]
    /// The packages that it needs with their versions, as the manifest has them: ``neededPackages`` tells aliases from names.
    public let dependencies: [String: String]

    /// Reads a manifest.
    ///
    /// - Parameters:
    ///   - text: the content of `package.json`.
    ///   - source: the name of the package in messages, such as its file.
    /// - Throws: `KnowledgeError` with code `manifest` if it has no name or version, or one that FHIR's packages cannot have.
    public init(_ text: Data, source: String) throws {
        try self.init(stored: text, source: source)
        for (kind, word, more) in [("name", name, "-_"), ("version", version, "-_+")] where !Self.isSound(word, more) {
            throw KnowledgeError(
                .manifest,
                "\(source): the \(kind) in package.json is none of a FHIR package: it may have letters, digits, full stops and \(more) in ASCII, "
                    + "and no empty part")
        }
    }

    /// The maximum length of names and versions, in bytes.
    private static let maximumLength = 200

    /// Whether a text may be the name of a package.
    package static func isName(_ text: String) -> Bool { isSound(text, "-_") }

    /// Whether a name or version has the form that FHIR's packages have (FHIR, NPM Package Specification; letters in capitals are in use).
    static func isSound(_ text: String, _ more: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: ".")
                || more.utf8.contains(byte)
        }
        guard isPlain, text.utf8.count <= maximumLength, let first = text.first, first.isLetter || first.isNumber else { return false }
        return !text.split(separator: ".", omittingEmptySubsequences: false).contains("")
    }

    /// Reads a manifest that a file of packages has.
    init(stored text: Data, source: String) throws {
        let clean = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
        let json: JSONItem
        do {
            json = try JSONItemReader.read(clean)
        } catch {
            throw KnowledgeError(.manifest, "\(source): package.json, line \(error.line): \(error.problem)")
        }
        guard let name = json["name"]?.text, let version = json["version"]?.text, !name.isEmpty, !version.isEmpty else {
            throw KnowledgeError(.manifest, "\(source): package.json has no name or no version: it is not a FHIR package")
        }
        self.name = name
        self.version = version
        canonical = json["canonical"]?.text
        title = json["title"]?.text
        let versions = json["fhirVersions"] ?? json["fhir-version-list"]
        fhirVersions = versions?.items.compactMap(\.text) ?? []
        var dependencies: [String: String] = [:]
        for member in json["dependencies"]?.members ?? [] { dependencies[member.name] = member.value.text ?? "" }
        self.dependencies = dependencies
    }

    /// Whether the package is for a release, as far as it names versions of FHIR: `4.0.0` is R4 as well as `4.0.1`.
    package func isFor(_ release: FHIRRelease) -> Bool {
        func numbers(_ version: String) -> [Substring] { Array(version.split(separator: ".").prefix(2)) }
        return fhirVersions.isEmpty || fhirVersions.contains { numbers($0) == numbers(release.version) }
    }

    /// Whether a package is one of FHIR's own definitions, which are known without it.
    static func isCore(_ name: String) -> Bool { name.hasPrefix("hl7.fhir.r") && name.hasSuffix(".core") }

    /// `name#version`.
    public var key: String { "\(name)#\(version)" }
}
