import FireLite
import FireLiteBrowser
import FireLiteR4
import Testing

// example BrowsingAStore.md
func page(of store: FHIRStore) async throws -> String {
    let browser = StoreBrowser(store: store)
    let response = await browser.respond(to: ServiceRequest(.get, "/browse/Patient?gender=female"))
    return String(decoding: try await response.data(), as: UTF8.self)
}
// end

@Suite struct BrowsingExamples {
    @Test func aPageIsAnswered() async throws {
        let text = try await page(of: try FHIRStore.inMemory(release: .r4))
        #expect(text.contains("<h1>Patient</h1>"))
    }
}
