// Traps for mistakes of the programmer who uses the library.
//
// The rule: what a caller can bring about traps here, with a message that names the remedy. `preconditionFailure` is for what only a mistake
// of the library itself could bring about, and is marked by `Invariant:` there. What the outside world can bring about is thrown.

/// Ends the program, as the library was used in a way that its documentation rules out.
///
/// The message goes to standard error in every build, where `precondition` would say nothing in a release build.
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
