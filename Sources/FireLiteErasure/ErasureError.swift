import FireLiteCore

/// Why a person could not be erased. Nothing was changed, unless the code says so.
public struct ErasureError: FireLiteError, Hashable {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        ///
        /// - Parameter rawValue: the code's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Neither the store nor what it keeps of earlier states contains the person.
        public static let notFound = Code(rawValue: "notFound")
        /// The release has no compartment for the type, so it is unknown what belongs to the person.
        public static let notSupported = Code(rawValue: "notSupported")
        /// The file has tables of a module that this version does not know; they may contain data of the person.
        public static let unknownTables = Code(rawValue: "unknownTables")
        /// The person's identifiers cannot be read, so resources that name the person by an identifier alone could not be listed.
        public static let cannotRead = Code(rawValue: "cannotRead")
        /// The person is deleted, but the file was in use or the disk was full, so that the file could not be overwritten. The next erasure
        /// overwrites it and returns what is left.
        public static let notOverwritten = Code(rawValue: "notOverwritten")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
