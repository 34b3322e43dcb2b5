import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteCore

/// Messages say what form a value has to have and what is wrong with the one there, and never show it.
@Suite struct MessageTests {
    private func message(_ member: String, type: String = "Observation") throws -> String {
        let json = Data("{\"resourceType\":\"\(type)\",\(member)}".utf8)
        let error = try #require(throws: FHIRDecodingError.self) { try FHIRJSON.resource(from: json, release: .r4) }
        return "expected \(error.expected), found \(error.found)"
    }

    private static let dateTime = "a dateTime of the form YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss with Z or an offset like +01:00"
    private static let instant = "an instant of the form YYYY-MM-DDThh:mm:ss with Z or an offset like +01:00"

    @Test(arguments: [
        ("", "an empty string"), (" 2020", "a string with leading or trailing spaces"), ("2020-13", "a date that does not exist"),
        ("2021-02-29", "a date that does not exist"), ("2020-01-01T10:00", "a time without seconds"),
        ("2020-01-01T10:00:00", "a time without Z or an offset"), ("2020-01-01T10:00:00.5", "a time without Z or an offset"),
        ("2020-01-01T25:00:00Z", "a date, time or offset that does not exist"), ("2020-01T10:00:00Z", "a time after a date without a day"),
        ("2020-01-01T10:00:00+0100", "a time without such an offset"),
        ("2020-01-01T10:00:00.Z", "a second with a decimal point but no digits"),
        ("01.02.2020", "a string that does not begin with such a date"), ("2020-1-1", "a string that does not begin with such a date"),
        ("yesterday", "a string that does not begin with such a date"),
        ("2020-01-01 10:00:00Z", "a string that does not begin with such a date"),
        ("2020-01-01T", "a string without such a time"),
    ])
    func messagesOfDateTimesSayTheForm(_ text: String, _ found: String) throws {
        #expect(try message("\"effectiveDateTime\":\"\(text)\"") == "expected \(Self.dateTime), found \(found)")
    }

    @Test func messagesOfDatesInstantsAndTimesSayTheForm() throws {
        let date = "expected a date of the form YYYY, YYYY-MM or YYYY-MM-DD, found "
        #expect(try message("\"birthDate\":\"2020-01-01T00:00:00Z\"", type: "Patient") == date + "a date with a time")
        #expect(try message("\"issued\":\"2020-01-01\"") == "expected \(Self.instant), found a date without a time")
        #expect(try message("\"valueTime\":\"10:00\"") == "expected a time of the form hh:mm:ss, found a time without seconds")
        #expect(try message("\"valueTime\":\"25:00:00\"") == "expected a time of the form hh:mm:ss, found a time that does not exist")
        #expect(try message("\"valueTime\":\"2020\"") == "expected a time of the form hh:mm:ss, found a date")
        #expect(try message("\"valueTime\":\"10:00:00Z\"") == "expected a time of the form hh:mm:ss, found a time with text after it")
    }

    @Test func messagesOfNumbersSayTheRange() throws {
        let positive = "expected a whole number from 1 to 2147483647, found "
        #expect(try message("\"telecom\":[{\"rank\":0}]", type: "Patient") == positive + "a number out of range")
        #expect(try message("\"telecom\":[{\"rank\":1.0}]", type: "Patient") == positive + "a number in another notation")
        #expect(try message("\"telecom\":[{\"rank\":\"1\"}]", type: "Patient") == "expected a number (positiveInt), found a string")
    }

    /// The same words by which a value is refused describe it where it is stored all the same.
    @Test func validationSaysTheForm() throws {
        let patient = Patient { $0.id = "no id" }
        #expect(
            patient.validate().map(\.message) == [
                "needs an id of 1 to 64 letters, digits, hyphens and full stops, has a value in another notation"
            ])
        let (lenient, issues) = try FHIRJSON.lenientResource(
            from: Data(#"{"resourceType":"Patient","birthDate":"1970-13"}"#.utf8), release: .r4)
        #expect(issues.count == 1)
        #expect(
            lenient.validate().map(\.message)
                == ["needs a date of the form YYYY, YYYY-MM or YYYY-MM-DD, has a date that does not exist"])
    }

    /// Whatever is wrong with it, a value is not in the message.
    @Test func noMessageShowsTheValue() throws {
        var generator = SeededGenerator(seed: 15)
        let pieces = ["2020", "-07", "-31", "T", "12:34:56", ".789", "Z", "+09:30", " ", "x", "-", ":", "é", "77"]
        for _ in 0..<2_000 {
            let text = (0..<Int(generator.next() % 7)).map { _ in pieces[Int(generator.next() % UInt64(pieces.count))] }.joined()
            for member in ["effectiveDateTime", "issued", "valueTime"] {
                let json = Data("{\"resourceType\":\"Observation\",\"\(member)\":\"\(text)\"}".utf8)
                do {
                    _ = try FHIRJSON.resource(from: json, release: .r4)
                } catch let error as FHIRDecodingError {
                    let showsDigits = error.found.contains { $0.isNumber }
                    #expect(!showsDigits, "\(error.found)")
                    #expect(!error.found.isEmpty && !error.found.contains("another"))
                }
            }
        }
    }

    @Test func deepPathsAreShort() throws {
        let deep = "{\"resourceType\":\"Patient\"," + String(repeating: "\"extension\":[{", count: 65)
        let error = try #require(throws: FHIRDecodingError.self) { try FHIRJSON.resource(from: Data(deep.utf8), release: .r4) }
        #expect(error.description.count < 200)
        #expect(
            error.description.contains(
                "Patient.extension[0].extension[0].….extension[0].extension[0].extension[0]: expected at most 128 levels"))
    }
}
