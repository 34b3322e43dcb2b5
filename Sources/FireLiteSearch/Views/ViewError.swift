import FireLiteCore

/// What is wrong with a view: the mistake and its place in the definition.
///
/// Messages contain parts of the definition and names of the model, but no value from a record, which is health data.
public struct ViewError: FireLiteError, Hashable {
    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is not a view definition.
        public static let definition = Code(rawValue: "definition")
        /// An expression cannot be read, or does not fit the resource type.
        public static let expression = Code(rawValue: "expression")
        /// Two columns have one name, or the branches of a union differ.
        public static let columns = Code(rawValue: "columns")
        /// A column that is not a collection gets several values.
        public static let severalValues = Code(rawValue: "severalValues")
        /// A condition does not yield one truth value.
        public static let notBoolean = Code(rawValue: "notBoolean")
        /// The view cannot be one SQL statement; `rows(_:)` evaluates it all the same.
        public static let notCompiled = Code(rawValue: "notCompiled")
        /// A resource gives more rows than allowed.
        public static let limit = Code(rawValue: "limit")
    }

    /// The kind of mistake.
    public let code: Code
    /// What is wrong, without values from records.
    public let message: String
    /// Where it is in the definition, `select[0].column[1].path`; empty for the whole definition.
    public let place: String

    init(_ code: Code, _ message: String, at place: String) {
        self.code = code
        self.message = message
        self.place = place
    }

    /// The place and the message.
    public var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
