// Traps for mistakes in the use of the library.
//
// The rule: mistakes of the caller trap here, with a message that names the remedy. `preconditionFailure` is for mistakes of the library
// itself, and is marked by `Invariant:`. Failures that the outside world can cause are thrown.

/// Ends the program because the library was misused.
///
/// The message goes to standard error in every build, whereas `precondition` prints nothing in a release build.
@usableFromInline @inline(never)
package func misuse(_ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(message(), file: file, line: line)
}

/// Ends the program unless the condition holds.
@inlinable @inline(__always)
package func misuse(
    unless condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !condition() { misuse(message(), file: file, line: line) }
}
