import FireLite
import FireLiteCore
import Foundation

/// A signed statement of an identity about a Consent: that it holds, or that it no longer holds.
struct ConsentStatement: Sendable, Hashable {
    /// The id of the Consent.
    let consent: String
    /// The identity that signed.
    let signer: String
    /// The number of the statement among those about the Consent, which is signed too; 0 in signatures without one.
    let version: Int64
    /// The time of signing, as the signer states it, in milliseconds since 1970.
    let moment: Int64
    /// Whether the Consent's status is active.
    let isActive: Bool
    /// The canonical JSON of the Consent.
    let content: String
    /// The signature of the content.
    let signature: String
    /// Whether the row that the statement was read from says what was signed. What was signed counts.
    let isAsSigned: Bool

    static let columns = "consent, signer, version, moment, active, content, signature"
    /// The allowed numbers of statements: those that all JSON parsers read exactly.
    static let versions: ClosedRange<Int64> = 0...(1 << 53 - 1)

    init(
        consent: String, signer: String, version: Int64, moment: Int64, isActive: Bool, content: String, signature: String,
        isAsSigned: Bool = true
    ) {
        self.consent = consent
        self.signer = signer
        self.version = version
        self.moment = moment
        self.isActive = isActive
        self.content = content
        self.signature = signature
        self.isAsSigned = isAsSigned
    }

    /// Nil for a row that no statement was written to. Of which Consent it is, its number and whether it holds come from what was signed: the other
    /// columns are there to find rows by.
    init?(_ row: SQLRow) {
        guard let signer = row[1].text, let moment = row[3].integer, let content = row[5].text, let signature = row[6].text,
            let item = try? JSONItem.read(Data(content.utf8)), item["resourceType"]?.text == "Consent", let consent = item["id"]?.text
        else { return nil }
        let isActive = item["status"]?.text == "active"
        // `check` finds a signature that is none.
        let signed = (try? JWS(signature, payload: Data(content.utf8))).map(SignatureCoding.version)
        let version = signed ?? row[2].integer ?? 0
        self.init(
            consent: consent, signer: signer, version: version, moment: moment, isActive: isActive, content: content, signature: signature,
            isAsSigned: row[0].text == consent && row[2].integer == version && row[4].integer == (isActive ? 1 : 0))
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
