import FireLite
import FireLiteCore
import Foundation

/// A signed statement of an identity about a Consent: that it holds, or that it no longer holds.
struct ConsentStatement: Sendable, Hashable {
    /// The id of the Consent.
    let consent: String
    /// The identity that signed; empty if that is not certain.
    let signer: String
    /// The number of the statement among those about the Consent, which is signed too; 0 in signatures without one.
    let version: Int64
    /// The time of signing, as the signer states it, in milliseconds since 1970.
    let moment: Int64
    /// Whether the Consent's status is active.
    let isActive: Bool
    /// The canonical JSON of the Consent; empty if no valid signature covers it.
    let content: String
    /// The signature of the content; empty if a damaged row has lost it.
    let signature: String
    /// Whether the row that the statement was read from differs from what was signed, or has no valid signature. Such a statement ends no denial.
    let isDamaged: Bool

    static let columns = "consent, signer, version, moment, active, content, signature"
    /// The allowed numbers of statements: those that all JSON parsers read exactly.
    static let versions: ClosedRange<Int64> = 0...(1 << 53 - 1)

    init(
        consent: String, signer: String, version: Int64, moment: Int64, isActive: Bool, content: String, signature: String,
        isDamaged: Bool = false
    ) {
        self.consent = consent
        self.signer = signer
        self.version = version
        self.moment = moment
        self.isActive = isActive
        self.content = content
        self.signature = signature
        self.isDamaged = isDamaged
    }

    /// What a row says, as far as its signature covers it. The columns are there to find rows by.
    ///
    /// A row without a valid signature may have denied everything, by anybody, after all other statements.
    /// - Parameter key: returns the key with an id and the identity that has it; nil if the store does not know the key.
    init(_ row: SQLRow, key: (String) throws -> (identity: String?, key: PublicKey)?) throws {
        let (signer, text, signature) = (row[1].text, row[5].text, row[6].text ?? "")
        guard let jws = Self.signature(signature, of: text), let known = try key(jws.keyID ?? ""), Self.isValid(jws, known.key),
            let moment = jws.header["sigT"]?.text.flatMap({ TrustTime.bounds($0)?.lower.trustMilliseconds }),
            let (consent, isActive) = Self.consent(jws.payload)
        else {
            self.init(
                consent: row[0].text ?? "", signer: "", version: Self.versions.upperBound, moment: .min, isActive: true, content: "",
                signature: signature, isDamaged: true)
            return
        }
        let (version, content) = (SignatureCoding.version(of: jws), String(decoding: jws.payload, as: UTF8.self))
        let columns: [SQLValue] = [
            .text(consent), SQLValue(known.identity), .integer(version), .integer(moment), .integer(isActive ? 1 : 0), .text(content),
        ]
        self.init(
            consent: consent, signer: signer == nil || signer == known.identity ? known.identity ?? "" : "", version: version,
            moment: moment, isActive: isActive, content: content, signature: signature,
            isDamaged: known.identity == nil || columns.indices.contains { row[$0] != columns[$0] })
    }

    /// A signature with its payload, which those of earlier versions do not have; nil for a text that is none.
    private static func signature(_ text: String, of content: String?) -> JWS? {
        do {
            let jws = try JWS(text)
            return try jws.payload.isEmpty ? JWS(text, payload: Data((content ?? "").utf8)) : jws
        } catch { return nil }
    }

    private static func isValid(_ jws: JWS, _ key: PublicKey) -> Bool {
        guard jws.header["canon"]?.text == SignatureCoding.form else { return false }
        do { try jws.verify(with: key) } catch { return false }
        return true
    }

    /// The id of a Consent, and whether it is active; nil for other content.
    private static func consent(_ content: Data) -> (id: String, isActive: Bool)? {
        do {
            let item = try JSONItem.read(content)
            guard item["resourceType"]?.text == "Consent", let id = item["id"]?.text else { return nil }
            return (id, item["status"]?.text == "active")
        } catch { return nil }
    }

    /// The id of the Provenance with the signature.
    var provenanceID: String { SignatureCoding.provenanceID(of: "Consent/\(consent)", by: signer) }

    /// Whether the statement was made after another one. Of two with the same number and time, the one that ends the Consent is the later one.
    func isNewer(than other: ConsentStatement) -> Bool {
        (version, moment, isActive ? 0 : 1) > (other.version, other.moment, other.isActive ? 0 : 1)
    }

    /// The Provenance that shows the statement by itself: its signature has the content.
    func provenance(_ release: FHIRRelease) throws -> FHIRResource {
        let jws = try JWS(signature, payload: Data(content.utf8))
        let json = SignatureCoding.json(
            jws.text(.compact), of: "Consent/\(consent)", by: signer, at: Date(trustMilliseconds: moment), id: provenanceID)
        return try FHIRJSON.resource(from: Data(json.json.utf8), release: release)
    }

    /// The Consent as it was signed.
    func resource(_ release: FHIRRelease) throws -> FHIRResource {
        try FHIRJSON.resource(from: Data(content.utf8), release: release)
    }
}

extension ReadTransaction {
    /// The statements about a Consent that the signatures of a Provenance make, as far as they can be verified.
    ///
    /// - Parameters:
    ///   - provenance: the JSON of the Provenance.
    ///   - consent: the id of the Consent.
    ///   - present: the present canonical JSON of the Consent, for signatures without content; nil if the Consent does not exist.
    func statements(in provenance: JSONItem, about consent: String, present: Data?) throws -> [ConsentStatement] {
        try SignatureCoding.signatures(provenance).compactMap { text in
            do {
                let signed = try JWS(text).payload
                guard let content = signed.isEmpty ? present : signed else { return nil }
                let (signer, _, moment) = try verify(text, of: content)
                let item = try JSONItem.read(content)
                guard item["resourceType"]?.text == "Consent", item["id"]?.text == consent else { return nil }
                return ConsentStatement(
                    consent: consent, signer: signer.id, version: SignatureCoding.version(of: try JWS(text, payload: content)),
                    moment: moment.trustMilliseconds, isActive: item["status"]?.text == "active",
                    content: String(decoding: content, as: UTF8.self), signature: text)
            } catch is TrustError {
                // A signature that cannot be verified states nothing. Earlier statements stay.
                return nil
            }
        }
    }
}
