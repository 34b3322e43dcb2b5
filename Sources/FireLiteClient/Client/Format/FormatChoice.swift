import Foundation

/// The formats that a server takes and returns, as far as its answers have shown.
///
/// `@unchecked Sendable`: the lock guards the formats.
final class FormatChoice: @unchecked Sendable {
    struct Formats: Sendable, Hashable {
        /// The format in which content is sent.
        var sent: FHIRClient.Format
        /// The format that is asked for.
        var accepted: FHIRClient.Format
        /// Whether no other is asked for: some servers take only the first media type of several, or none of them.
        var acceptsOneAlone = false
    }

    private let lock = NSLock()
    private var known: Formats

    init(_ format: FHIRClient.Format) { known = Formats(sent: format, accepted: format) }

    /// Those that the next request uses.
    var formats: Formats { lock.withLock { known } }

    /// Keeps those with which a server has done what it refused in another format.
    func keep(_ formats: Formats) { lock.withLock { known = formats } }
}

extension FormatChoice.Formats {
    /// What is tried after an answer; nil if its status says nothing about formats, or the other one cannot be tried.
    ///
    /// - Parameters:
    ///   - status: 415 if the server does not take the content's format, 406 if it does not return the one that was asked for.
    ///   - request: what was refused. A refusal of content comes before anything is done; one of the answer's format may come after it, so only
    ///     what is repeatable is sent again.
    func tried(after status: Int, to request: FHIRRequest) -> Self? {
        var other = self
        if status == 415, request.body != nil {
            other.sent = sent.other
            other.accepted = sent.other
        } else if status == 406, request.fields["Accept"] == nil, request.isRepeatable {
            other.accepted = accepted.other
            other.acceptsOneAlone = true
        } else {
            return nil
        }
        return other
    }
}
