import FireLiteR4
import FireLiteReleases
import FireLiteTrust
import Foundation
import Testing

extension FHIRRelease {
    /// R5, whose classes have the names of R4's.
    static let latest: FHIRRelease = BundledRelease.all.map(\.release).first { $0.name == "R5" } ?? .r4
}

/// Consents that others have written: what cannot be read whole never permits more, and what it denies counts.
@Suite struct ConsentReadingTests {
    /// A store with three observations, whose identities `a` and `b` may give permissions.
    private struct Ward {
        static let now = Date(timeIntervalSince1970: 1_750_000_000)
        let store: FHIRStore
        let signers: [String: SigningIdentity]

        init(_ release: FHIRRelease = .r4, _ authorities: [String: Identity.Authority] = ["a": .everything, "b": .everything]) throws {
            let store = try FHIRStore.inMemory(release: release)
            var signers: [String: SigningIdentity] = [:]
            for id in authorities.keys { signers[id] = SigningIdentity(id: id, key: try PrivateKey()) }
            try store.write { tx in
                for (id, authority) in authorities {
                    guard let signer = signers[id] else { continue }
                    let key = Identity.Key(signer.key.publicKey, from: .distantPast)
                    try tx.setIdentity(Identity(id: id, reference: "Practitioner/\(id)", authority: authority, keys: [key]))
                }
                for (id, patient, label) in [("o1", "1", ""), ("o2", "2", ""), ("h1", "1", Self.label)] {
                    try Self.put(
                        """
                        {"resourceType":"Observation","id":"\(id)",\(label)"status":"final","code":{"text":"x"},\
                        "subject":{"reference":"Patient/\(patient)"}}
                        """, tx)
                }
            }
            self.store = store
            self.signers = signers
        }

        private static let label = #""meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"HIV"}]},"#

