import FireLiteR4
import FireLiteSearch
import FireLiteTrust
import Foundation
import Testing

/// What a compartment permits or denies, where references have the addresses of several servers; and what cursors reveal.
@Suite struct ForeignReferenceTests {
    private static let own = "https://own.example/fhir"

    private func filled(_ rules: [AccessRule]) throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        let owner = SigningIdentity(id: "owner", key: try PrivateKey())
        func condition(_ id: String, _ subject: String) -> String {
            #"{"resourceType":"Condition","id":"\#(id)","code":{"text":"gout"},"subject":{"reference":"\#(subject)"}}"#
        }
        let resources = [
            #"{"resourceType":"Patient","id":"p1","name":[{"family":"Adams"}]}"#,
            #"{"resourceType":"Patient","id":"p2","name":[{"family":"Zeta"}]}"#,
            condition("relative", "Patient/p1"), condition("version", "Patient/p1/_history/1"), condition("own", "\(Self.own)/Patient/p1"),
            condition("foreign", "http://other.org/fhir/Patient/p1"), condition("second", "Patient/p2"),
        ]
        try store.write { tx in
            try tx.setIdentity(Identity(id: "owner", authority: .everything, keys: [.init(owner.key.publicKey, from: .distantPast)]))
            for json in resources { try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }
            for (number, rule) in rules.enumerated() {
                try tx.grant(AccessPermission(id: "r\(number)", grantor: "owner", rule: rule), signedBy: owner)
            }
        }
        return store
    }

    private func seen(_ store: FHIRStore, _ search: String = "Condition", base: String? = nil) throws -> [String] {
        var options = SearchOptions()
        options.base = base
        return try store.restricted(to: "dr").search(search, options: options).matches.compactMap(\.id)
    }

    @Test func aPermitForACompartmentShowsNothingOfAnotherServersPatient() throws {
        let store = try filled([AccessRule(.permit, to: ["dr"], compartments: ["Patient/p1"])])
        #expect(try seen(store) == ["relative", "version"])
        #expect(try store.restricted(to: "dr").resource(Condition.self, id: "foreign") == nil)
        #expect(try store.restricted(to: "dr").resource(Condition.self, id: "own") == nil)
        // Whoever searches cannot make another server's patient one of the store's.
        #expect(try seen(store, base: "http://other.org/fhir") == ["relative", "version"])
        #expect(try seen(store, base: Self.own) == ["relative", "version"])
        try store.addBase(Self.own)
        #expect(try seen(store) == ["relative", "version", "own"])
        #expect(try store.restricted(to: "dr").query(Condition.self).ids() == ["relative", "version", "own"])
        #expect(try seen(store, "Condition?patient=p1") == ["relative", "version", "own"])
        let request = PermissionRequest(actor: "dr", purpose: nil, at: Date())
        for (id, isPermitted) in [("own", true), ("foreign", false), ("relative", true)] {
            let decision = try store.read { try $0.decision(on: request, typeName: "Condition", id: id) }
            #expect(decision.isPermitted == isPermitted, "\(id)")
        }
        try store.removeBase(Self.own)
        #expect(try seen(store) == ["relative", "version"])
    }

    /// What denies counts references under every address: one that the store was not told of may be its own.
    @Test func aDenialForACompartmentHidesWhatMayBeInIt() throws {
        let store = try filled([
            AccessRule(.permit, to: ["dr"], types: ["Condition"]), AccessRule(.deny, to: ["dr"], compartments: ["Patient/p1"]),
        ])
        #expect(try seen(store) == ["second"])
        try store.addBase(Self.own)
        #expect(try seen(store) == ["second"])
        let request = PermissionRequest(actor: "dr", purpose: nil, at: Date())
        #expect(try !store.read { try $0.decision(on: request, typeName: "Condition", id: "foreign") }.isPermitted)
    }

    @Test func anExceptionOfAPermitHidesWhatMayBeInItsCompartment() throws {
        var rule = AccessRule(.permit, to: ["dr"], types: ["Condition"])
        rule.exceptions = [AccessRule(.deny, to: ["dr"], compartments: ["Patient/p1"])]
        let store = try filled([rule])
        #expect(try seen(store) == ["second"])
    }

    // MARK: - Cursors

    @Test func cursorsOfAViewRevealNoNumbers() throws {
        let store = try filled([AccessRule(.permit, to: ["dr"], types: ["Condition"])])
        let view = store.restricted(to: "dr")
        func text(_ cursor: QueryCursor?) throws -> String {
            String(decoding: try JSONEncoder().encode(try #require(cursor)), as: UTF8.self)
        }
        let open = try store.query(Condition.self).page(of: 2)
        let key = try #require(try text(open.next).firstMatch(of: #/"key":(\d+)/#)?.1)
        let page = try view.query(Condition.self).page(of: 2)
        let cursor = try #require(page.next)
        let sealed = try text(cursor)
        #expect(page.resources.map(\.id) == open.resources.map(\.id))
        #expect(!sealed.contains(key) && sealed.contains("\"key\":0"))
        // The same place looks different each time, and leads to the same page, in another view of the same actor as well.
        #expect(try text(view.query(Condition.self).page(of: 2).next) != sealed)
        let decoded = try JSONDecoder().decode(QueryCursor.self, from: Data(sealed.utf8))
        #expect(try store.restricted(to: "dr").query(Condition.self).after(decoded).ids() == ["own", "foreign", "second"])
        #expect(try store.restricted(to: "dr").read { try $0.query(Condition.self).after(decoded).count() } == 3)
        // It is of no use elsewhere, and others are of no use here.
        #expect(throws: FHIRStoreError.self) { try store.query(Condition.self).after(decoded).ids() }
        #expect(throws: FHIRStoreError.self) { try store.restricted(to: "nurse").query(Condition.self).after(decoded).ids() }
        #expect(throws: FHIRStoreError.self) { try view.query(Condition.self).after(open.next).ids() }
        #expect(throws: FHIRStoreError.self) { try filled([]).restricted(to: "dr").query(Condition.self).after(decoded).ids() }
        var pages = view.query(Condition.self).pages(of: 2)
        var ids: [[String]] = []
        while let page = try pages.next() { ids.append(page.compactMap(\.id)) }
        #expect(ids == [["relative", "version"], ["own", "foreign"], ["second"]])
    }

    @Test func cursorsOfSearchesInAViewRevealNoNumbers() throws {
        let store = try filled([AccessRule(.permit, to: ["dr"], types: ["Condition"])])
        let view = store.restricted(to: "dr")
        var address: String? = "Condition?_sort=-_id&_count=2"
        var ids: [[String]] = []
        var addresses: [String] = []
        while let next = address {
            let result = try view.search(next)
            ids.append(result.matches.compactMap(\.id))
            address = result.nextAddress
            if let address { addresses.append(address) }
        }
        #expect(ids == [["version", "second"], ["relative", "own"], ["foreign"]])
        for address in addresses {
            let encoded = try #require(address.firstMatch(of: #/_cursor=([A-Za-z0-9_\-]+)/#)?.1)
            var base64 = String(encoded).replacing("-", with: "+").replacing("_", with: "/")
            while base64.utf8.count % 4 != 0 { base64 += "=" }
            let cursor = String(decoding: try #require(Data(base64Encoded: base64)), as: UTF8.self)
            #expect(cursor.contains("\"key\":0") && cursor.contains("sealed") && !cursor.contains("relative"), "\(cursor)")
            #expect(throws: FHIRStoreError.self) { try store.search(address) }
        }
        let open = try #require(try store.search("Condition?_sort=-_id&_count=2").nextAddress)
        #expect(throws: FHIRStoreError.self) { try view.search(open) }
    }

    // MARK: - Chains

    /// The conditions of the permissions do not pile up at each step of a chain.
    @Test(arguments: [false, true]) func restrictedChainsAreFollowed(isIndexed: Bool) throws {
        let store = try filled([
            AccessRule(.permit, to: ["dr"], compartments: ["Patient/p1"]),
            AccessRule(.permit, to: ["dr"], types: ["Patient", "Encounter"]),
            AccessRule(.deny, to: ["dr"], types: ["Observation"], sensitivities: ["HIV"]),
            AccessRule(.deny, to: [], compartments: ["Patient/p9"]),
        ])
        try store.write { tx in
            func observation(_ id: String, _ patient: String, _ member: String?, _ label: String = "") throws {
                let members = member.map { #","hasMember":[{"reference":"Observation/\#($0)"}]"# } ?? ""
                let json = #"""
                    {"resourceType":"Observation","id":"\#(id)"\#(label),"status":"final","code":{"text":"x"},
                     "subject":{"reference":"Patient/\#(patient)"}\#(members)}
                    """#
                try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4))
            }
            for number in 0...8 {
                try observation("a\(number)", "p1", number > 0 ? "a\(number - 1)" : nil)
                try observation("z\(number)", "p2", number > 0 ? "z\(number - 1)" : nil)
            }
            let hiv = #","meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"HIV"}]}"#
            try observation("h0", "p1", "a0", hiv)
            try observation("h1", "p1", "h0")
            try observation("m", "p1", "z0")
        }
        if isIndexed { try store.createIndexes(.references) }
        #expect(
            try seen(store, "Observation?has-member.subject:Patient.name=adams").filter { $0.hasPrefix("a") } == (1...8).map { "a\($0)" })
        #expect(try seen(store, "Observation?has-member.subject:Patient.name=adams").contains("h1") == false)
        #expect(try seen(store, "Observation?has-member.subject:Patient.name=zeta") == [])
        for depth in [2, 4, 7] {
            let chain = Array(repeating: "has-member:Observation", count: depth).joined(separator: ".")
            let found = try seen(store, "Observation?\(chain).subject:Patient.name=adams")
            #expect(found == (depth...8).map { "a\($0)" }, "\(depth)")
        }
        #expect(try seen(store, "Patient?_has:Observation:subject:has-member.subject:Patient.name=adams") == ["p1"])
    }
}
