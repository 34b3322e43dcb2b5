import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// `resolve`, `refers`, `target` and `isReferred` follow the same references, with an index on them and without.
@Suite(.soundStores) struct ReferenceAgreementTests {
    private static let uuid = "c757873d-ec9a-4326-a141-556f43239520"
    private static let givenPK = "0f0e0d0c-0b0a-4909-8807-060504030201"
    private static let long = String(repeating: "a", count: 64)
    /// The ids of the stored patients; one has none.
    private static let ids: [String?] = ["1", "a.B-3", uuid, long, nil, long + "a", "a_b", "1\u{0}x", "_history", "é"]

    private static let plain = [
        "Patient/1", "Patient/a.B-3", "Patient/\(long)", "Patient/\(long)a", "Patient/a_b", "Patient/_history", "Patient/é", "Patient/",
        "Patient", "patient/1", "PATIENT/1", "MadeUp/1", "Group/1", "Patient/1/", "/Patient/1", "x/Patient/1", "Patient//1", "Patient/1#x",
        "Patient/1?x", "Patient?identifier=1", "Patient/ 1", "Patient/1 ", " Patient/1", "Patient/1\u{0}x", "Patient/1\u{0}",
        "Patient\u{0}/1",
        "Patient/\u{301}1", "Patient/1\u{301}", "", "#1", "#", "1", "Pa%/1", "Patient/1' OR 1=1 --",
    ]
    private static let versions = [
        "Patient/1/_history/2", "Patient/1/_history/", "Patient/1/_history", "Patient/_history/1", "Patient/_history/_history/1",
        "Patient/1/_history/2/_history/3", "Patient/1/_history/a_b", "Patient/1/_History/2", "Patient/1/_history/2\u{0}",
        "Patient/a.B-3/_history/1.0", "Patient/2/_history/1", "_history/1/_history/1", "Patient/1/_history/\(long)",
        "Patient/1/_history/\(long)a", "Patient/1\u{0}x/_history/1",
    ]
    private static let bases = [
        "http://example.org/", "https://example.org/fhir/", "https://example.org:8080/a/b/", "HTTP://example.org/", "Https://example.org/",
        "ftp://example.org/", "http://", "http:///", "http:/x/", "http://Group/", "httpx://example.org/", "http://example.org//",
        "http://example.org/Patient/", "https://u:p@example.org/", "http://example.org/?x=/", "http://example.org/#/", "http",
        "file:///", "urn:x/", "://x/", "http://exämple.org/", "http://example.org/_history/",
    ]
    /// Those of the bases that the store is told, without the slash at their end.
    private static let known = [
        "http://example.org", "https://example.org:8080/a/b", "https://u:p@example.org", "http://example.org/Patient",
    ]
    private static let uuids = [
        "urn:uuid:\(uuid)", "urn:uuid:\(uuid.uppercased())", "URN:UUID:\(uuid)", "urn:uuid:\(givenPK)", "urn:uuid:1", "urn:uuid:",
        "urn:uuid",
        "urn:uuid:\(uuid)0", "urn:uuid:\(uuid)\u{0}", "urn:oid:1.2.3", "Patient/\(uuid)", "urn:uuid:Patient/1", "urn:uuid:\(long)",
    ]
    private static var forms: [String] {
        plain + versions + uuids + bases.flatMap { base in ["Patient/1", "Patient/1/_history/2"].map { base + $0 } }
    }

    /// The ids and pks that a reference to a patient names, by the rule as FHIR writes it, free of the library's code.
    private static func names(_ text: String, _ known: [String]) throws -> [String] {
        let id = "[A-Za-z0-9.\\-]{1,64}"
        let literal = try NSRegularExpression(pattern: "\\A(https?://[^/?#][^?#]*/)?Patient/(\(id))(/_history/\(id))?\\z")
        let range = NSRange(location: 0, length: text.utf16.count)
        if let match = literal.firstMatch(in: text, range: range) {
            let base = match.range(at: 1)
            // Under any other address it is somebody else's.
            if base.location != NSNotFound, !known.contains(String((text as NSString).substring(with: base).dropLast())) { return [] }
            return [(text as NSString).substring(with: match.range(at: 2))]
        }
        let uuid = try NSRegularExpression(pattern: "\\Aurn:uuid:([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})\\z")
        return uuid.firstMatch(in: text, range: range).map { [(text as NSString).substring(with: $0.range(at: 1))] } ?? []
    }

