import Foundation

/// Misuse of objects that a caller can tell only at run time.
public struct FHIRObjectError: LocalizedError, CustomStringConvertible, Sendable {
    /// What is wrong and what to do about it, without values.
    public let description: String

    /// The description.
    public var errorDescription: String? { description }

    static func differentClass(of target: String, source: String) -> FHIRObjectError {
        FHIRObjectError(description: "a \(target) cannot be populated from a \(source): pass an object of the same class")
    }
}