        @discardableResult
        private static func put(_ json: String, _ tx: WriteTransaction) throws -> FHIRResource {
            try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: tx.store.release))
        }

        /// Stores a Consent and signs it.
        func consent(_ members: String, id: String = "c", signedBy names: [String] = ["a"]) throws {
            try store.write { tx in
                let consent = try Self.put(#"{"resourceType":"Consent","id":"\#(id)","status":"active",\#(members)}"#, tx)
                for name in names {
                    guard let signer = signers[name] else { continue }
                    try tx.sign(consent, by: signer, at: Self.now)
                }
            }
        }

        /// Permits all observations to everybody.
        func open() throws {
            guard let signer = signers["a"] else { return }
            try store.write { tx in
                let permission = AccessPermission(id: "open", grantor: "a", rule: AccessRule(.permit, to: [], types: ["Observation"]))
                try tx.grant(permission, signedBy: signer, at: Self.now)
            }
        }

        func seen(at moment: Date = Ward.now) throws -> [String] {
            let result = try store.restricted(to: "dr") { moment }.search("Observation?_count=50")
            return result.matches.compactMap(\.id)
        }

        func standing(_ id: String = "c") throws -> StoredPermission.Standing? {
            try store.read { try $0.permissions() }.first { $0.permission.id == id }?.standing
        }
    }

    private static let all = ["o1", "o2", "h1"]
    private static let hiv = #""securityLabel":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"HIV"}]"#
    private static let byA = #""performer":[{"identifier":{"value":"a"}}]"#
    private static let fromA = #""grantor":[{"identifier":{"value":"a"}}]"#

    private static func data(_ patient: Int) -> String {
        #""data":[{"meaning":"dependents","reference":{"reference":"Patient/\#(patient)"}}]"#
    }

    private static func policy(_ code: String) -> String {
        #""policyRule":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"\#(code)"}]}"#
    }

    // MARK: - Provisions

    @Test func everyProvisionOfAConsentCounts() throws {
        let ward = try Ward(.latest)
        let nested = #"{\#(Self.data(1)),"provision":[{\#(Self.hiv)}]}"#
        try ward.consent(#"\#(Self.fromA),"decision":"deny","provision":[{\#(Self.data(2))},\#(nested)]"#)
        #expect(try ward.seen() == ["o1", "o2"])
        let frame = try ward.store.read { try $0.permissions(givenTo: "dr") }.first?.permission.rule
        #expect(frame?.isContainer == true && frame?.exceptions.count == 2)
        try ward.open()
        #expect(try ward.seen() == ["o1", "o2"])
        try ward.consent(#"\#(Self.fromA),"decision":"permit","provision":[{\#(Self.data(2))},{\#(Self.hiv)}]"#)
        #expect(try ward.seen() == ["o1"])
        let decision = try ward.store.read { tx in
            try tx.decision(on: PermissionRequest(actor: "dr", at: Ward.now), typeName: "Observation", id: "h1")
        }
        #expect(!decision.isPermitted && decision.consentID == "c" && decision.provision == [0, 1])
    }

    @Test func aSensitivityAloneLimitsAPermit() throws {
        let ward = try Ward()
        let other = #""securityLabel":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"PSY"}]"#
        try ward.consent(#"\#(Self.byA),"provision":{"type":"permit",\#(other)}"#)
        #expect(try ward.seen() == ["o1", "o2"])
        try ward.consent(#"\#(Self.byA),"provision":{"type":"permit",\#(Self.hiv)}"#)
        #expect(try ward.seen() == Self.all)
    }

    @Test func oneOfSeveralGrantorsAloneRevokesNothing() throws {
        let ward = try Ward(.r4, ["a": .compartment("Patient/1"), "b": .compartment("Patient/1"), "c": .everything])
        let both = #""performer":[{"identifier":{"value":"a"}},{"identifier":{"value":"b"}}]"#
        try ward.consent(#"\#(both),"provision":{"type":"deny"}"#, signedBy: ["a", "b"])
        for (name, expected) in [("a", TrustError.Code.invalidArgument), ("b", .invalidArgument), ("c", nil)] {
            guard let signer = ward.signers[name] else { continue }
            let code = refusal { try ward.store.write { try $0.revokePermission("c", signedBy: signer, at: Ward.now) } }
            #expect(code == expected, "\(name)")
        }
    }

    @Test func aPeriodOfAConsentLimitsItsProvisions() throws {
        let period = #""period":{"start":"2025-06-15T15:06:40Z","end":"2025-06-15T15:07:00Z"}"#
        let ward = try Ward(.latest)
        try ward.consent(#"\#(Self.fromA),\#(period),"decision":"deny","provision":[{\#(Self.data(1))}]"#)
        #expect(try ward.seen() == ["o1", "h1"])
        #expect(try ward.seen(at: Ward.now.addingTimeInterval(-1)).isEmpty)
        #expect(try ward.seen(at: Ward.now.addingTimeInterval(60)).isEmpty)
        try ward.open()
        try ward.consent(#"\#(Self.fromA),\#(period),"decision":"permit","provision":[{\#(Self.data(1))}]"#)
        #expect(try ward.seen() == ["o2"])
        #expect(try ward.seen(at: Ward.now.addingTimeInterval(60)) == Self.all)
    }

    @Test(arguments: [
        // Exceptions of a permit that is not understood.
        #""provision":{"type":"permit","dataPeriod":{"start":"2020"},"provision":[{"type":"deny",\#(ConsentReadingTests.hiv)}]}"#,
        #""provision":{"type":"permit","actor":[{"role":{"text":"x"},"reference":{"reference":"Group/1"}}],"provision":[{"type":"deny",\#(ConsentReadingTests.hiv)}]}"#,
        #""provision":{"type":"permit","code":[{"text":"x"}],"provision":[{"type":"permit","provision":[{"type":"deny",\#(ConsentReadingTests.hiv)}]}]}"#,
        // A provision without a type, and with an unknown one, in a permit.
        #""provision":{"type":"permit","provision":[{\#(ConsentReadingTests.hiv)}]}"#,
        // Denials that are not understood are wider.
        #""provision":{"type":"deny",\#(ConsentReadingTests.hiv),"actor":[{"role":{"text":"x"},"reference":{"reference":"Practitioner/9"}}]}"#,
        #""modifierExtension":[{"url":"http://example.org/x","valueBoolean":true}],"provision":{"type":"deny",\#(ConsentReadingTests.hiv)}"#,
        // So are those of which some actors are not understood.
        #""provision":{"type":"deny",\#(ConsentReadingTests.hiv),"actor":[{"role":{"text":"x"},"reference":{"identifier":{"value":"nurse"}}},{"role":{"text":"x"},"reference":{"reference":"Group/1"}}]}"#,
        // Nobody knows what an exception within a provision without a type does.
        #""provision":{"type":"permit","provision":[{\#(ConsentReadingTests.hiv),"provision":[{"type":"permit"}]}]}"#,
        // An outermost provision without a type is an exception to the policy.
        #"\#(ConsentReadingTests.policy("OPTIN")),"provision":{\#(ConsentReadingTests.hiv)}"#,
        #""provision":{\#(ConsentReadingTests.hiv)}"#,
        #"\#(ConsentReadingTests.policy("OPTOUT")),"provision":{"provision":[{"type":"deny",\#(ConsentReadingTests.hiv)}]}"#,
    ]) func denialsCount(_ members: String) throws {
        let ward = try Ward()
        try ward.open()
        try ward.consent("\(Self.byA),\(members)")
        let seen = try ward.seen()
        #expect(!seen.contains("h1"))
        #expect(seen.contains("o1") == !members.contains("\"deny\",\(Self.hiv),\"actor\""))
    }

    @Test(arguments: [
        // Nothing is sure within a rule that is not understood.
        #""provision":{"type":"deny","dataPeriod":{"start":"2020"},"provision":[{"type":"permit"}]}"#,
        #""provision":{"type":"permit","dataPeriod":{"start":"2020"}}"#,
        #""modifierExtension":[{"url":"http://example.org/x","valueBoolean":true}],"provision":{"type":"permit"}"#,
        #""provision":{"type":"permit","actor":[{"modifierExtension":[{"url":"http://example.org/x","valueBoolean":true}],"role":{"text":"x"},"reference":{"identifier":{"value":"dr"}}}]}"#,
        // Neither a type nor a policy.
        #""provision":{"provision":[{"period":{"start":"2000"}}]}"#,
        // About somebody who is no patient by a reference.
        #""patient":{"identifier":{"value":"1"}},"provision":{"type":"permit"}"#,
        #""patient":{"reference":"https://example.org/Patient/1"},"provision":{"type":"permit"}"#,
    ]) func permitsThatAreNotUnderstoodDoNotCount(_ members: String) throws {
        let ward = try Ward()
        try ward.consent("\(Self.byA),\(members)")
        #expect(try ward.seen().isEmpty)
        #expect(try ward.standing() == .valid)
    }

    @Test func policiesWithoutProvisionsDeny() throws {
        let ward = try Ward()
        try ward.consent("\(Self.byA),\(Self.policy("OPTIN"))")
        #expect(try ward.seen().isEmpty)
        try ward.open()
        #expect(try ward.seen() == Self.all)
        try ward.consent("\(Self.byA),\(Self.policy("OPTOUT"))")
        #expect(try ward.seen().isEmpty)
        let later = try Ward(.latest)
        try later.open()
        try later.consent(#"\#(Self.fromA),"decision":"permit""#)
        #expect(try later.seen() == Self.all)
        try later.consent(#"\#(Self.fromA),"decision":"deny""#)
        #expect(try later.seen().isEmpty)
        // Without a decision nobody knows what the provisions do.
        try later.consent(#"\#(Self.fromA),"provision":[{\#(Self.hiv),"provision":[{"period":{"start":"2000"}}]}]"#)
        #expect(try later.seen() == ["o1", "o2"])
    }

    @Test func anExceptionToAPolicyThatPermitsNothingPermits() throws {
        let ward = try Ward()
        let denial = #"{"type":"deny",\#(Self.hiv)}"#
        try ward.consent(#"\#(Self.byA),\#(Self.policy("OPTOUT")),"provision":{\#(Self.data(1)),"provision":[\#(denial)]}"#)
        #expect(try ward.seen() == ["o1"])
    }

    @Test func thePatientLimitsAConsent() throws {
        let ward = try Ward()
        try ward.consent(#"\#(Self.byA),"patient":{"reference":"Patient/1"},"provision":{"type":"permit"}"#)
        #expect(try ward.seen() == ["o1", "h1"])
        try ward.open()
        try ward.consent(#"\#(Self.byA),"patient":{"reference":"Patient/1"},"provision":{"type":"deny"}"#)
        #expect(try ward.seen() == ["o2"])
    }

    // MARK: - Grantors

    private static let byBoth = #""performer":[{"identifier":{"value":"a"}},{"identifier":{"value":"b"}}]"#

    @Test func permitsNeedEveryGrantorAndDenialsOne() throws {
        let ward = try Ward()
        let permit = #"\#(Self.byBoth),"provision":{"type":"permit","provision":[{"type":"deny",\#(Self.hiv)}]}"#
        try ward.consent(permit, signedBy: [])
        #expect(try ward.seen().isEmpty && ward.standing() == .unsigned)
        try ward.consent(permit, signedBy: ["b"])
        #expect(try ward.seen().isEmpty && ward.standing() == .denialsOnly)
        try ward.open()
        #expect(try ward.seen() == ["o1", "o2"])
        let both = try Ward()
        try both.consent(permit, signedBy: ["a", "b"])
        #expect(try both.seen() == ["o1", "o2"] && both.standing() == .valid)
        let given = try both.store.read { try $0.permissions(givenBy: "b") }
        #expect(given.map(\.permission.otherGrantors) == [["b"]])
        // One of them cannot take back what the other denies.
        let revocation = try both.signers["b"].unwrapped()
        expect(.invalidArgument) {
            let ward = try Ward(.r4, ["a": .everything, "b": .compartment("Patient/1")])
            try ward.consent(permit, signedBy: ["a", "b"])
            try ward.store.write { try $0.revokePermission("c", signedBy: ward.signers["b"].unwrapped(), at: Ward.now) }
        }
        try both.store.write { try $0.revokePermission("c", signedBy: revocation, at: Ward.now) }
        #expect(try both.seen().isEmpty && both.standing() == .inactive)
    }

    @Test func grantorsGiveWhatAllOfThemMayGiveAndDenyWhatOneMay() throws {
        let ward = try Ward(.r4, ["a": .everything, "b": .compartment("Patient/1")])
        try ward.consent(#"\#(Self.byBoth),"provision":{"type":"permit"}"#, signedBy: ["a", "b"])
        #expect(try ward.seen() == ["o1", "h1"])
        try ward.open()
        try ward.consent(#"\#(Self.byBoth),"provision":{"type":"deny"}"#, signedBy: ["b"])
        #expect(try ward.seen() == ["o2"])
        try ward.consent(#"\#(Self.byBoth),"provision":{"type":"deny"}"#, signedBy: ["a", "b"])
        #expect(try ward.seen().isEmpty)
    }

    @Test func grantorsThatCannotBeReadLeaveTheDenials() throws {
        let ward = try Ward()
        let performers = #""performer":[{"identifier":{"value":"a"}},{"reference":"Organization/9"}]"#
        try ward.consent(#"\#(performers),"provision":{"type":"permit"}"#)
        #expect(try ward.seen().isEmpty && ward.standing() == .denialsOnly)
        try ward.open()
        try ward.consent(#"\#(performers),"provision":{"type":"deny",\#(Self.hiv)}"#)
        #expect(try ward.seen() == ["o1", "o2"])
        let alone = #""performer":[{"reference":"Organization/9"}],"provision":{"type":"deny",\#(Self.hiv)}"#
        try ward.consent(alone)
        #expect(try ward.seen() == ["o1", "o2"])
        try ward.consent(#""provision":{"type":"deny",\#(Self.hiv)}"#, id: "d", signedBy: [])
        #expect(try ward.standing("d") == nil)
        // A grantor by the resource that an identity names.
        let other = try Ward()
        try other.consent(#""performer":[{"reference":"Practitioner/b"}],"provision":{"type":"permit"}"#, signedBy: ["b"])
        #expect(try other.seen() == Self.all && other.standing() == .valid)
    }

    // MARK: - Writing

    @Test func aDenialOfEverythingIsADecision() throws {
        let ward = try Ward(.latest)
        try ward.open()
        #expect(try ward.seen() == Self.all)
        let owner = try ward.signers["a"].unwrapped()
        try ward.store.write {
            _ = try $0.grant(AccessPermission(grantor: "a", rule: AccessRule(.deny, to: [])), signedBy: owner, at: Ward.now)
        }
        #expect(try ward.seen().isEmpty)
    }

    @Test func whatAReleaseCannotSayIsNotGiven() throws {
        let ward = try Ward(.latest)
        let owner = try ward.signers["a"].unwrapped()
        func grant(_ rule: AccessRule, patient: String? = nil) -> TrustError.Code? {
            refusal {
                let permission = AccessPermission(grantor: "a", patient: patient, rule: rule)
                try ward.store.write { _ = try $0.grant(permission, signedBy: owner, at: Ward.now) }
            }
        }
        #expect(grant(AccessRule(.deny, to: [], exceptions: [AccessRule(.deny, to: [], types: ["Observation"])])) == .invalidArgument)
        #expect(grant(AccessRule(.permit, to: [], exceptions: [AccessRule(.permit, to: [])])) == .invalidArgument)
        #expect(grant(AccessRule(.permit, to: [])) == .invalidArgument)
        #expect(grant(AccessRule(.permit, to: [], types: ["Observation"], exceptions: [AccessRule(.deny, to: [])])) == .invalidArgument)
        #expect(grant(AccessRule(.permit, to: []), patient: "Practitioner/1") == .invalidArgument)
        try ward.consent(#"\#(Self.fromA),"decision":"deny","provision":[{\#(Self.data(1))},{\#(Self.data(2))}]"#)
        let read = try ward.store.read { try $0.permissions() }
        #expect(grant(try read.first.unwrapped().permission.rule) == .invalidArgument)
        #expect(
            grant(AccessRule(.permit, to: [], exceptions: [AccessRule(.deny, to: [], types: ["Patient"])]), patient: "Patient/1") == nil)
    }
}
