import FireLiteClient
import FireLiteCore
import Foundation

/// The access of the bearer of a token.
public struct ServiceAccess: Sendable, Hashable {
    /// Who asks: the subject of the token, for the audit trail.
    public var subject: String
    /// The SMART scopes of the token; nil to permit everything.
    public var scopes: [SMARTScope]?
    /// The id of the patient to whom `patient/` scopes apply; nil if there is none, and then such scopes permit nothing.
    public var patient: String?

    /// Creates an access.
    ///
    /// - Parameters:
    ///   - subject: who asks.
    ///   - scopes: the SMART scopes; nil to permit everything.
    ///   - patient: the id of the patient of `patient/` scopes.
    public init(subject: String, scopes: [SMARTScope]? = nil, patient: String? = nil) {
        self.subject = subject
        self.scopes = scopes
        self.patient = patient
    }

    /// Whether it is of the same subject as another access, and permits whatever that permits.
    func covers(_ other: ServiceAccess) -> Bool {
        guard subject == other.subject else { return false }
        guard let scopes else { return true }
        guard let others = other.scopes else { return false }
        return others.allSatisfy { needed in
            // Such a scope permits nothing.
            if needed.context == .patient, other.patient == nil { return true }
            return needed.permissions.allSatisfy { permission in
                scopes.contains { scope in
                    scope.permissions.contains(permission) && (scope.type == nil || scope.type == needed.type)
                        && (scope.conditions.isEmpty || scope.conditions == needed.conditions)
                        && (scope.context != .patient || needed.context == .patient && patient == other.patient)
                }
            }
        }
    }
}

/// Decides what a request may do by its token: ``BearerTokens``, ``SignedTokens``, ``BackendServices``, or an app's own.
public protocol ServiceAuthorizer: Sendable {
    /// The access of the bearer of a token; nil if the token is not valid.
    ///
    /// - Parameters:
    ///   - token: the token of the field `Authorization`; nil if there is none.
    ///   - base: the service's address, for which a token must be issued.
    /// - Throws: any error, which the client gets as status 500.
    func access(token: Secret?, base: String) async throws -> ServiceAccess?

    /// The members of `.well-known/smart-configuration` about tokens, such as endpoints, with addresses below `base`.
    func configuration(base: String) -> [String: JSONValue]

    /// Answers a request for a token; nil if the authorizer issues none.
    func token(form: [String: String], base: String, now: Date) async throws -> (status: Int, body: [String: JSONValue])?
}

extension ServiceAuthorizer {
    /// No endpoints.
    public func configuration(base: String) -> [String: JSONValue] { [:] }

    /// Issues no tokens.
    public func token(form: [String: String], base: String, now: Date) async throws -> (status: Int, body: [String: JSONValue])? { nil }
}
