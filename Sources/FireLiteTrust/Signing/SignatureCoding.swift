import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

/// Signatures of resources as FHIR's Provenance with a detached JWS.
enum SignatureCoding {
    /// The header's name for the form of the content.
    static let form = "urn:firelite:canonical-json:1"

    /// The id of the Provenance with a signer's signature of a resource: each signer has one of each resource.
    ///
    /// - Parameter reference: the resource, as `Patient/1`.
    static func provenanceID(of reference: String, by signer: String) -> String {
        let digest = HashAlgorithm.sha256.digest(of: Data("\(reference) \(signer)".utf8)).prefix(24)
        return "signature-" + digest.hexText
    }

    /// - Throws: ``TrustError/Code/release`` for releases before R4, whose signatures have another shape.
    static func check(_ release: FHIRRelease) throws {
        guard let layout = release.resourceLayout(named: "Provenance"), layout.element(named: "recorded") != nil,
            let signature = layout.element(named: "signature")?.layout, signature.element(named: "sigFormat") != nil
        else { throw TrustError(.release, "FHIR \(release.name) has no Provenance with a signature of this form: R4 and later have") }
    }

    /// A detached signature of a resource's content.
    ///
    /// - Parameter version: the number of the statement that the signature makes about a Consent. Such a signature has the content, so that it can be
    ///   verified whatever becomes of the resource.
    static func sign(_ content: Data, by signer: SigningIdentity, at moment: Date, version: Int64? = nil) throws -> String {
        var members = [
            JSONItem.Member(name: "sigT", value: .string(TrustTime.text(moment))), JSONItem.Member(name: "canon", value: .string(form)),
        ]
        if let version { members.append(JSONItem.Member(name: versionMember, value: .number(String(version)))) }
        let jws = try JWS(signing: content, with: signer.key, type: "JOSE", members: members)
        return jws.text(version == nil ? .detached : .compact)
    }

    /// The member of the header with the number of a statement.
    private static let versionMember = "seq"

    /// The number of a signature's statement about a Consent; 0 if it has no allowed number.
    static func version(of jws: JWS) -> Int64 {
        guard case .number(let literal)? = jws.header[versionMember]?.content, let version = Int64(literal),
            ConsentStatement.versions.contains(version)
        else { return 0 }
        return version
    }

    /// The JSON of a Provenance.
    static func json(_ jws: String, of target: String, by signer: String, at moment: Date, id: String) -> JSONItem {
        let time = JSONItem.string(TrustTime.text(moment))
        let who = ConsentCoding.party(signer)
        return .object([
            "resourceType": .string("Provenance"), "id": .string(id),
            "target": .array([.object(["reference": .string(target)])]), "recorded": time,
            "agent": .array([.object(["who": who])]),
            "signature": .array([
                .object([
                    "type": .array([
                        .object([
                            "system": .string("urn:iso-astm:E1762-95:2013"), "code": .string("1.2.840.10065.1.12.1.1"),
                        ])
                    ]),
                    "when": time, "who": who, "targetFormat": .string(MediaType.fhirJSON), "sigFormat": .string(MediaType.jose),
                    "data": .string(Data(jws.utf8).base64EncodedString()),
                ])
            ]),
        ])
    }

    /// The targets of a Provenance, as `Patient/1`.
    static func targets(_ provenance: JSONItem) -> [String] { (provenance["target"]?.items ?? []).compactMap { $0["reference"]?.text } }

    /// The texts of the signatures of a Provenance.
    static func signatures(_ provenance: JSONItem) -> [String] {
        (provenance["signature"]?.items ?? []).compactMap { item in
            item["sigFormat"]?.text == MediaType.jose
                ? item["data"]?.text.flatMap { Data(base64Encoded: $0) }.flatMap { String(data: $0, encoding: .utf8) } : nil
        }
    }
}

extension ReadTransaction {
    /// Verifies a detached signature of some content.
    ///
    /// - Throws: ``TrustError``.
    func verify(_ text: String, of content: Data) throws -> (signer: Identity, keyID: String, moment: Date) {
        let jws = try JWS(text, payload: content)
        guard jws.header["canon"]?.text == SignatureCoding.form,
            let moment = jws.header["sigT"]?.text.flatMap({ TrustTime.bounds($0)?.lower })
        else { throw TrustError(.unsupported, "the signature is not one of a resource's canonical JSON") }
        return (try verify(jws, at: moment), jws.keyID ?? "", moment)
    }

    /// The Provenances about a resource that `sign` made. They are found by their ids, which costs less than what refers to the resource.
    func ownProvenances(of type: String, _ id: String) throws -> [FHIRResource] {
        let signers = try rows(of: TrustTables.module, "SELECT id FROM _trust_identity ORDER BY id").compactMap(\.[0].text)
        return try signers.compactMap {
            try resource(typeName: "Provenance", id: SignatureCoding.provenanceID(of: "\(type)/\(id)", by: $0))
        }
    }

