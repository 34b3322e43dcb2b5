import FireLite
import FireLiteCore
import Foundation

/// Valid statements about Consents, compared with the Consents' present content.
struct ConsentStatements {
    private let identities: [String: Identity]
    private let undefined: Set<String>
    private let content: (JSONItem) -> ConsentCoding.Content?
    /// By the id of the Consent.
    private var statements: [String: [ConsentStatement]] = [:]
    /// The ids in their order.
    private var order: [String] = []

    /// - Parameters:
    ///   - statements: the newest of each signer about each Consent.
    ///   - identities: those that the store knows.
    ///   - undefined: the ids of those without a statement of their authority.
    ///   - content: what a Consent says.
    init(
        _ statements: [ConsentStatement], _ identities: [Identity], undefined: Set<String>,
        content: @escaping (JSONItem) -> ConsentCoding.Content?
    ) {
        self.identities = Dictionary(identities.map { ($0.id, $0) }) { first, _ in first }
        self.undefined = undefined
        self.content = content
        for statement in statements {
            if self.statements[statement.consent] == nil { order.append(statement.consent) }
            self.statements[statement.consent, default: []].append(statement)
        }
    }

    /// Whether the permissions of anybody count.
    var hasPowers: Bool { identities.values.contains { $0.authority != .none } }

    // MARK: - A Consent as it is

    /// The signers of a Consent whose signatures count: matching ones that they have not replaced and the owner has not ended. Those that only a damaged
    /// statement may have ended are doubtful: what they deny holds, and what they permit does not.
    func standing(
        of id: String, _ signatures: [(signature: ResourceSignature, version: Int64)]
    ) -> (signers: Set<String>, doubtful: Set<String>, isRevoked: Bool, isOutdated: Bool) {
        let known = statements[id] ?? []
        var (signers, doubtful): (Set<String>, Set<String>) = ([], [])
        var newer: [ConsentStatement] = []
        for (signature, version) in signatures {
            let present = ConsentStatement(
                consent: id, signer: signature.signer, version: version, moment: signature.moment.trustMilliseconds, isActive: true,
                content: "", signature: "")
            let later = known.filter { ends($0, present) || $0.isDamaged && $0.signer.isEmpty && $0.isNewer(than: present) }
            if later.isEmpty {
                signers.insert(signature.signer)
            } else if later.allSatisfy(\.isDamaged) {
                doubtful.insert(signature.signer)
            } else {
                newer += later
            }
        }
        guard signers.isEmpty, doubtful.isEmpty else { return (signers, doubtful, false, false) }
        // The signature of the revocation has replaced that of the copy, so nothing more is known of it.
        if signatures.isEmpty { return ([], [], known.contains { !$0.isActive } && !known.contains(where: \.isActive), false) }
        return ([], [], newer.contains { !$0.isActive }, !newer.isEmpty)
    }

    /// Whether a statement takes another one's place: a newer one by the same signer, or the end of the Consent by the owner of the store.
    private func ends(_ statement: ConsentStatement, _ other: ConsentStatement) -> Bool {
        guard statement.isNewer(than: other) else { return false }
        return statement.signer == other.signer || !statement.isActive && identities[statement.signer]?.authority == .everything
    }

    // MARK: - What holds

    /// The denials that were stated about a Consent and hold although it does not say so any more.
    ///
    /// - Parameter signers: those whose signature of the Consent counts, so that it speaks for them.
    mutating func takeDenials(of id: String, besides signers: Set<String>) throws -> [StoredPermission] {
        guard let known = statements.removeValue(forKey: id) else { return [] }
        let holding = known.filter { statement in
            statement.isActive && !signers.contains(statement.signer) && authority(of: statement.signer) != .none
                && !known.contains { !$0.isDamaged && ends($0, statement) }
        }
        // Several grantors may have signed the same.
        var contents: [String] = []
        for statement in holding where !contents.contains(statement.content) { contents.append(statement.content) }
        return try contents.compactMap { text in
            guard let content = try text.isEmpty ? .denial(id) : content(JSONItem.read(Data(text.utf8))), content.rule.hasDenial else {
                return nil
            }
            let signed = holding.filter { statement in
                // A grantor that cannot be read may be anybody who has signed, and a lost signer may be any grantor.
                statement.content == text
                    && (!content.hasAllGrantors || statement.signer.isEmpty || content.grantors.contains(statement.signer))
            }
            guard !signed.isEmpty else { return nil }
            let others = signed.map(\.signer).filter { !$0.isEmpty && !content.grantors.contains($0) }
            return StoredPermission(
                content, grantors: content.grantors + others, standing: .denialsOnly, authorities: signed.map { authority(of: $0.signer) })
        }
    }

    /// The authority within which a signer's denials hold. Statements are recorded of known identities only, and no call removes one: an identity that
    /// is missing was lost, and may have denied anything. So may one whose authority was lost, which `setIdentity` always writes. One with the authority
    /// `none` has none of its own, or no more.
    private func authority(of signer: String) -> Identity.Authority {
        undefined.contains(signer) ? .everything : identities[signer]?.authority ?? .everything
    }

    /// The same for all other Consents.
    mutating func takeOtherDenials() throws -> [StoredPermission] { try order.flatMap { try takeDenials(of: $0, besides: []) } }
}
