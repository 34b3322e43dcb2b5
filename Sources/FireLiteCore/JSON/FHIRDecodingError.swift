/// A mistake in JSON or XML, or content that lenient reading skipped: its place, what was expected and what was found.
///
/// The description contains names and positions but no value from the data, which is health data; `excerpt(of:)` shows it on request.
public struct FHIRDecodingError: FireLiteError, Hashable {
    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes are not JSON.
        public static let malformedJSON = Code(rawValue: "malformedJSON")
        /// The bytes are not UTF-8, or an escape is half of a surrogate pair.
        public static let invalidText = Code(rawValue: "invalidText")
        /// Objects and arrays are nested deeper than 128 levels.
        public static let tooDeep = Code(rawValue: "tooDeep")
        /// There are bytes after the value.
        public static let trailingBytes = Code(rawValue: "trailingBytes")
        /// The class has no such element.
        public static let unknownMember = Code(rawValue: "unknownMember")
        /// An object has a member twice.
        public static let duplicateMember = Code(rawValue: "duplicateMember")
        /// A choice element has values of two types.
        public static let secondChoice = Code(rawValue: "secondChoice")
        /// The value has a different JSON type than the element.
        public static let wrongType = Code(rawValue: "wrongType")
        /// The value is not valid for its primitive type.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// An object or array is empty.
        public static let empty = Code(rawValue: "empty")
        /// A resource has no `resourceType`, or an unknown or different one.
        public static let resourceType = Code(rawValue: "resourceType")
    }

    /// The kind of mistake.
    public let code: Code
    /// The line of the mistake, from 1.
    public let line: Int
    /// The column of the mistake in bytes, from 1.
    public let column: Int
    /// The offset of the mistake in bytes.
    public let offset: Int
    /// The FHIR path of the element: `Patient.name[0].given[1]`.
    public let path: String
    /// What was expected at this place.
    public let expected: String
    /// What was found at this place, without values.
    public let found: String

    package init(code: Code, line: Int, column: Int, offset: Int, path: String, expected: String, found: String) {
        self.code = code
        self.line = line
        self.column = column
        self.offset = offset
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// What was expected and what was found, without values.
    public var message: String { "expected \(expected), found \(found)" }

    /// The place of the mistake, what was expected and what was found, without values.
    public var description: String { "line \(line), column \(column)\(path.isEmpty ? "" : ", \(shortPath)"): \(message)" }

    /// The path for a message; of a long one, the beginning and the end.
    package var shortPath: String {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > Self.longestPath else { return path }
        return (parts.prefix(3) + ["…"] + parts.suffix(3)).joined(separator: ".")
    }

    private static let longestPath = 10

    /// The bytes around the mistake, up to 40 on each side. They may contain health data.
    package func excerpt(of json: some Collection<UInt8>) -> String {
        let before = json.dropFirst(max(0, offset - 40)).prefix(min(40, offset) + 40)
        return String(decoding: before, as: UTF8.self)
    }

    /// The same mistake at its place in another form of the text.
    package func moved(line: Int, column: Int, offset: Int) -> FHIRDecodingError {
        FHIRDecodingError(
            code: code, line: line, column: column, offset: offset, path: path, expected: expected, found: found)
    }

    /// The same mistake as part of a larger text, after `lines` more lines: for who reads NDJSON line by line. Offsets stay those of the line.
    public func shifted(lines: Int) -> FHIRDecodingError {
        FHIRDecodingError(
            code: code, line: line + lines, column: column, offset: offset, path: path, expected: expected, found: found)
    }
}
