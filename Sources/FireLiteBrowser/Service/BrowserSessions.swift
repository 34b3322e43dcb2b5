import FireLiteClient
import FireLiteCore
import FireLiteCrypto
import FireLiteService
import Foundation

/// Who may look at the pages: whoever opened a link that works once, and whoever has a token of the server's that permits everything.
///
/// Opening the link sets a cookie that scripts cannot read and other sites' pages do not send (RFC 6265bis, `HttpOnly` and `SameSite=Strict`).
///
/// `@unchecked Sendable`: `lock` guards `tickets` and `cookies`.
public final class BrowserSessions: @unchecked Sendable {
    private let authorizer: (any ServiceAuthorizer)?
    private let isSecure: Bool
    private let lock = NSLock()
    /// Digests, so that how long a comparison takes tells nothing.
    private var tickets: Set<Data> = []
    private var cookies: Set<Data> = []

    /// Makes an object without sessions.
    ///
    /// - Parameters:
    ///   - authorizer: decides what the bearer of a token may do; nil if there are no tokens.
    ///   - isSecure: whether the server speaks HTTPS, so that the cookie is sent only there.
    public init(authorizer: (any ServiceAuthorizer)?, isSecure: Bool = false) {
        self.authorizer = authorizer
        self.isSecure = isSecure
    }

    /// The path of a link that works once, with a secret of 192 random bits.
    ///
    /// - Throws: an error of the system's random numbers.
    public func makeLink() throws -> String {
        let ticket = try BearerTokens.makeToken().value
        lock.withLock { _ = tickets.insert(Self.digest(ticket)) }
        return Address("enter", items: [.init(name: "ticket", value: ticket)]).text
    }

    /// Answers the link: sets the cookie and leads to the overview.
    func enter(_ ticket: String?) throws -> ServiceResponse {
        guard let ticket, lock.withLock({ tickets.remove(Self.digest(ticket)) }) != nil else { throw PageProblem.closed }
        let cookie = try BearerTokens.makeToken().value
        lock.withLock { _ = cookies.insert(Self.digest(cookie)) }
        var response = ServiceResponse.redirect(to: Address())
        response.fields["Set-Cookie"] =
            "\(Self.name)=\(cookie); Path=/\(Address.root); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
        return response
    }

    /// Whether a request may see pages.
    func isOpen(to request: ServiceRequest) async throws -> Bool {
        for part in (request.fields["Cookie"] ?? "").split(separator: ";").prefix(200) {
            let sides = part.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, sides[0].trimmingCharacters(in: .whitespaces) == Self.name else { continue }
            let digest = Self.digest(sides[1].trimmingCharacters(in: .whitespaces))
            if lock.withLock({ cookies.contains(digest) }) { return true }
        }
        guard let authorizer, let field = request.fields["Authorization"], field.lowercased().hasPrefix("bearer ") else { return false }
        // Pages show everything, so a token for a part does not open them.
        return try await authorizer.access(token: Secret(String(field.dropFirst(7))), base: "").map { $0.scopes == nil } ?? false
    }

    private static let name = "firelite-browser"
    private static func digest(_ text: String) -> Data { HashAlgorithm.sha256.digest(of: Data(text.utf8)) }
}
