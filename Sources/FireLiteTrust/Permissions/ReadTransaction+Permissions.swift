import FireLite
import Foundation

extension ReadTransaction {
    /// All permissions in the store, those that do not count included, by the order in which they were stored.
    ///
    /// - Throws: ``TrustError/Code/release``; `FHIRStoreError`.
    public func permissions() throws -> [StoredPermission] {
        let coding = try ConsentCoding(store.release)
        guard let layout = store.release.resourceLayout(named: "Consent") else { return [] }
        return try resources(keys: places(QueryRequest(layout)).map(\.key)).compactMap { consent in
            let item = try JSONItemReader.read(FHIRJSON.data(consent))
            guard let permission = coding.permission(item) else { return nil }
            let authority = try identity(permission.grantor)?.authority ?? Identity.Authority.none
            let standing: StoredPermission.Standing
            if item["status"]?.text != "active" {
                standing = .inactive
            } else if authority == Identity.Authority.none {
                standing = .noAuthority
            } else {
                let isSigned = try validSignatures(of: consent).contains { $0.signer == permission.grantor }
                standing = isSigned ? .valid : .unsigned
            }
            return StoredPermission(permission: permission, standing: standing, authority: authority)
        }
    }

    /// The permissions that an identity has given.
    ///
    /// - Parameters:
    ///   - grantor: the identity.
    ///   - moment: a time at which they must hold; nil for all.
    /// - Throws: ``TrustError/Code/release``; `FHIRStoreError`.
    public func permissions(givenBy grantor: String, at moment: Date? = nil) throws -> [StoredPermission] {
        try permissions().filter { $0.permission.grantor == grantor && $0.holds(at: moment) }
    }

    /// The permissions that were given to an identity, those for everybody included.
    ///
    /// - Parameters:
    ///   - grantee: the identity.
    ///   - moment: a time at which they must hold; nil for all.
    /// - Throws: ``TrustError/Code/release``; `FHIRStoreError`.
    public func permissions(givenTo grantee: String, at moment: Date? = nil) throws -> [StoredPermission] {
        try permissions().filter { stored in
            let grantees = stored.permission.rule.grantees
            return (grantees.isEmpty || grantees.contains(grantee)) && stored.holds(at: moment)
        }
    }

    /// Decides about a request for a stored resource.
    ///
    /// A denial wins over any permit of another Consent. Within a Consent, the innermost rule that applies decides, and of several a denial.
    /// Of the Consents that decide alike, the most specific is named. What nothing permits is denied.
    /// - Parameters:
    ///   - request: who asks for what.
    ///   - typeName: the type of the resource.
    ///   - id: its id. For a resource that the store does not have, the answer is no, with no Consent.
    /// - Throws: ``TrustError``; `FHIRStoreError`.
    public func decision(on request: PermissionRequest, typeName: String, id: String) throws -> PermissionDecision {
        let none = PermissionDecision(isPermitted: false, consentID: nil, provision: [])
        guard let resource = try resource(typeName: typeName, id: id), let key = key(of: resource) else { return none }
        let rules = RuleConditions(self, try permissions(), request)
        func holds(_ condition: Predicate) throws -> Bool {
            var query = QueryRequest(resource.layout)
            query.predicate = .and([.keys([key]), condition])
            return try !places(query).isEmpty
        }
        var found: DecidingRule?
        for rule in try rules.deciding(on: resource.layout, holds) where found.map({ rule.isBetter(than: $0) }) ?? true { found = rule }
        guard let best = found else { return none }
        // What the resource contains may be denied although it is permitted itself.
        let isPermitted = try best.kind == .permit && holds(rules.condition(on: resource.layout))
        return PermissionDecision(isPermitted: isPermitted, consentID: best.consentID, provision: best.provision)
    }
}

extension StoredPermission {
    fileprivate func holds(at moment: Date?) -> Bool {
        guard let moment else { return true }
        let rule = permission.rule
        return standing == .valid && rule.from.map { $0 <= moment } ?? true && rule.until.map { moment < $0 } ?? true
    }
}
