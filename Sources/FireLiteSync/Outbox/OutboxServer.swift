import Foundation

/// The name of a server in the outbox: its base address in one form, so that two servers on one host have two queues.
enum OutboxServer {
    /// - Throws: `OutboxError.invalidArgument` if that is no address of a server.
    static func name(_ base: URL) throws -> String {
        guard let origin = Origin(base), base.query == nil, base.fragment == nil, base.user == nil, base.password == nil else {
            throw OutboxError(.invalidArgument, "the base address of a server has a host, and no user, password, query or fragment")
        }
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let isStandard = origin.port == (origin.scheme == "https" ? 443 : 80)
        var path = base.path
        while path.hasSuffix("/") { path.removeLast() }
        return "\(origin.scheme)://\(host)" + (isStandard ? "" : ":\(origin.port)") + path
    }
}
