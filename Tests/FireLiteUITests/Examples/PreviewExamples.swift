import FireLite
import FireLitePreviews
import FireLiteR4
import Testing

// example FireLitePreviews.md
func countsOfThePreview() throws -> Int {
    let store = try FHIRStore.preview(patients: 3, seed: 7)
    return try store.query(Patient.self).count()
}
// end

@Suite struct PreviewExamples {
    @Test func aPreviewHasPatients() throws { #expect(try countsOfThePreview() == 3) }
}
