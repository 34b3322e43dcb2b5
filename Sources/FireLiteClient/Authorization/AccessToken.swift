import Foundation

/// A token of an authorization server. Its description shows neither token.
public struct AccessToken: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// The token.
    public let value: Secret
    /// When it ends, by the client's clock; nil if the server did not say.
    public let expires: Date?
    /// The permissions, as the server states them.
    public let scope: String?
    /// The token that gets the next one; nil if there is none.
    public let refreshToken: Secret?
    /// Further members of the answer: `patient` and others of SMART's launch context, `id_token`.
    public let context: [String: JSONValue]

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - value: the token.
    ///   - expires: when it ends.
    ///   - scope: what it permits.
    ///   - refreshToken: what gets the next token.
    ///   - context: further members of the answer.
    package init(
        _ value: Secret, expires: Date? = nil, scope: String? = nil, refreshToken: Secret? = nil, context: [String: JSONValue] = [:]
    ) {
        self.value = value
        self.expires = expires
        self.scope = scope
        self.refreshToken = refreshToken
        self.context = context
    }

    /// The id of the patient in SMART's launch context.
    public var patientID: String? { context["patient"]?.text }

    /// The value of the field `Authorization`.
    var header: String { "Bearer " + value.value }

    /// How long before its end a token is replaced, so that it does not end on the way.
    private static let margin: TimeInterval = 10

    func isUsable(at now: Date) -> Bool { expires.map { $0.addingTimeInterval(-Self.margin) > now } ?? true }

    /// The end and the scope.
    public var description: String { "token" + (expires.map { ", expires \($0)" } ?? "") }

    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
