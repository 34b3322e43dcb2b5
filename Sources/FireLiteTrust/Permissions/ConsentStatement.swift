import FireLite
import FireLiteCore
import Foundation

/// A signed statement of an identity about a Consent: that it holds, or that it no longer holds.
struct ConsentStatement: Sendable, Hashable {
    /// The id of the Consent.
    let consent: String
    /// The identity that signed; empty if a damaged row does not say it.
    var signer: String
    /// The number of the statement among those about the Consent, which is signed too; 0 in signatures without one.
    let version: Int64
    /// The time of signing, as the signer states it, in milliseconds since 1970.
    let moment: Int64
    /// Whether the Consent's status is active.
    let isActive: Bool
    /// The canonical JSON of the Consent; empty if a damaged row has lost it.
    let content: String
    /// The signature of the content; empty if a damaged row has lost it.
    let signature: String
    /// Whether the row that the statement was read from says what was signed. What was signed counts.
    let isAsSigned: Bool
    /// Whether the row that the statement was read from has lost its signer, time, content or signature. Such a statement ends no denial.
    let isDamaged: Bool

    static let columns = "consent, signer, version, moment, active, content, signature"
    /// The allowed numbers of statements: those that all JSON parsers read exactly.
    static let versions: ClosedRange<Int64> = 0...(1 << 53 - 1)

    init(
        consent: String, signer: String, version: Int64, moment: Int64, isActive: Bool, content: String, signature: String,
        isAsSigned: Bool = true, isDamaged: Bool = false
    ) {
        self.consent = consent
        self.signer = signer
        self.version = version
        self.moment = moment
        self.isActive = isActive
        self.content = content
        self.signature = signature
        self.isAsSigned = isAsSigned
        self.isDamaged = isDamaged
    }

    /// What a row says, as far as it can be read. Of which Consent it is, its number and whether it holds come from what was signed: the other columns
    /// are there to find rows by, and count where what was signed is lost.
    init(_ row: SQLRow) {
        let (signature, text) = (row[6].text, row[5].text)
        var content = Self.consent(text)
        // `check` finds a signature that is none.
        var jws = signature.flatMap { try? JWS($0, payload: text.map { Data($0.utf8) }) }
        if content == nil, let signed = signature.flatMap({ try? JWS($0) }) {
            // The signature has the content, too.
            content = Self.consent(String(decoding: signed.payload, as: UTF8.self))
            jws = signed
        }
        let isActive = content.map { $0.item["status"]?.text == "active" } ?? (row[4].integer != 0)
        // A number that is lost is above those that may have ended the statement before.
        let version = jws.map(SignatureCoding.version) ?? row[2].integer ?? Self.versions.upperBound
        let consent = content?.id ?? row[0].text ?? ""
        let signed = jws?.header["sigT"]?.text.flatMap { TrustTime.bounds($0)?.lower.trustMilliseconds }
        self.init(
            consent: consent, signer: row[1].text ?? "", version: version, moment: row[3].integer ?? signed ?? .min, isActive: isActive,
            content: content?.text ?? "", signature: signature ?? "",
            isAsSigned: row[0].text == consent && row[2].integer == version && row[4].integer == (isActive ? 1 : 0),
            isDamaged: row[1].text == nil || row[3].integer == nil || signature == nil || content == nil || content?.text != text)
    }

    /// A text that is a Consent; nil for others.
    private static func consent(_ text: String?) -> (text: String, item: JSONItem, id: String)? {
        guard let text, let item = try? JSONItem.read(Data(text.utf8)), item["resourceType"]?.text == "Consent", let id = item["id"]?.text
        else { return nil }
        return (text, item, id)
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
