import FireLiteClient
import FireLiteR4
import Foundation
import Testing

@Suite struct FormatExamples {
    @Test func aClientOfXML() throws {
        let server = try #require(URL(string: "https://fhir.example.org/base"))
        // example TalkingToServers.md
        var configuration = FHIRClient.Configuration()
        configuration.format = .xml
        let client = try FHIRClient(base: server, release: .r4, configuration: configuration)
        // end
        #expect(client.configuration.format == .xml)
    }
}
