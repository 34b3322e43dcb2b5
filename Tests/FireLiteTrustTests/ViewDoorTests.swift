import FireLiteR4
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// Every call through which a restricted view could show, count or hint at what it hides, one test for each.
@Suite struct ViewDoorTests {
    /// A store of which `dr` may see Patient/1 and what is about it, and every Observation. Patient/2, the Conditions and the List are hidden.
    private struct House {
        let store: FHIRStore
        let owner: SigningIdentity
        var view: RestrictedStore { store.restricted(to: "dr") }

        init() throws {
            store = try FHIRStore.inMemory(release: .r4)
            owner = SigningIdentity(id: "owner", key: try PrivateKey())
            let identity = Identity(id: "owner", authority: .everything, keys: [.init(owner.key.publicKey, from: .distantPast)])
            try store.track(.history)
            try store.write { tx in
                try tx.setIdentity(identity)
                for json in Self.resources { try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }
                let rules = [
                    AccessRule(.permit, to: ["dr"], types: ["Patient"], compartments: ["Patient/1"]),
                    AccessRule(.permit, to: ["dr"], types: ["Observation"]),
                    AccessRule(.deny, to: [], sensitivities: ["HIV"]),
                ]
                for (number, rule) in rules.enumerated() {
                    try tx.grant(AccessPermission(id: "p\(number)", grantor: "owner", rule: rule), signedBy: owner)
                }
            }
        }

        private static let resources = [
            #"{"resourceType":"Patient","id":"1","active":true,"name":[{"family":"Adams"}],"birthDate":"1980-01-01"}"#,
            #"{"resourceType":"Patient","id":"2","active":true,"name":[{"family":"Zeta"}],"birthDate":"1930-01-01"}"#,
            #"{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"}}"#,
            #"{"resourceType":"Observation","id":"o2","status":"final","code":{"text":"y"},"subject":{"reference":"Patient/2"}}"#,
            #"{"resourceType":"Condition","id":"c1","code":{"text":"gout"},"subject":{"reference":"Patient/1"}}"#,
            #"{"resourceType":"List","id":"l1","status":"current","mode":"working","entry":[{"item":{"reference":"Observation/o1"}}]}"#,
        ]

        /// Hides an Observation by a label.
        func hide(_ id: String) throws {
            try store.write { tx in
                try tx.resource(Observation.self, id: id)?.meta = Meta {
                    $0.security = [
                        Coding {
                            $0.system = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
                            $0.code = "HIV"
                        }
                    ]
                }
            }
        }

        func matches(_ address: String) throws -> [String] { try view.search(address).matches.compactMap(\.id) }
    }

    // MARK: - Contained resources

