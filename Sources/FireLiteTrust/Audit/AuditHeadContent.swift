/// What is signed of a head.
struct AuditHeadContent: Codable {
    let trail: String
    let number: Int64
    let size: Int64
    let root: String
    let at: Int64
    let previous: String?

    /// The content as JSON, members in this order.
    var json: String {
        // No value needs escaping: they are numbers and base64url.
        #"{"trail":"\#(trail)","number":\#(number),"size":\#(size),"root":"\#(root)","at":\#(at)"#
            + (previous.map { #","previous":"\#($0)""# } ?? "") + "}"
    }
}
