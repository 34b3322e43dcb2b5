import FireLite
import FireLiteCore
import Foundation

extension ReadTransaction {
    /// All permissions in the store, including ineffective ones, in the order they were stored.
    ///
    /// - Throws: ``TrustError/Code/release``; `FHIRStoreError`.
    public func permissions() throws -> [StoredPermission] {
        try remembered("permissions") { try readPermissions() }
    }

    private func readPermissions() throws -> [StoredPermission] {
        let coding = try ConsentCoding(store.release)
        guard let layout = store.release.resourceLayout(named: "Consent") else { return [] }
        let identities = try identities()
        let party: (String) -> String? = { reference in
            let parties = identities.filter { $0.reference == reference }
            return parties.count == 1 ? parties[0].id : nil
        }
        var statements = try ConsentStatements(self.statements(), identities, undefined: identitiesWithoutAuthority()) {
            coding.content($0, party: party)
        }
        var permissions: [StoredPermission] = []
        for consent in try resources(keys: places(QueryRequest(layout)).map(\.key)) {
            let item = try JSONItem.read(FHIRJSON.data(consent))
            guard let id = item["id"]?.text else { continue }
            var counting: Set<String> = []
            var own: StoredPermission?
            if let content = coding.content(item, party: party) {
                let isActive = item["status"]?.text == "active"
                let signatures = isActive && statements.hasPowers ? try verifiedSignatures(of: consent) : []
                let standing = statements.standing(of: id, signatures)
                counting = standing.signers
                own = permission(
                    content, isActive: isActive && !standing.isRevoked, counting, doubtful: standing.doubtful,
                    isOutdated: standing.isOutdated, identities)
            }
            let held = try statements.takeDenials(of: id, besides: counting)
            // A permission that does not count is not listed if a statement replaces it.
            if let own, held.isEmpty || own.standing == .valid || own.standing == .denialsOnly { permissions.append(own) }
            permissions += held
        }
        // Those of Consents that were deleted.
        return try permissions + statements.takeOtherDenials()
    }

    /// The permission of a Consent, with its scope; nil without a grantor.
    private func permission(
        _ content: ConsentCoding.Content, isActive: Bool, _ certain: Set<String>, doubtful: Set<String>, isOutdated: Bool,
        _ identities: [Identity]
    ) -> StoredPermission? {
        let signers = certain.union(doubtful)
        let powers = identities.filter { $0.authority != .none }
        // If a grantor cannot be read, it may be anybody who has signed.
        let grantors = content.hasAllGrantors ? content.grantors : content.grantors + powers.map(\.id).filter(signers.contains)
        guard !grantors.isEmpty else { return nil }
        let counting = powers.filter { grantors.contains($0.id) }
        let signed = counting.filter { signers.contains($0.id) }
        let standing: StoredPermission.Standing =
            if !isActive {
                .inactive
            } else if counting.isEmpty {
                .noAuthority
            } else if signed.isEmpty {
                isOutdated ? .outdated : .unsigned
            } else if doubtful.isEmpty, content.hasAllGrantors, Set(grantors).count == signed.count {
                .valid
            } else {
                .denialsOnly
            }
        return StoredPermission(content, grantors: grantors, standing: standing, authorities: signed.map(\.authority))
    }

    /// The permissions granted by an identity.
    ///
    /// - Parameters:
    ///   - grantor: the identity.
    ///   - moment: a time at which they must hold; nil for all.
    /// - Throws: ``TrustError/Code/release``; `FHIRStoreError`.
    public func permissions(givenBy grantor: String, at moment: Date? = nil) throws -> [StoredPermission] {
        try permissions().filter { stored in
            let permission = stored.permission
            return (permission.grantor == grantor || permission.otherGrantors.contains(grantor)) && stored.holds(at: moment)
        }
    }

    /// The permissions granted to an identity, including those for everybody.
    ///
    /// - Parameters:
    ///   - grantee: the identity.
    ///   - moment: a time at which they must hold; nil for all.
    /// - Throws: ``TrustError/Code/release``; `FHIRStoreError`.
    public func permissions(givenTo grantee: String, at moment: Date? = nil) throws -> [StoredPermission] {
        try permissions().filter { stored in
            let rule = stored.permission.rule
            let rules = rule.isContainer ? rule.exceptions : [rule]
            return rules.contains { $0.grantees.isEmpty || $0.grantees.contains(grantee) } && stored.holds(at: moment)
        }
    }

    /// Decides whether a request may access a stored resource.
    ///
    /// A denial wins over any permit of another Consent. Within a Consent, the innermost applicable rule decides; among several of them, a
    /// denial wins. If several Consents decide alike, the decision names the most specific. Access that nothing permits is denied.
    /// - Parameters:
    ///   - request: who asks for what.
    ///   - typeName: the type of the resource.
    ///   - id: its id. For a resource that the store does not have, the decision is a denial without a Consent.
    /// - Throws: ``TrustError``; `FHIRStoreError`.
    public func decision(on request: PermissionRequest, typeName: String, id: String) throws -> PermissionDecision {
        let none = PermissionDecision(isPermitted: false, consentID: nil, provision: [])
        guard let resource = try resource(typeName: typeName, id: id), let key = key(of: resource) else { return none }
        let rules = RuleConditions(self, try permissions(), request)
        let covering = String(decoding: rules.covering.map { $0 ? UInt8(ascii: "1") : UInt8(ascii: "0") }, as: UTF8.self)
        let plan = try remembered("decision \(resource.layout.name) \(covering)") { try rules.plan(on: resource.layout) }
        var met = met(plan.conditions, by: key)
        var found: DecidingRule?
        for rule in try plan.deciding(&met) where found.map({ rule.isBetter(than: $0) }) ?? true { found = rule }
        guard let best = found else { return none }
        // The resource may be permitted although a contained one is denied.
        let isPermitted = try best.kind == .permit && met.isMet(plan.whole)
        return PermissionDecision(isPermitted: isPermitted, consentID: best.consentID, provision: best.provision)
    }
}

extension StoredPermission {
    fileprivate func holds(at moment: Date?) -> Bool {
        guard let moment else { return true }
        let rule = permission.rule
        return (standing == .valid || standing == .denialsOnly) && rule.from.map { $0 <= moment } ?? true
            && rule.until.map { moment < $0 } ?? true
    }
}
