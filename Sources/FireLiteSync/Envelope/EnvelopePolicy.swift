import FireLiteCore
import Foundation

/// Which requests are sealed, for whom, and where they go.
///
/// A sealed request keeps its method and path. Its body is the envelope, and it goes to a second endpoint.
public struct EnvelopePolicy: Sendable {
    /// The form of envelopes.
    public struct Form: Sendable, Hashable {
        private let name: String
        /// The media type of envelopes.
        let mediaType: String
        let seal: @Sendable (_ body: Data, _ contentType: String, _ recipient: EnvelopeRecipient) throws -> Data

        package init(
            _ name: String, _ mediaType: String,
            seal: @escaping @Sendable (_ body: Data, _ contentType: String, _ recipient: EnvelopeRecipient) throws -> Data
        ) {
            self.name = name
            self.mediaType = mediaType
            self.seal = seal
        }

        /// A JWE with `RSA-OAEP-256` and `A256GCM`.
        public static let jwe = Form("jwe", MediaType.jose) { try $2.seal($0, contentType: $1) }

        /// Whether both are the same form.
        public static func == (left: Form, right: Form) -> Bool { left.name == right.name }
        /// Hashes the name of the form.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// What shows that the second endpoint has accepted a request.
    ///
    /// A successful status alone shows nothing: captive portals and proxies answer 200 to whatever they get.
    public struct Proof: Sendable {
        let isGiven: @Sendable (HTTPResponse) -> Bool

        /// Creates a proof for an endpoint with answers of its own form.
        ///
        /// - Parameter isGiven: whether an answer with a status from 200 to 299 shows that the request was accepted.
        public init(_ isGiven: @escaping @Sendable (HTTPResponse) -> Bool) { self.isGiven = isGiven }

        /// An answer as that of a FHIR server: status 201 without a page for people, or 200, 201 or 204 with a resource that is no failure, or with a
        /// `Location` that names one.
        public static let standard = Proof { response in
            guard [200, 201, 204].contains(response.status), !response.isPage else { return false }
            if let head = ResourceHead(response.body) {
                guard head.typeName == "OperationOutcome" else { return true }
                let issues = OutcomeIssue.issues(in: response.body)
                return !issues.isEmpty && !issues.contains { $0.severity == "error" || $0.severity == "fatal" }
            }
            let location = response.fields["Location"] ?? response.fields["Content-Location"]
            return response.body.isEmpty && (response.status == 201 || ResourceLocation(location) != nil)
        }
    }

    /// The base address for sealed requests.
    public let endpoint: URL
    /// The form of envelopes.
    public let form: Form
    /// What shows that the endpoint has accepted a request.
    public let proof: Proof
    private let recipient: @Sendable (FHIRRequest) -> EnvelopeRecipient?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - endpoint: the base address for sealed requests.
    ///   - form: the form of envelopes.
    ///   - proof: what shows that the endpoint has accepted a request. Without it, a request stays in the outbox and is sent again.
    ///   - recipient: returns the recipient for whom a request is sealed; nil to send it as it is.
    public init(
        endpoint: URL, form: Form = .jwe, proof: Proof = .standard, recipient: @escaping @Sendable (FHIRRequest) -> EnvelopeRecipient?
    ) {
        self.endpoint = endpoint
        self.form = form
        self.proof = proof
        self.recipient = recipient
    }

    /// A request with its body sealed, for the second endpoint; nil if it is to be sent as it is.
    ///
    /// - Throws: ``EnvelopeError/Code/cannotSeal`` if the request has search parameters or `If-None-Exist`: their values would stay
    ///   readable outside the envelope.
    public func sealed(_ request: FHIRRequest) throws -> FHIRRequest? {
        guard let body = request.body, let recipient = recipient(request) else { return nil }
        guard request.parameters.all.isEmpty, request.fields["If-None-Exist"] == nil else {
            throw EnvelopeError(
                .cannotSeal, "\(request): the values of conditions would be readable outside the envelope: update the resource by its id")
        }
        var sealed = request
        sealed.body = try form.seal(body, request.fields["Content-Type"] ?? MediaType.fhirJSON, recipient)
        sealed.fields["Content-Type"] = form.mediaType
        return sealed
    }
}
