import FireLite
import FireLiteCore
import Foundation

extension WriteTransaction {
    /// Stores a permission as a Consent, signed by its grantor.
    ///
    /// - Parameters:
    ///   - permission: the permission.
    ///   - grantor: the grantor and its key. The permission counts only within the grantor's authority.
    ///   - moment: when it is given.
    /// - Returns: the Consent.
    /// - Throws: ``TrustError/Code/invalidArgument`` if the signer is not the grantor, for an unknown type, compartment or patient, for an
    ///   id in use, and for rules that an R5 Consent cannot express: an exception of the same kind as its rule, and a permit or an
    ///   exception without any condition; ``TrustError/Code/unknown`` or ``TrustError/Code/keyNotValid`` for the key;
    ///   ``TrustError/Code/release``; `FHIRStoreError`.
    @discardableResult
    public func grant(_ permission: AccessPermission, signedBy grantor: SigningIdentity, at moment: Date = FHIRClock.system.now()) throws
        -> FHIRResource
    {
        let coding = try ConsentCoding(store.release)
        store.keepPermissions()
        guard permission.grantor == grantor.id else { throw TrustError(.invalidArgument, "a permission is signed by its grantor") }
        guard try key(grantor.keyID, at: moment).identity.id == grantor.id else {
            throw TrustError(.unknown, "the key belongs to another identity than the grantor's")
        }
        try check(permission, coding)
        guard try resource(typeName: "Consent", id: permission.id) == nil else {
            throw TrustError(.invalidArgument, "there is a Consent with this id already: revoke it, and give another permission")
        }
        return try storeSigned(coding.json(permission, status: "active", at: moment), grantor, moment)
    }

    private func check(_ permission: AccessPermission, _ coding: ConsentCoding) throws {
        guard permission.otherGrantors.isEmpty else {
            throw TrustError(.invalidArgument, "a permission is given by one grantor: let each give one")
        }
        guard permission.patient.map({ Compartment($0)?.type == "Patient" }) ?? true else {
            throw TrustError(.invalidArgument, "the patient of a permission is written like Patient/1")
        }
        if permission.rule.kind == .permit { try checkCondition(permission.rule, coding) }
        try check(permission.rule, coding)
    }

    private func checkCondition(_ rule: AccessRule, _ coding: ConsentCoding) throws {
        guard !coding.isBare(rule) else {
            throw TrustError(
                .invalidArgument, "an R5 Consent has no empty provision: give the permit or the exception a condition, such as types")
        }
    }

    private func check(_ rule: AccessRule, _ coding: ConsentCoding) throws {
        guard !rule.isContainer, !rule.isPartlyUnderstood else {
            throw TrustError(.invalidArgument, "the rule was read from a Consent that says more than a rule can: make another one")
        }
        for type in rule.types where !store.release.hasResourceType(named: type) {
            throw TrustError(.invalidArgument, "FHIR \(store.release.name) has no resource type '\(type)'")
        }
        guard rule.compartments.allSatisfy({ Compartment($0) != nil }) else {
            throw TrustError(.invalidArgument, "a compartment is written like Patient/1")
        }
        for exception in rule.exceptions {
            // R5 has no types of provisions: an exception is the opposite of the provision around it.
            guard !coding.isR5 || exception.kind != rule.kind else {
                throw TrustError(.invalidArgument, "an exception to a permit denies, and one to a denial permits")
            }
            try checkCondition(exception, coding)
            try check(exception, coding)
        }
    }

    private func storeSigned(_ consent: JSONItem, _ signer: SigningIdentity, _ moment: Date) throws -> FHIRResource {
        let stored = try upsert(FHIRJSON.resource(from: Data(consent.json.utf8), release: store.release))
        try sign(stored, by: signer, at: moment)
        return stored
    }

    /// Revokes a permission: its Consent stays, inactive and signed by the revoker.
    ///
    /// - Parameters:
    ///   - id: the id of the Consent.
    ///   - signer: the grantor if there is only one, or an identity with authority for everything.
    ///   - moment: when it is revoked.
    /// - Throws: ``TrustError/Code/unknown`` if there is no such permission, or for the key; ``TrustError/Code/invalidArgument`` if
    ///   somebody else signs; `FHIRStoreError`.
    public func revokePermission(_ id: String, signedBy signer: SigningIdentity, at moment: Date = FHIRClock.system.now()) throws {
        let (identity, _) = try key(signer.keyID, at: moment)
        var permissions = try self.permissions().filter { $0.permission.id == id }.map(\.permission)
        let consent = try resource(typeName: "Consent", id: id).map { try JSONItem.read(FHIRJSON.data($0)) }
        // A statement about a Consent that was deleted or changed is revoked too.
        let stated = try statements(about: id).last { $0.signer == identity.id } ?? statements(about: id).last
        let coding = try ConsentCoding(store.release)
        let statement = try stated.map { stated in
            // A row without a valid signature may deny everything, by anybody: only the owner revokes it.
            let grantor = identity.authority == .everything ? identity.id : stated.signer
            let denial = AccessPermission(id: id, grantor: grantor, rule: AccessRule(.deny, to: []))
            return try stated.content.isEmpty
                ? coding.json(denial, status: "active", at: moment) : JSONItem.read(Data(stated.content.utf8))
        }
        if let content = statement.flatMap({ coding.content($0) { _ in nil } }) {
            permissions.append(StoredPermission(content, grantors: content.grantors, standing: .inactive, authorities: []).permission)
        }
        guard let known = consent ?? statement, !permissions.isEmpty else {
            throw TrustError(.unknown, "the store has no permission \(id)")
        }
        // One of several grantors alone must not revoke the denials of the others.
        let isGrantor = permissions.contains { $0.grantor == identity.id && $0.otherGrantors.isEmpty }
        guard identity.id == signer.id, isGrantor || identity.authority == .everything else {
            throw TrustError(.invalidArgument, "a permission is revoked by its only grantor, or by the owner of the store")
        }
        let isOwn = identity.authority == .everything || coding.content(known) { _ in nil }?.grantors.contains(identity.id) ?? false
        let members = (isOwn ? known : statement ?? known).members.map { member in
            member.name == "status" ? JSONItem.Member(name: "status", value: .string("inactive")) : member
        }
        _ = try storeSigned(.object(members), signer, moment)
    }
}
