import FireLiteCore

/// The answer to whether a code is in a value set.
public enum CodeMembership: Sendable, Hashable {
    /// It is in the value set.
    case member
    /// It is not in the value set.
    case notMember
    /// The answer is unknown: the value set or a code system is missing, or one of its rules is not understood.
    case unknown
}

/// A code with its system, as a question to a `CodeValidator`.
public struct CodeQuestion: Sendable, Hashable {
    /// The URL of the code system; nil if the element has none, as a `code` does.
    public var system: String?
    /// The version of the code system; nil for any.
    public var version: String?
    /// The code.
    public var code: String
    /// The display that goes with it; nil for none.
    public var display: String?

    /// Creates a question.
    public init(system: String? = nil, version: String? = nil, code: String, display: String? = nil) {
        (self.system, self.version, self.code, self.display) = (system, version, code, display)
    }

    private static func areEqual(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return ExactText(left) == ExactText(right)
    }

    /// Whether both have the same texts, byte by byte, as codes are compared.
    public static func == (left: CodeQuestion, right: CodeQuestion) -> Bool {
        areEqual(left.code, right.code) && areEqual(left.system, right.system) && areEqual(left.display, right.display)
            && areEqual(left.version, right.version)
    }

    /// Adds the texts to a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(code))
        hasher.combine(system.map { ExactText($0) })
        hasher.combine(version.map { ExactText($0) })
        hasher.combine(display.map { ExactText($0) })
    }
}

/// Answers whether codes are in value sets.
public protocol CodeValidator: Sendable {
    /// Whether a code is in a value set.
    ///
    /// - Parameters:
    ///   - question: the code. Without a system it is a member if any system of the value set has it.
    ///   - valueSet: the canonical URL of the value set, perhaps with a version.
    func membership(of question: CodeQuestion, in valueSet: Canonical) -> CodeMembership

    /// Whether a code system has a code.
    func existence(of question: CodeQuestion) -> CodeMembership

    /// Whether the display of the question is one that the code system has for the code.
    func display(of question: CodeQuestion) -> CodeMembership
}

extension CodeValidator {
    /// Unknown, unless the validator knows displays.
    public func display(of question: CodeQuestion) -> CodeMembership { .unknown }
}
