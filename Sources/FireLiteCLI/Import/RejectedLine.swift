import FireLite

/// A line of a rejects file.
struct RejectedLine: Encodable {
    let file: String
    let line: Int
    let reason: String
    let text: String
    let resource: String?

    init(_ rejected: RejectedText) {
        file = rejected.fault.file
        line = rejected.fault.line
        reason = rejected.fault.reason
        text = rejected.text
        resource = rejected.fault.resource
    }
}