    @Test func whatHiddenResourcesContainIsHidden() throws {
        let house = try House()
        func observation(_ id: String, _ more: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/2"}\#(more)}"#
        }
        func container(_ id: String, _ inner: String) -> String {
            observation(id, ##","hasMember":[{"reference":"#\##(inner)"}],"contained":[\##(observation(inner, ""))]"##)
        }
        let condition = ##"""
            {"resourceType":"Condition","id":"c2","code":{"text":"gout"},"subject":{"reference":"Patient/1"},
             "evidence":[{"detail":[{"reference":"#in2"}]}],"contained":[\##(observation("in2", ""))]}
            """##
        try house.store.write { tx in
            for json in [container("o3", "in1"), condition, container("o4", "in3")] {
                try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4))
            }
        }
        try house.hide("o4")
        let search = "Observation?_containedType=contained&_contained="
        #expect(try house.store.search(search + "true").total == 3)
        let result = try house.view.search(search + "true")
        #expect(result.matches.compactMap(\.id) == ["in1"] && result.total == 1)
        #expect(try house.matches(search + "both") == ["o1", "o2", "o3", "in1"])
        // Nor does a condition look at a hidden resource.
        #expect(try house.store.search(search + "true&subject:Patient.family=zeta").total == 3)
        #expect(try house.matches(search + "true&subject:Patient.family=zeta") == [])
    }

    // MARK: - Resources

    @Test func resourcesByIDAreHidden() throws {
        let view = try House().view
        #expect(try view.resource(Patient.self, id: "1") != nil && view.resource(Patient.self, id: "2") == nil)
        #expect(try view.resource(typeName: "Patient", id: "1") != nil && view.resource(typeName: "Patient", id: "2") == nil)
        #expect(try view.resources(Patient.self, ids: ["2", "1"]).compactMap(\.id) == ["1"])
    }

    @Test func resourcesByPKAreHidden() throws {
        let house = try House()
        let pks = try house.store.query(Patient.self).pks()
        let found = try house.view.read { tx in try pks.map { try tx.resource(pk: $0)?.id } }
        #expect(found == ["1", nil])
        #expect(try house.view.query(Patient.self).pks() == [pks[0]])
    }

    @Test func scansHide() throws {
        let view = try House().view
        var ids: [String?] = []
        try view.read { tx in try tx.forEach(Patient.self) { ids.append($0.id) } }
        try view.query(Patient.self).forEach(batch: 2) { ids.append($0.id) }
        try view.query(Patient.self).batches(of: 1) { ids += $0.map(\.id) }
        #expect(ids == ["1", "1", "1"])
    }

    @Test func resultsOfQueriesAreHidden() throws {
        let query = try House().view.query(Patient.self)
        #expect(try query.all().compactMap(\.id) == ["1"])
        #expect(try query.ids() == ["1"])
        #expect(try query.sort { $0.birthDate.ascending }.first()?.id == "1")
        #expect(try query.offset(1).all().isEmpty)
        let page = try query.page(of: 1)
        #expect(page.resources.count == 1 && page.next == nil)
    }

    @Test func countsAndAggregatesAreHidden() throws {
        let view = try House().view
        let query = view.query(Patient.self)
        #expect(try query.count() == 1 && view.count(Patient.self) == 1)
        #expect(try query.where { $0.name.family == "Zeta" }.exists() == false)
        #expect(try query.where { $0.active == true }.count() == 1)
        #expect(try query.distinct { $0.name.family } == ["Adams"])
        #expect(try query.values { $0.name.family } == ["Adams"])
        #expect(try query.min { $0.birthDate } == query.max { $0.birthDate })
        #expect(try query.counts { $0.name.family }.map(\.count) == [1])
        #expect(try view.counts().map { "\($0.typeName) \($0.count)" } == ["Observation 2", "Patient 1"])
    }

    @Test func conditionsOnHiddenResourcesMatchNothing() throws {
        let house = try House()
        #expect(try house.matches("Observation?subject:Patient.name=Zeta").isEmpty)
        #expect(try house.matches("Observation?subject:Patient.name=Adams") == ["o1"])
        #expect(try house.matches("Observation?subject.name=Zeta").isEmpty)
        #expect(try house.matches("Observation?subject:Patient._id=2").isEmpty)
        #expect(try house.matches("Observation?_filter=subject.name eq Zeta".replacing(" ", with: "%20")).isEmpty)
    }

    @Test func hiddenResourcesThatReferMatchNothing() throws {
        let house = try House()
        #expect(try house.matches("Patient?_has:Condition:subject:_id=c1").isEmpty)
        #expect(try house.matches("Patient?_has:Observation:subject:_id=o1") == ["1"])
        #expect(try house.matches("Patient?_has:Observation:subject:_id=o2").isEmpty)
        try house.hide("o1")
        #expect(try house.matches("Patient?_has:Observation:subject:_id=o1").isEmpty)
    }

    @Test func hiddenListsMatchNothing() throws {
        let house = try House()
        #expect(try house.matches("Observation?_list=l1").isEmpty)
        #expect(try house.store.search("Observation?_list=l1").matches.compactMap(\.id) == ["o1"])
    }

    @Test func wordsOfHiddenResourcesMatchNothing() throws {
        let house = try House()
        #expect(try house.matches("Patient?_content=Zeta").isEmpty && house.matches("Patient?name=Zeta").isEmpty)
        try house.store.createFullTextIndex(Patient.self) { [$0.name.family] }
        #expect(try house.store.search("Patient?_content=Zeta").matches.compactMap(\.id) == ["2"])
        #expect(try house.matches("Patient?_content=Zeta").isEmpty && house.matches("Patient?_content=Adams") == ["1"])
        #expect(try house.matches("Observation?subject:Patient._content=Zeta").isEmpty)
    }

    @Test func includedResourcesAreHidden() throws {
        let view = try House().view
        func included(_ address: String) throws -> [String] { try view.search(address).included.compactMap(\.id).sorted() }
        #expect(try included("Observation?_include=Observation:subject") == ["1"])
        #expect(try included("Observation?_include=*") == ["1"])
        #expect(try included("Observation?_include:iterate=Observation:subject&_revinclude:iterate=Condition:subject") == ["1"])
        #expect(try included("Patient?_revinclude=Condition:subject").isEmpty)
        #expect(try included("Patient?_revinclude=Observation:subject") == ["o1"])
    }

    @Test func totalsAndCompartmentsHide() throws {
        let house = try House()
        #expect(try house.view.search("Patient?_total=accurate").total == 1)
        #expect(try house.view.search("Patient?_summary=count").total == 1)
        #expect(try house.matches("Patient/1/Condition").isEmpty)
        // An Observation that the view shows says itself whom it is about.
        #expect(try house.matches("Patient/2/Observation") == ["o2"])
        #expect(try house.matches("Patient/2/Condition").isEmpty)
    }

    @Test func referencesToHiddenResourcesLeadNowhere() throws {
        let house = try House()
        let target = try house.view.read { tx -> FHIRResource? in
            let reference = try tx.resource(Observation.self, id: "o2")?.subject
            return try reference.flatMap { try tx.resolve($0) }
        }
        #expect(target == nil)
    }

    // MARK: - Objects

    @Test func objectsAreRefreshedThroughTheirView() throws {
        let house = try House()
        let view = house.view
        let found: [FHIRResource?] = try [
            view.resource(Observation.self, id: "o1"), view.resource(typeName: "Observation", id: "o1"),
            view.resources(Observation.self, ids: ["o1"]).first, view.query(Observation.self).first(),
            view.query(Observation.self).all().first, view.query(Observation.self).page(of: 1).resources.first,
            view.search("Observation?_id=o1").matches.first, view.search("Patient?_revinclude=Observation:subject").included.first,
        ]
        var objects = found.compactMap { $0 as? Observation }
        let query = view.query(Observation.self).where { $0.code.text == "x" }
        try query.forEach(batch: 2) { objects.append($0) }
        try query.batches(of: 5) { objects += $0 }
        try view.read { tx in
            for object in try [tx.resource(Observation.self, id: "o1"), tx.query(Observation.self).first()] {
                if let object { objects.append(object) }
            }
            try tx.forEach(Observation.self) { if $0.id == "o1" { objects.append($0) } }
        }
        #expect(objects.count == 13)
        try house.store.write { tx in try tx.resource(Observation.self, id: "o1")?.code?.text = "z" }
        for object in objects {
            #expect(try !object.isCurrent && object.refresh() && object.isCurrent && object.code?.text == "z")
        }
        try house.hide("o1")
        for object in objects {
            #expect(try !object.isCurrent && !object.refresh())
            #expect(object.meta == nil)
        }
        // Objects of the store itself are refreshed as before.
        let own = try house.store.resource(Observation.self, id: "o2").unwrapped()
        try house.hide("o2")
        #expect(try own.refresh() && own.meta != nil)
    }

    @Test func aRefreshLeavesARow() throws {
        let house = try House()
        let object = try house.view.resource(Observation.self, id: "o1").unwrapped()
        try house.store.startAudit(by: SigningIdentity(id: "device", key: PrivateKey()))
        #expect(try object.refresh())
        try house.hide("o1")
        #expect(try !object.refresh())
        let accesses = try house.store.read { try $0.auditEntries() }.filter { $0.party.actor == "dr" }.map(\.access)
        #expect(accesses == [AuditAccess(.read, "Observation", id: "o1", version: 1), AuditAccess(.read, "Observation")])
    }

    // MARK: - What a view does not offer

    @Test func theStoreIsNotReadInsideAView() throws {
        let house = try House()
        let (store, view) = (house.store, house.view)
        try view.read { tx in
            let hidden = try store.resource(Patient.self, id: "2")
            let ids = try store.query(Patient.self).ids()
            #expect(hidden == nil && ids == ["1"])
            #expect(throws: FHIRStoreError.self) { try store.read { try $0.history(of: Patient.self, id: "2") } }
            #expect(throws: FHIRStoreError.self) { try store.sql("SELECT count(*) FROM Patient") }
            #expect(throws: FHIRStoreError.self) { try store.read { try $0.newestChange() } }
            #expect(throws: FHIRStoreError.self) { _ = try tx.query(Patient.self).sql }
            #expect(throws: FHIRStoreError.self) { _ = try tx.query(Patient.self).explain() }
        }
        // Afterwards, the store shows all again.
        #expect(try store.query(Patient.self).ids() == ["1", "2"])
    }

    @Test func viewsAreNotObserved() async throws {
        let view = try House().view
        await #expect(throws: FHIRStoreError.self) { for try await _ in view.query(Patient.self).updates() { return } }
        await #expect(throws: FHIRStoreError.self) { for try await _ in view.query(Patient.self).updates(changes: true) { return } }
    }

    /// What is hidden and what does not exist are refused in the same words.
    @Test func errorsDoNotTell() throws {
        let house = try House()
        func text(_ address: String) -> String {
            do {
                let result = try house.view.search(address)
                return "\(result.matches.count) \(result.included.count) \(result.total ?? -1)"
            } catch { return "\(error)" }
        }
        for (hidden, missing) in [
            ("Patient/2/Condition", "Patient/9/Condition"), ("Patient?_id=2", "Patient?_id=9"), ("Condition", "Procedure"),
            ("Observation?_list=l1", "Observation?_list=l9"),
        ] {
            #expect(
                text(hidden).replacing("2", with: "9").replacing("Condition", with: "Procedure")
                    == text(missing).replacing("2", with: "9"))
        }
    }

    // MARK: - What is remembered

    @Test func revocationsCountAtOnce() throws {
        let house = try House()
        #expect(try house.view.query(Observation.self).count() == 2)
        try house.store.write { try $0.revokePermission("p1", signedBy: house.owner) }
        #expect(try house.view.query(Observation.self).count() == 0)
        // In the write itself too, and not after it was rolled back.
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try house.store.write { tx in
                let rule = AccessRule(.permit, to: ["dr"], types: ["Observation"])
                try tx.grant(AccessPermission(grantor: "owner", rule: rule), signedBy: house.owner)
                #expect(try house.view.query(Observation.self).count() == 2)
                #expect(try house.view.read { try $0.count(Observation.self) } == 2)
                throw Stop()
            }
        }
        #expect(try house.view.query(Observation.self).count() == 0)
        #expect(try house.view.read { try $0.count(Observation.self) } == 0)
    }

    @Test func otherConnectionsSeeRevocationsAtOnce() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let store = try FHIRStore(path: path, release: .r4)
        let other = try FHIRStore(path: path, release: .r4)
        let owner = SigningIdentity(id: "owner", key: try PrivateKey())
        try store.write { tx in
            try tx.setIdentity(Identity(id: "owner", authority: .everything, keys: [.init(owner.key.publicKey, from: .distantPast)]))
            try tx.upsert(Patient { $0.id = "1" })
        }
        let (view, otherView) = (store.restricted(to: "dr"), other.restricted(to: "dr"))
        for _ in 0..<3 {
            #expect(try view.count(Patient.self) == 0 && otherView.count(Patient.self) == 0)
            let permission = AccessPermission(grantor: "owner", rule: AccessRule(.permit, to: ["dr"]))
            try store.write { try $0.grant(permission, signedBy: owner) }
            #expect(try view.count(Patient.self) == 1 && otherView.count(Patient.self) == 1)
            try other.write { try $0.revokePermission(permission.id, signedBy: owner) }
        }
    }
}
