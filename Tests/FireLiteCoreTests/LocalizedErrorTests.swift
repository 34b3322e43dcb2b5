import FireLiteCore
import FireLiteR4
import Foundation
import Testing

/// Foundation shows the message of an error, and not "The operation could not be completed".
@Suite struct LocalizedErrorTests {
    @Test func localizedDescriptionIsTheMessage() throws {
        let decoding = try #require(decodingError(#"{"resourceType":"Patient","x":1}"#))
        let populating = try #require(throws: FHIRObjectError.self) { try Patient().populate(from: Observation()) }
        for error in [decoding, populating] as [any Error & CustomStringConvertible] {
            #expect(error.localizedDescription == error.description)
            #expect((error as NSError).localizedDescription == error.description)
        }
        #expect(decoding.localizedDescription.hasPrefix("line 1, column "))
        #expect(populating.localizedDescription.contains("pass an object of the same class"))
    }
}
