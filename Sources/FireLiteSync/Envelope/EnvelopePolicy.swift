import FireLiteCore
import Foundation

/// Which requests are sealed, for whom, and where they go.
///
/// A sealed request keeps its method and path. Its body is the envelope, and it goes to a second endpoint.
public struct EnvelopePolicy: Sendable {
    /// The form of envelopes.
    public enum Form: Sendable, Hashable {
        /// A JWE with `RSA-OAEP-256` and `A256GCM`.
        case jwe
        /// The four members of the old DataQueue, whose content is not authenticated.
        case legacyDataQueue
    }

    /// The base address for sealed requests.
    public let endpoint: URL
    /// The form of envelopes.
    public let form: Form
    private let recipient: @Sendable (FHIRRequest) -> EnvelopeRecipient?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - endpoint: the base address for sealed requests.
    ///   - form: the form of envelopes.
    ///   - recipient: whom a request is sealed for; nil to send it as it is.
    public init(endpoint: URL, form: Form = .jwe, recipient: @escaping @Sendable (FHIRRequest) -> EnvelopeRecipient?) {
        self.endpoint = endpoint
        self.form = form
        self.recipient = recipient
    }

    /// A request with its body sealed, for the second endpoint; nil if it is to be sent as it is.
    ///
    /// - Parameter request: the request.
    /// - Throws: ``EnvelopeError/Code/cannotSeal`` if the request has search parameters or `If-None-Exist`: their values would stay
    ///   readable outside the envelope.
    public func sealed(_ request: FHIRRequest) throws -> FHIRRequest? {
        guard let body = request.body, let recipient = recipient(request) else { return nil }
        guard request.parameters.all.isEmpty, request.fields["If-None-Exist"] == nil else {
            throw EnvelopeError(
                .cannotSeal, "\(request): the values of conditions would be readable outside the envelope: update the resource by its id")
        }
        var sealed = request
        switch form {
        case .jwe:
            sealed.body = try recipient.seal(body, contentType: request.fields["Content-Type"] ?? MediaType.fhirJSON)
            sealed.fields["Content-Type"] = MediaType.jose
        case .legacyDataQueue:
            sealed.body = try recipient.legacySeal(body)
            sealed.fields["Content-Type"] = MediaType.json
        }
        return sealed
    }
}