    private func check(
        _ store: FHIRStore, _ forms: [String], _ patients: [(id: String?, pk: String)], _ known: [String], isIndexed: Bool
    ) throws {
        let observations = store.query(Observation.self)
        for (number, text) in forms.enumerated() {
            let name = "o\(number)"
            let one = observations.where { $0.id == name }
            let names = try Self.names(text, known)
            let isUUID = text.hasPrefix("urn:uuid:")
            let expected = patients.filter { names.contains($0.id ?? "") || isUUID && names.contains($0.pk) }.map(\.pk)
            let comment = "indexed \(isIndexed), bases \(known.count): \(text.debugDescription)"
            let resolved = try #require(try one.first()).subject?.resolve(in: store)
            #expect(resolved.map { [$0.pk] } ?? [] == expected, "resolve, \(comment)")
            for patient in patients {
                let isExpected = expected.contains(patient.pk)
                let object = try #require(try store.resource(Patient.self, pk: patient.pk))
                #expect(try one.where { $0.subject.refers(to: object) }.exists() == isExpected, "refers, \(comment)")
                if let id = patient.id {
                    let isNamed = try one.where { $0.subject.refers(to: Patient.self, id: id) }.exists()
                    #expect(isNamed == names.contains(id), "by id, \(comment)")
                }
            }
            // As what sorts out; what leads is looked at for all at once.
            let isFollowed = try one.where { $0.subject.target(Patient.self).exists }.exists()
            #expect(isFollowed == !expected.isEmpty, "target, \(comment)")
            let isFollowedInList = try one.where { $0.performer.target(Patient.self).exists }.exists()
            #expect(isFollowedInList == !expected.isEmpty, "target in a list, \(comment)")
        }
        for patient in patients {
            let wanted = try forms.indices.filter { number in
                let names = try Self.names(forms[number], known)
                return names.contains(patient.id ?? "") || forms[number].hasPrefix("urn:uuid:") && names.contains(patient.pk)
            }.map { "o\($0)" }
            let object = try #require(try store.resource(Patient.self, pk: patient.pk))
            #expect(try observations.where { $0.subject.refers(to: object) }.ids() == wanted, "refers, indexed \(isIndexed)")
            #expect(try observations.where { $0.performer.refers(to: object) }.ids() == wanted, "refers in a list, indexed \(isIndexed)")
            let family = "f\(patient.pk)"
            #expect(
                try observations.where { $0.subject.target(Patient.self).any { $0.name.family == family } }.ids() == wanted,
                "target, indexed \(isIndexed), \(patient.id.debugDescription)")
            #expect(
                try observations.where { $0.performer.target(Patient.self).any { $0.name.family == family } }.ids() == wanted,
                "target in a list, indexed \(isIndexed), \(patient.id.debugDescription)")
            // Each reference by itself, from the patient's side: found by the one that refers, and looked up from the patient.
            let patients = store.query(Patient.self)
            for number in forms.indices.prefix(wanted.isEmpty ? 0 : forms.count) {
                let name = "o\(number)"
                let isWanted = wanted.contains(name)
                let found = try patients.where { $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.id == name } }.pks()
                #expect(found.contains(patient.pk) == isWanted, "isReferred, indexed \(isIndexed), \(forms[number].debugDescription)")
            }
            let referred = patients.where { $0.name.family == family && $0.isReferred(from: Observation.self, by: { $0.subject }) }
            #expect(try referred.exists() == !wanted.isEmpty, "isReferred as what sorts out, indexed \(isIndexed)")
        }
    }

    private func filled(_ forms: [String], _ known: [String]) throws -> (FHIRStore, [(id: String?, pk: String)]) {
        var configuration = FHIRStore.Configuration()
        configuration.bases = Array(known.prefix(2))
        let store = try freshStore(configuration)
        for base in known.dropFirst(2) { try store.addBase(base + "/") }
        var patients: [(id: String?, pk: String)] = []
        try store.write { transaction in
            for (number, id) in (Self.ids + ["given"]).enumerated() {
                let patient = Patient()
                patient.id = id
                if number == Self.ids.count { patient.pk = Self.givenPK }
                try transaction.add(patient)
                patient.name = [HumanName { $0.family = "f\(patient.pk)" }]
                patients.append((id, patient.pk))
            }
        }
        let all = forms + patients.map { "urn:uuid:\($0.pk)" }
        try store.write { transaction in
            for (number, reference) in all.enumerated() {
                try transaction.add(
                    Observation {
                        $0.id = "o\(number)"
                        $0.subject = Reference { $0.reference = reference }
                        $0.performer = [Reference { $0.display = "none" }, Reference { $0.reference = reference }]
                    })
            }
        }
        return (store, patients)
    }

    private func agree(_ forms: [String], _ known: [String]) throws {
        let (store, patients) = try filled(forms, known)
        let all = forms + patients.map { "urn:uuid:\($0.pk)" }
        for isIndexed in [false, true] {
            if isIndexed { for set in StoreIndexSet.known { try store.createIndexes(set) } }
            try check(store, all, patients, known, isIndexed: isIndexed)
        }
    }

    @Test(arguments: [0, 1, 4]) func everyWayFollowsTheSameForms(bases: Int) throws {
        try agree(Self.forms, Array(Self.known.prefix(bases)))
    }

    /// Pieces of references put together at random, and then a byte taken out, doubled or changed.
    @Test(arguments: Effort.seeds(byDay: 2, atNight: 8)) func everyWayFollowsTheSameRandomForms(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &+ 18_000)
        let pieces = [
            "Patient", "Patient", "Group", "/", "/", "/", "1", "1", "a.B-3", "_history", "_history", "http", "https", "://", "example.org",
            "ftp", "urn:uuid:", Self.uuid, "?", "#", "\u{0}", "é", "H", Self.long,
        ]
        let forms = (0..<(Effort.isNightly ? 60 : 25)).map { _ -> String in
            var text =
                generator.percent(50)
                ? generator.pick(Self.forms) : (0..<generator.int(1...9)).map { _ in generator.pick(pieces) }.joined()
            guard generator.percent(40), !text.isEmpty else { return text }
            var scalars = Array(text.unicodeScalars)
            let place = generator.int(0...scalars.count - 1)
            switch generator.int(0...2) {
            case 0: scalars.remove(at: place)
            case 1: scalars.insert(scalars[place], at: place)
            default: scalars[place] = generator.pick(["/", "1", "A", "_", "\u{0}", " "])
            }
            text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            return text
        }
        try agree(forms, Array(Self.known.prefix(Int(seed % 5))))
    }
}
