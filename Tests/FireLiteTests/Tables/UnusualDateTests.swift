import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Dates that tables cannot keep in UTC, and text that lenient reading lets through as a date.
@Suite struct UnusualDateTests {
    /// Literals whose UTC form leaves the years 1 to 9999, and some at the limit that stay inside.
    static let extremes = [
        "9999-12-31T23:59:59-05:00", "9999-12-31T23:59:59.5-00:01", "9999-12-31T10:00:00.123-14:00", "9999-12-31T10:00:00.123456-14:00",
        "0001-01-01T00:00:00+01:00", "0001-01-01T13:59:59.999+14:00", "0001-01-01T13:59:59.99999+14:00", "9999-12-31T23:59:59+00:00",
        "9999-12-31T23:59:59Z", "9999-12-31T23:59:60Z", "0001-01-01T00:00:00-00:00", "0001-01-01T01:00:00+01:00",
    ]

    /// Text that is no literal of one or all of the types.
    static let invalid = [
        "2020-01-01T00:00:00", "2020-01-01T00:00:00.5", "2020-01-01T00:00:00.123456", "2020-01-01T10:00", "2020-01-01T00:00:00.25+05:00",
        "2020-01-01T00:00:00.123456+05:00", "2020-01-01T00:00:00Z", "2020-01-01", "2020-01", "2020", "12:30:00", "12:30:00.123456",
        "20200101", "2020-02-30", "2020-02-30T00:00:00.123456Z", "yesterday", "9999-12-31T23:59:59.123456-05:00",
        "2020-01-01T00:00:00+15:00", " 2020",
    ]

    private func json(_ literal: String) -> String {
        """
        {"resourceType":"Observation","id":"o","meta":{"lastUpdated":"\(literal)"},"status":"final","code":{"text":"c"},\
        "effectiveDateTime":"\(literal)","performer":[{"identifier":{"period":{"start":"\(literal)","end":"\(literal)"}}}],\
        "valueTime":"\(literal)"}
        """
    }

    private func expectKept(_ json: String, _ literal: String) throws {
        for verifies in [true, false] {
            try withTemporaryFolder { folder in
                var configuration = FHIRStore.Configuration()
                configuration.verifiesContent = verifies
                let store = try FHIRStore(path: folder + "/store.sqlite", release: .r4, configuration: configuration)
                let resource = try FHIRJSON.lenientResource(from: Data(json.utf8), release: .r4).resource
                let text = FHIRJSON.string(resource)
                try store.write { tx in _ = try tx.upsert(resource) }
                let fetched = try #require(try store.resource(typeName: resource.resourceType, id: "o"))
                #expect(FHIRJSON.string(fetched) == text)
                #expect(fetched == resource)
                let again = try FHIRJSON.lenientResource(from: Data(json.utf8), release: .r4).resource
                #expect(try store.write { tx in try tx.upsert([again]).unchanged } == 1)
                if resource is Observation {
                    let values = try store.query(Observation.self).values(\.effectiveDateTime)
                    #expect(values.first??.literal == (again as? Observation)?.effectiveDateTime?.literal)
                }
                try expectSound(store)
            }
        }
    }

    @Test(arguments: extremes) func datesAtTheEndsOfTheCalendarAreKept(literal: String) throws {
        try expectKept(json(literal).replacingOccurrences(of: ",\"valueTime\":\"\(literal)\"", with: ""), literal)
    }

    @Test(arguments: invalid + extremes) func textThatIsNoDateIsKept(literal: String) throws {
        try expectKept(json(literal), literal)
        try expectKept(
            """
            {"resourceType":"Patient","id":"o","birthDate":"\(literal)","deceasedDateTime":"\(literal)","_birthDate":{"id":"b"}}
            """, literal)
        try expectKept(
            """
            {"resourceType":"ServiceRequest","id":"o","occurrenceTiming":{"event":["\(literal)","2020-01-01","\(literal)"],
            "repeat":{"timeOfDay":["\(literal)"]}},"status":"active","intent":"order","subject":{"display":"s"}}
            """, literal)
    }
}
