import Foundation

/// What all errors of FireLite have in common: a kind, and a message for the person who has to do something about it.
///
/// Each domain has an error of its own, `FHIRStoreError` or `SyncError`, with what only it knows. Descriptions contain no values of records.
///
/// ```swift
/// do { try store.write { try $0.add(patient) } } catch let error as any FireLiteError { show(error.message) }
/// ```
public protocol FireLiteError: LocalizedError, CustomStringConvertible, Sendable {
    /// A kind of failure. Later versions may add codes.
    associatedtype Code: RawRepresentable, Sendable, Hashable where Code.RawValue == String

    /// The kind of failure.
    var code: Code { get }
    /// What went wrong and what to do about it.
    var message: String { get }
}

extension FireLiteError {
    /// The message; of errors that know more, with the place.
    public var description: String { message }

    /// The description, so that `localizedDescription` is it too.
    public var errorDescription: String? { description }
}

/// An error whose remedy a program on top of the library can word itself.
package protocol AdvisedError: FireLiteError {
    var text: ErrorText { get }

    /// The message, with the remedy in these words.
    func description(_ wording: (Remedy) -> String) -> String
}

extension AdvisedError {
    /// What to do, unless the message already says it.
    package var remedy: Remedy? { text.remedy }

    package func description(_ wording: (Remedy) -> String) -> String { text.message(wording) }
}

/// What went wrong, and what to do about it apart from that.
package struct ErrorText: Sendable, Hashable {
    package let problem: String
    package let remedy: Remedy?

    /// - Parameters:
    ///   - problem: what went wrong, and what to do about it unless `remedy` says that.
    ///   - remedy: what to do about it, if a program above the library has other means than its developer.
    package init(_ problem: String, _ remedy: Remedy? = nil) {
        self.problem = problem
        self.remedy = remedy
    }

    /// Both, with the remedy in these words; those for somebody who writes a program unless given.
    package func message(_ wording: (Remedy) -> String = \.text) -> String { remedy.map { "\(problem): \(wording($0))" } ?? problem }
}

// Traps for mistakes in the use of the library.
//
// The rule: mistakes of the caller trap here, with a message that names the remedy. `preconditionFailure` is for mistakes of the library
// itself, and is marked by `Invariant:`. Failures that the outside world can cause are thrown.

/// Ends the program because the library was misused.
///
/// The message goes to standard error in every build, whereas `precondition` prints nothing in a release build.
@usableFromInline @inline(never)
package func misuse(_ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    // Invariant: this is the one trap for misuse.
    fatalError(message(), file: file, line: line)
}

/// Ends the program unless the condition holds.
@inlinable @inline(__always)
package func misuse(
    unless condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !condition() { misuse(message(), file: file, line: line) }
}
