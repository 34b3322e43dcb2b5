import FireLiteR4
import FireLiteReleases
import FireLiteSearch
import Foundation
import Testing

/// Quantities in SampledData: the search parameters' definitions ask for the bounds of its values, which are compared as those of a Range.
@Suite struct SampledDataTests {
    /// An Observation of R4 with some samples.
    private static func observation(_ id: String, _ members: String, _ unit: String = "") -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"valueSampledData":{"origin":{"value":\#(unit.isEmpty ? "0" : unit)},"period":1,"dimensions":1,\#(members)}}"#
    }

    private static let pressure = #"10,"unit":"mmHg","system":"http://unitsofmeasure.org","code":"mm[Hg]""#

    private func sample() throws -> SearchStore {
        try SearchStore(
            Self.observation("pressure", #""factor":0.1,"data":"1 E 3 5 2""#, Self.pressure),
            Self.observation("narrow", #""data":"200 200.2""#), Self.observation("tenths", #""factor":0.1,"data":"-3 3""#),
            Self.observation("limits", #""lowerLimit":-50,"upperLimit":4000,"data":"L 1e3 U""#),
            Self.observation("within", #""lowerLimit":-9000,"upperLimit":9000,"data":"7000.5 7001 7002.5""#),
            Self.observation("turned", #""factor":-1,"data":"61 63""#), Self.observation("silent", #""data":"E L U E""#),
            #"{"resourceType":"Observation","id":"empty","status":"final","code":{"text":"x"},"valueSampledData":{"origin":{"value":1},"period":1,"dimensions":1}}"#,
            #"{"resourceType":"Observation","id":"plain","status":"final","code":{"text":"x"},"valueQuantity":{"value":10.3}}"#)
    }

    @Test(arguments: [
        // 10 and a tenth of 1 to 5: 10.1 to 10.5.
        ("gt10.4&value-quantity=eb11", ["pressure"]), ("ge10.5&value-quantity=eb20", ["pressure"]),
        ("gt10.5&value-quantity=eb20", []), ("lt10.2&value-quantity=sa5", ["pressure"]), ("le10.1&value-quantity=sa5", ["pressure"]),
        ("lt10.1&value-quantity=sa5", []), ("sa10&value-quantity=eb11", ["pressure", "plain"]), ("sa10.1&value-quantity=eb11", ["plain"]),
        ("sa10&value-quantity=eb10.5", ["plain"]), ("10.3", ["plain"]), ("1e1", ["plain"]), ("ap10.5", ["pressure", "limits", "plain"]),
        // The interval of 200 contains all values, that of 200.1 does not.
        ("200", ["narrow"]), ("200.1", []), ("ap210", ["narrow", "limits"]), ("sa199", ["narrow", "within"]),
        ("ne200&value-quantity=gt100", ["limits", "within"]), ("ne200.1&value-quantity=gt100", ["narrow", "limits", "within"]),
        // A tenth of 3 is 0.3.
        ("ge0.3&value-quantity=eb0.31", ["tenths"]), ("gt0.3&value-quantity=eb0.31", []),
        ("le-0.3&value-quantity=eb1", ["tenths", "turned"]),
        ("sa-0.31&value-quantity=eb1", ["tenths"]),
        // Words for values beyond a limit stand for it.
        ("ge4000&value-quantity=lt6000", ["limits"]), ("gt4000&value-quantity=lt6000", []), ("le-50&value-quantity=ge4000", ["limits"]),
        ("lt-50&value-quantity=gt1000", []),
        // Limits that no value is beyond are no values.
        ("ge7002.5", ["within"]), ("gt7002.5", []), ("sa7000.4", ["within"]), ("sa7000.5", []), ("lt-64", []),
        // A negative factor turns the bounds around.
        ("ge-61&value-quantity=lt-61", ["turned"]), ("lt-63", []), ("le-63", ["turned"]), ("eb-60.9", ["turned"]),
    ]) func boundsOfTheValuesCount(_ value: String, _ ids: [String]) throws {
        #expect(try sample().ids("Observation?value-quantity=" + value) == ids)
    }

    @Test func valuesThatAreNoNumbersCountOnlyByTheirLimits() throws {
        let sample = try sample()
        for prefix in ["", "ne", "gt", "ge", "lt", "le", "sa", "eb", "ap"] {
            let ids = try sample.ids("Observation?value-quantity=\(prefix)1")
            #expect(!ids.contains("silent") && !ids.contains("empty"), "\(prefix)")
        }
        #expect(try sample.ids("Observation?value-quantity:missing=false").count == 9)
    }

    @Test(arguments: [
        ("ge10.5||mm[Hg]", ["pressure"]), ("ge10.5||mmHg", ["pressure"]), ("ge10.5|http://unitsofmeasure.org|mm[Hg]", ["pressure"]),
        // 10.1 to 10.5 mmHg are 1.3466 to 1.3999 kPa.
        ("ge1.399|http://unitsofmeasure.org|kPa", ["pressure"]), ("ge1.401|http://unitsofmeasure.org|kPa", []),
        ("lt1.35|http://unitsofmeasure.org|kPa", ["pressure"]), ("ge1||kPa", []), ("ge1|http://example.org|mm[Hg]", []),
        ("ge1|http://unitsofmeasure.org|kg", []),
    ]) func theUnitIsThatOfTheOrigin(_ value: String, _ ids: [String]) throws {
        #expect(try sample().ids("Observation?value-quantity=" + value) == ids)
    }

    @Test func componentsAndChainsReachSamples() throws {
        let sample = try SearchStore(
            #"""
            {"resourceType":"Observation","id":"c","status":"final","code":{"text":"x"},"component":[
             {"code":{"text":"a"},"valueSampledData":{"origin":{"value":0},"period":1,"dimensions":1,"data":"1 2"}},
             {"code":{"text":"b"},"valueSampledData":{"origin":{"value":100},"period":1,"dimensions":1,"data":"1 2"}}]}
            """#,
            #"{"resourceType":"DiagnosticReport","id":"r","status":"final","code":{"text":"x"},"result":[{"reference":"Observation/c"}]}"#,
            ##"""
            {"resourceType":"DiagnosticReport","id":"k","status":"final","code":{"text":"x"},"result":[{"reference":"#o"}],"contained":[
             {"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},
              "valueSampledData":{"origin":{"value":50},"period":1,"dimensions":1,"data":"1 2"}}]}
            """##)
        #expect(try sample.ids("Observation?component-value-quantity=ge102") == ["c"])
        #expect(try sample.ids("Observation?combo-value-quantity=ge102") == ["c"])
        #expect(try sample.ids("Observation?component-value-quantity=gt102") == [])
        // Both bounds are those of one component.
        #expect(try sample.ids("Observation?component-value-quantity=2") == [])
        #expect(try sample.ids("Observation?component-value-quantity=1e2") == ["c"])
        #expect(try sample.ids("Observation?value-quantity=ge1") == [])
        #expect(try sample.ids("DiagnosticReport?result.component-value-quantity=ge102") == ["r"])
        #expect(try sample.ids("Observation?_has:DiagnosticReport:result:status=final&component-value-quantity=le1") == ["c"])
        #expect(try sample.ids("Observation?value-quantity=ge52&_contained=true") == ["k"])
        #expect(try sample.ids("Observation?value-quantity=gt52&_contained=true") == [])
    }

    @Test func samplesOfR5AreFoundToo() throws {
        let release = try #require(BundledRelease.named("R5")).release
        let sample = try SearchStore(
            #"""
            {"resourceType":"Observation","id":"a","status":"final","code":{"text":"x"},
             "valueSampledData":{"origin":{"value":1},"interval":1,"intervalUnit":"s","dimensions":1,"factor":2,"data":"3 x 4"}}
            """#, release: release)
        #expect(try sample.ids("Observation?value-quantity=ge9") == ["a"])
        #expect(try sample.ids("Observation?combo-value-quantity=lt7") == [])
        #expect(try sample.ids("Observation?value-quantity=le7") == ["a"])
    }
}
