import FireLiteR4
import FireLiteSearch
import Foundation
import Testing

/// The parameters `_filter` and `_query`.
@Suite struct SearchFilterTests {
    private func sample() throws -> SearchStore {
        try SearchStore(
            #"{"resourceType":"Patient","id":"1","active":true,"gender":"male","birthDate":"1970-03-30","name":[{"family":"Müller (Jr)","given":["Peter"]}]}"#,
            #"{"resourceType":"Patient","id":"2","gender":"female","birthDate":"1990","name":[{"family":"Petersen, A"}]}"#,
            #"{"resourceType":"Patient","id":"3","identifier":[{"system":"urn:a","value":"x"}]}"#,
            #"""
            {"resourceType":"Observation","id":"o1","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"1"}]},
             "subject":{"reference":"Patient/1"},"effectivePeriod":{"start":"2020-01-01","end":"2020-01-20"},"valueQuantity":{"value":5}}
            """#,
            #"{"resourceType":"Observation","id":"o2","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/2"}}"#)
    }

    @Test(arguments: [
        (#"family co "ETERS""#, ["2"]), (#"family eq "muller (jr)""#, ["1"]), (#"family eq "muller""#, []), (#"family sw mull"#, ["1"]),
        (#"family ew "en, a""#, ["2"]), (#"name co pet and birthdate ge 1980"#, ["2"]),
        (#"name co pet or identifier eq urn:a|x"#, ["1", "2", "3"]),
        (#"gender eq male"#, ["1"]), (#"gender ne male"#, ["2"]), (#"gender pr true"#, ["1", "2"]), (#"gender pr false"#, ["3"]),
        (#"not(gender eq male)"#, ["2", "3"]), (#"not (gender eq male) and birthdate lt 2000"#, ["2"]), (#"birthdate eq 1970"#, ["1"]),
        (#"(gender eq male or gender eq female) and family co sen"#, ["2"]),
        (#"gender eq male or gender eq female and family co sen"#, ["1", "2"]), (#"active eq true"#, ["1"]), (#"_id eq 3"#, ["3"]),
        (#"family ne "Petersen, A""#, ["1"]), (#"birthdate gt 1980"#, ["2"]),
    ]) func filtersCompare(_ filter: String, _ ids: [String]) throws {
        #expect(try sample().ids("Patient?_filter=" + (filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")) == ids)
    }

    @Test(arguments: [
        ("subject.name co pet", ["o1", "o2"]), ("subject:Patient.gender eq female", ["o2"]), ("subject re Patient/1", ["o1"]),
        ("code eq http://loinc.org|1", ["o1"]), ("date po 2020-01-15", ["o1"]), ("date po 2021", []), ("value-quantity gt 4", ["o1"]),
        ("value-quantity ap 5.2", ["o1"]), ("subject.birthdate ge 1980 and not(value-quantity pr true)", ["o2"]),
    ]) func filtersFollowReferences(_ filter: String, _ ids: [String]) throws {
        #expect(try sample().ids("Observation?_filter=" + filter) == ids)
        #expect(try sample().ids("Observation?status=final&_filter=" + filter) == ids)
    }

    @Test(arguments: [
        ("gender", SearchError.Code.invalid), ("gender is male", .invalid), ("gender eq", .invalid), ("(gender eq male", .invalid),
        ("gender eq male and", .invalid), ("gender eq male female", .invalid), (#"family eq "x"#, .invalid),
        ("nonsense eq 1", .unknownParameter),
        ("gender co ma", .notSupported), ("link[type eq refer].other re Patient/1", .notSupported), ("gender:not eq male", .invalid),
        ("birthdate eq soon", .invalid), ("gender pr maybe", .invalid), (String(repeating: "(", count: 60), .invalid),
    ]) func mistakesNameTheirKind(_ filter: String, _ code: SearchError.Code) throws {
        let error = try sample().error("Patient?_filter=" + filter)
        #expect(error?.code == code)
        #expect(error?.operationOutcome.contains(#""severity":"error""#) ?? false)
    }

    @Test func queriesAreNotKnown() throws {
        let error = try #require(try sample().error("Patient?_query=current"))
        #expect(error.code == .notSupported && error.operationOutcome.contains(#""code":"not-supported""#))
        #expect(!error.description.contains("current"))
    }
}
