import Foundation

/// A request for a transport to send. Its description shows no parameters, fields or body.
public struct HTTPRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// The method.
    public var method: HTTPMethod
    /// The absolute address.
    public var url: URL
    /// The header fields, which may include a token.
    public var fields: HTTPFields
    /// The body, or nil.
    public var body: Data?
    /// The longest time without progress. Default: a minute. Time in which a slow reader makes the server wait does not count.
    public var timeout: Duration
    /// The number of bytes, sent or received, that count as progress. Default: 1,024. If fewer pass within a ``timeout``, the request ends.
    public var minimumProgress = 1_024
    /// The longest time from the beginning to the end of the body; nil for no limit. Default: nil.
    public var deadline: Duration?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - url: the absolute address.
    ///   - fields: the header fields.
    ///   - body: the body, or nil.
    ///   - timeout: the longest time without progress.
    ///   - deadline: the longest time from the beginning to the end of the body; nil for no limit. Default: nil.
    public init(
        _ method: HTTPMethod, _ url: URL, fields: HTTPFields = [:], body: Data? = nil, timeout: Duration = .seconds(60),
        deadline: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
        self.deadline = deadline
    }

    /// The method and the host.
    public var description: String { "\(method) \(url.scheme ?? "")://\(url.host ?? "")" }

    /// Shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPRequest {
    /// Whether it reads, so that the server may get it twice.
    var isReading: Bool { method == .get || method == .head }

    /// Refuses a request that would change in transit: a line break in a field would begin a new field.
    ///
    /// - Returns: its origin.
    /// - Throws: `HTTPTransportError.invalidRequest`, without values.
    package func checked() throws -> Origin {
        guard let origin = Origin(url), url.user == nil, url.password == nil else {
            throw HTTPTransportError(.invalidRequest, "the address is not one of HTTP without a user and a password")
        }
        guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(Self.isLetter) else {
            throw HTTPTransportError(.invalidRequest, "the method of the request is not a word")
        }
        for field in fields.all {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isToken) else {
                throw HTTPTransportError(.invalidRequest, "the name of a header field has marks that HTTP does not allow there")
            }
            guard field.value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
                throw HTTPTransportError(
                    .invalidRequest, "the header field \(field.name) has a line break or another control character: remove it")
            }
        }
        return origin
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 65...90 ~= byte || 97...122 ~= byte }

    /// RFC 9110, 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        isLetter(byte) || 48...57 ~= byte || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
