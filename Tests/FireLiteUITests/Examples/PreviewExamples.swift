import FireLite
import FireLiteClient
import FireLitePreviews
import FireLiteR4
import Testing

// example FireLitePreviews.md
func countsOfThePreview() throws -> Int {
    let store = try FHIRStore.preview(patients: 3, seed: 7)
    return try store.query(Patient.self).count()
}
// end

// example FireLitePreviews.md
func statusOfARefusedRead() async throws -> Int? {
    let server = try PreviewServer(.preview(patients: 1))
    let client = try server.client()
    server.fail(.status(404))
    do {
        _ = try await client.read(Patient.self, id: "1")
        return 200
    } catch let error as FHIRClientError {
        return error.status
    }
}
// end

@Suite struct PreviewExamples {
    @Test func aRefusedReadHasItsStatus() async throws { #expect(try await statusOfARefusedRead() == 404) }

    @Test func aPreviewHasPatients() throws { #expect(try countsOfThePreview() == 3) }
}
