import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

@Suite struct HTTPValueTests {
    @Test func namesOfFieldsIgnoreCase() {
        var fields: HTTPFields = ["ETag": "W/\"1\"", "Date": "now"]
        #expect(fields["etag"] == "W/\"1\"" && fields["DATE"] == "now" && fields["Tag"] == nil)
        fields["etag"] = "2"
        #expect(fields.all.map(\.value) == ["now", "2"])
        fields["date"] = nil
        #expect(fields.all.count == 1)
    }

    @Test func parametersAreEncodedAndKeepTheirOrder() {
        let parameters: FHIRParameters = ["name": "Müller & Söhne", "code": "http://loinc.org|1234-5", "_sort": "-date", "name": "a+b=c#"]
        #expect(
            parameters.query
                == "name=M%C3%BCller%20%26%20S%C3%B6hne&code=http://loinc.org%7C1234-5&_sort=-date&name=a%2Bb%3Dc%23")
        #expect((parameters + ["_count": "5"]).all.count == 5)
    }

    @Test func originsAreComparedByTheirParts() throws {
        func origin(_ text: String) -> Origin? { URL(string: text).flatMap { Origin($0) } }
        #expect(origin("https://Example.org/a") == origin("https://example.org:443/b?c"))
        #expect(origin("https://example.org") != origin("http://example.org"))
        #expect(origin("https://example.org") != origin("https://example.org:8443"))
        #expect(origin("https://example.org") != origin("https://example.org.evil.com"))
        #expect(origin("https://example.org@evil.com/") != origin("https://example.org/"))
        #expect(origin("ftp://example.org") == nil && origin("/relative") == nil)
        for host in ["localhost", "127.0.0.1", "127.8.9.1", "[::1]"] { #expect(origin("http://\(host):80/")?.isPrivate == true, "\(host)") }
        for host in ["127.evil.com", "127.0.0.1.evil.com", "localhost.evil.com", "10.0.0.1", "1270.0.0.1"] {
            #expect(origin("http://\(host)/")?.isPrivate == false, "\(host)")
        }
    }

    @Test func waitingTimesAreSecondsOrDates() {
        let now = Date(timeIntervalSince1970: 784_111_777)
        #expect(HTTPDate.date("Sun, 06 Nov 1994 08:49:37 GMT") == now)
        #expect(HTTPDate.retryAfter("120", now: now) == .seconds(120))
        #expect(HTTPDate.retryAfter("Sun, 06 Nov 1994 08:50:37 GMT", now: now) == .seconds(60))
        #expect(HTTPDate.retryAfter("Sun, 06 Nov 1994 08:00:00 GMT", now: now) == .seconds(0))
        #expect(HTTPDate.retryAfter("99999999999", now: now) == .seconds(31_536_000))
        for wrong in ["", "-5", "soon", nil] { #expect(HTTPDate.retryAfter(wrong, now: now) == nil) }
    }

    @Test func versionsInEntityTags() {
        #expect(FHIRRequest.version(inEntityTag: "W/\"12\"") == "12")
        #expect(FHIRRequest.version(inEntityTag: "\"12\"") == "12")
        for wrong in ["12", "W/12", "\"\"", "", nil] { #expect(FHIRRequest.version(inEntityTag: wrong) == nil) }
    }

    @Test func locationsOfResources() {
        let full = ResourceLocation("https://example.org/fhir/Patient/12/_history/3")
        #expect(full?.typeName == "Patient" && full?.id == "12" && full?.version == "3")
        #expect(ResourceLocation("Patient/12")?.version == nil && ResourceLocation("Patient/12")?.id == "12")
        #expect(ResourceLocation("Patient") == nil && ResourceLocation("https://example.org/x/y") == nil && ResourceLocation(nil) == nil)
    }

    @Test func bodiesArePiecesInOrder() async throws {
        let body = HTTPBody(Data("abc".utf8))
        #expect(try await body.collected() == Data("abc".utf8))
        #expect(try await body.collected().isEmpty)
        await #expect(throws: HTTPTransportError.self) { try await HTTPBody(Data(count: 11)).collected(upTo: 10) }
    }

    @Test func descriptionsShowNoContent() throws {
        let url = address("https://example.org/fhir/Patient?name=Smith")
        let request = HTTPRequest(.get, url, fields: ["Authorization": "Bearer abc"], body: Data("secret".utf8))
        #expect("\(request)" == "GET https://example.org")
        var text = ""
        dump(request, to: &text)
        dump(HTTPResponse(200, fields: ["Set-Cookie": "abc"], body: Data("Smith".utf8)), to: &text)
        dump(FHIRRequest(.put, "Patient/smith", fields: ["If-None-Exist": "name=Smith"], body: Data("Smith".utf8)), to: &text)
        dump(Secret("abc"), to: &text)
        dump(AccessToken(Secret("abc"), refreshToken: Secret("Smith")), to: &text)
        #expect(!text.contains("Smith") && !text.contains("smith") && !text.contains("abc"), "\(text)")
        #expect("\(FHIRRequest(.put, "Patient/smith"))" == "PUT Patient" && "\(FHIRRequest(.post, ""))" == "POST")
    }

    @Test func stringsInJSONAreEscaped() throws {
        for text in ["a\"b\\c\n\u{1}ü/", "", "ü", "\"", "\\", "\u{0}", "\u{1F}", " !#[]\u{7F}", "Patient/1"] {
            #expect(try JSONDecoder().decode([String].self, from: Data("[\(JSONText.string(text))]".utf8)) == [text])
        }
    }
}