    /// The Provenances that refer to a resource.
    private func provenances(about type: String, _ id: String) throws -> [FHIRResource] {
        guard let layout = store.release.resourceLayout(named: "Provenance"), let target = layout.element(named: "target") else {
            return []
        }
        var request = QueryRequest(layout)
        request.predicate = .refers(QueryPath([PathStep(slot: target.slot)]), ["\(type)/\(id)"])
        return try resources(keys: places(request).map(\.key))
    }

    /// The valid signatures of a resource: those over its present content, made with keys of identities in the store.
    ///
    /// A resource changed since it was signed has none. Signatures do not cover `meta.versionId` and `meta.lastUpdated`, which servers set.
    /// - Parameter resource: a stored resource with an id.
    /// - Throws: `FHIRStoreError`.
    public func validSignatures(of resource: FHIRResource) throws -> [ResourceSignature] {
        try verifiedSignatures(of: resource).map(\.signature)
    }

    /// The same with the number of the statement that each of them makes about a Consent.
    func verifiedSignatures(of resource: FHIRResource) throws -> [(signature: ResourceSignature, version: Int64)] {
        guard let id = resource.id else { return [] }
        let content = try CanonicalJSON.data(resource)
        let own = try signatures(in: ownProvenances(of: resource.resourceType, id), of: resource, id, content)
        // A Provenance with such an id but without a matching signature does not hide one with another id.
        return try own.isEmpty ? signatures(in: provenances(about: resource.resourceType, id), of: resource, id, content) : own
    }

    private func signatures(
        in provenances: [FHIRResource], of resource: FHIRResource, _ id: String, _ content: Data
    ) throws -> [(signature: ResourceSignature, version: Int64)] {
        var found: [(signature: ResourceSignature, version: Int64)] = []
        for provenance in provenances {
            let json = try JSONItem.read(FHIRJSON.data(provenance))
            guard SignatureCoding.targets(json).contains("\(resource.resourceType)/\(id)") else { continue }
            for text in SignatureCoding.signatures(json) {
                do {
                    let (signer, keyID, moment) = try verify(text, of: content)
                    let signature = ResourceSignature(signer: signer.id, keyID: keyID, moment: moment, provenanceID: provenance.id)
                    found.append((signature, SignatureCoding.version(of: try JWS(text, payload: content))))
                } catch is TrustError { continue }
            }
        }
        return found
    }
}

extension WriteTransaction {
    /// Signs a resource's present content: stores a Provenance with the signature of its canonical JSON.
    ///
    /// The signature of a Consent also contains the content, and a higher number than all earlier ones: it replaces the signer's earlier
    /// statements about the permission.
    /// - Parameters:
    ///   - resource: a stored resource with an id.
    ///   - signer: the identity and its key, which the store must know to verify the signature later.
    ///   - moment: when it is signed.
    /// - Returns: the Provenance.
    /// - Throws: ``TrustError/Code/invalidArgument`` for a resource without an id; ``TrustError/Code/release``; ``TrustError/Code/key``;
    ///   `FHIRStoreError`.
    @discardableResult
    public func sign(_ resource: FHIRResource, by signer: SigningIdentity, at moment: Date = FHIRClock.system.now()) throws -> FHIRResource
    {
        try SignatureCoding.check(store.release)
        guard let id = resource.id else { throw TrustError(.invalidArgument, "only a resource with an id can be signed") }
        let isConsent = resource.resourceType == "Consent"
        if isConsent { store.keepPermissions() }
        let version = isConsent ? try nextStatementVersion(about: id) : nil
        let jws = try SignatureCoding.sign(CanonicalJSON.data(resource), by: signer, at: moment, version: version)
        let json = SignatureCoding.json(
            jws, of: "\(resource.resourceType)/\(id)", by: signer.id, at: moment,
            id: SignatureCoding.provenanceID(of: "\(resource.resourceType)/\(id)", by: signer.id))
        let provenance = try upsert(FHIRJSON.resource(from: Data(json.json.utf8), release: store.release))
        // Otherwise at the commit: a Consent signed and deleted in one write was never in force.
        if isConsent, store.participant(PermissionKeeper.self)?.takesPart(in: self) != true {
            try withoutRecord { try recordStatements(in: json, present: [id: CanonicalJSON.data(resource)]) }
        }
        return provenance
    }
}

/// A signature of a resource's content, which the store keeps in a Provenance.
public struct ResourceSignature: Sendable, Hashable {
    /// The identity that signed.
    public let signer: String
    /// The id of the key.
    public let keyID: String
    /// The time of signing, as the signer states it.
    public let moment: Date
    /// The id of the Provenance.
    public let provenanceID: String?
}
