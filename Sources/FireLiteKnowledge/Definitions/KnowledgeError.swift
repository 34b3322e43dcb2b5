import FireLiteCore

/// A package, an archive or a definition that cannot be used: what is wrong with it, and what to do.
public struct KnowledgeError: FireLiteError, Hashable {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file cannot be read or written.
        public static let file = Code(rawValue: "file")
        /// An archive is damaged, or contains what no package needs: links, paths out of its folder, devices.
        public static let archive = Code(rawValue: "archive")
        /// An archive or a definition is larger than allowed.
        public static let limit = Code(rawValue: "limit")
        /// A text is not a FHIR resource in JSON or XML.
        public static let content = Code(rawValue: "content")
        /// A package has no manifest, or one without a name or version.
        public static let manifest = Code(rawValue: "manifest")
        /// There is no such package or definition.
        public static let missing = Code(rawValue: "missing")
        /// A definition contradicts itself or its base.
        public static let definition = Code(rawValue: "definition")
        /// A registry of packages, or its answer, cannot be used.
        public static let registry = Code(rawValue: "registry")
        /// An archive does not have the checksum that a registry gives, or there is none.
        public static let checksum = Code(rawValue: "checksum")
        /// Definitions are of another release of FHIR than the store.
        public static let release = Code(rawValue: "release")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public let message: String

    package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
