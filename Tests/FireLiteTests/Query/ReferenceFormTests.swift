import FireLiteR4
import Testing

@testable import FireLite

/// Every form of a reference to a stored resource is followed, with an index on the references and without.
@Suite(.soundStores) struct ReferenceFormTests {
    private static let followed = [
        "Patient/p", "Patient/p/_history/2", "https://example.org/fhir/Patient/p", "http://example.org/Patient/p/_history/7",
        "https://example.org/Group/Patient/p",
    ]
    private static let others = [
        "Patient/q", "Patient/q/_history/p", "Patient/pp", "Group/p", "https://example.org/Patient/pp", "https://example.org/XPatient/p",
        "https://example.org/Patient/p/x", "https://example.org/p", "Patient/", "Patient", "#p", "urn:uuid:p",
        "https://example.org/Group/p/_history/p", "http://other.example/fhir/Patient/p", "https://example.org/fhir/x/Patient/p", "http://",
        "Patient/p?x=1", "x/Patient/p",
    ]

    private static let bases = ["https://example.org/fhir", "http://example.org", "https://example.org/Group"]

    private func filled(_ isIndexed: Bool, bases: [String] = bases) throws -> FHIRStore {
        let store = try freshStore()
        for base in bases { try store.addBase(base) }
        try store.write { transaction in
            for (id, date) in [("p", "1960-01-01"), ("q", "1980-01-01"), ("r", "1990-01-01")] {
                try transaction.add(
                    Patient {
                        $0.id = id
                        $0.birthDate = FHIRDate(date)
                    })
            }
            for (number, reference) in (Self.followed + Self.others).enumerated() {
                try transaction.add(
                    Observation {
                        $0.id = "o\(number)"
                        $0.status = number % 2 == 0 ? .final : .amended
                        $0.subject = Reference { $0.reference = reference }
                        $0.performer = [Reference { $0.display = "none" }, Reference { $0.reference = reference }]
                    })
            }
            if isIndexed {
                for set in StoreIndexSet.known { try transaction.createIndexes(set, nil, nil) }
            }
        }
        return store
    }

    @Test(arguments: [false, true]) func everyFormIsFollowed(isIndexed: Bool) throws {
        let store = try filled(isIndexed)
        let observations = store.query(Observation.self)
        let expected = Self.followed.indices.map { "o\($0)" }
        let finals = expected.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let patient = try #require(try store.resource(Patient.self, id: "p"))
        #expect(try observations.where { $0.subject.refers(to: patient) }.ids() == expected)
        #expect(try observations.where { $0.performer.refers(to: Patient.self, id: "p") }.ids() == expected)
        #expect(try observations.where { $0.status == .final && $0.subject.refers(to: patient) }.ids() == finals)
        #expect(try observations.where { $0.subject.target(Patient.self).any { $0.birthDate < "1970" } }.ids() == expected)
        #expect(try observations.where { $0.performer.target(Patient.self).any { $0.birthDate < "1970" } }.ids() == expected)
        // As what sorts out rows that another condition leads to.
        #expect(
            try observations.where { $0.id.in(["o1", "o2", "o6"]) && $0.subject.target(Patient.self).any { $0.birthDate < "1970" } }.ids()
                == ["o1", "o2"])
        #expect(
            try observations.where { $0.id.in(["o1", "o2", "o6"]) && $0.performer.target(Patient.self).exists }.ids() == ["o1", "o2", "o6"])
        #expect(try observations.where { $0.subject.target(Patient.self).none { $0.birthDate < "1985" } }.count() == Self.others.count - 2)
        // What `resolve` finds, for each of them.
        for observation in try observations.all() {
            let isPatient = try observation.subject?.resolve(in: store) is Patient
            let id = try #require(observation.id)
            #expect(try observations.where { $0.id == id && $0.subject.target(Patient.self).exists }.exists() == isPatient, "\(id)")
        }
    }

    @Test(arguments: [false, true], followed.indices) func everyFormIsFollowedBack(isIndexed: Bool, form: Int) throws {
        let store = try filled(isIndexed)
        try store.query(Observation.self).where { $0.id != "o\(form)" }.delete()
        let patients = store.query(Patient.self)
        #expect(try patients.where { $0.isReferred(from: Observation.self, by: { $0.subject }) }.ids() == ["p"])
        #expect(try patients.where { $0.isReferred(from: Observation.self, by: { $0.performer }) }.ids() == ["p"])
        #expect(try patients.where { !$0.isReferred(from: Observation.self, by: { $0.subject }) }.ids() == ["q", "r"])
        #expect(try patients.where { $0.id == "p" && $0.isReferred(from: Observation.self, by: { $0.subject }) }.ids() == ["p"])
        #expect(try patients.where { $0.id == "q" && $0.isReferred(from: Observation.self, by: { $0.performer }) }.ids() == [])
        let wanted: ObservationStatus = form % 2 == 0 ? .final : .amended
        #expect(try patients.where { $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.status == wanted } }.ids() == ["p"])
        #expect(try patients.where { $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.status != wanted } }.ids() == [])
    }

    /// Ids and pks are only ever bound, whatever is in them.
    @Test(arguments: [false, true]) func hostileKeysAreOnlyBound(isIndexed: Bool) throws {
        let store = try filled(isIndexed)
        let observations = store.query(Observation.self)
        for text in ["' OR 1=1 --", "x'/y", "'/' OR 1", "a/b/c"] {
            #expect(try observations.where { $0.subject.refers(to: Patient.self, id: text) }.ids() == [])
            let patient = Patient()
            patient.pk = text
            #expect(try observations.where { $0.subject.refers(to: patient) }.ids() == [])
        }
    }

    /// No table is gone through for it: of the references only those to the targets, and the absolute URLs, are read.
    @Test func anIndexStillLeads() throws {
        let store = try filled(true, bases: ["https://example.org/fhir"])
        let observations = store.query(Observation.self)
        let patient = try #require(try store.resource(Patient.self, id: "p"))
        let plans = try [
            observations.where { $0.subject.refers(to: patient) }.explain(),
            observations.where { $0.subject.target(Patient.self).any { $0.id == "p" } }.explain(),
            observations.where { $0.performer.target(Patient.self).any { $0.id == "p" } }.explain(),
            store.query(Patient.self).where { $0.id == "p" && $0.isReferred(from: Observation.self, by: { $0.subject }) }.explain(),
        ]
        for plan in plans {
            let scans = plan.split(separator: "\n").map { $0.drop { $0 == " " } }.filter {
                $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN found_")
            }
            #expect(scans.isEmpty, "\(plan)")
            #expect(plan.contains("reference>? AND ") && plan.contains("reference=?"), "\(plan)")
        }
    }
}
