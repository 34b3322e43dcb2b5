/// Receives how far a long call is, on whatever thread does the work. An error that it throws ends the call, as cancelling its task does; each call says
/// what of its work stays done.
public typealias ProgressHandler<Progress> = @Sendable (_ progress: Progress) throws -> Void

/// The one way in which asynchronous work reports, and ends if nobody wants it any more.
package struct ProgressReporter<Progress>: Sendable {
    private let handler: ProgressHandler<Progress>?

    package init(_ handler: ProgressHandler<Progress>?) { self.handler = handler }

    /// Reports what is done and noted, so that nothing is lost if the call ends here.
    ///
    /// - Throws: errors of the handler; `CancellationError`.
    package func report(_ progress: @autoclosure () -> Progress) throws {
        try handler?(progress())
        try Task.checkCancellation()
    }
}
