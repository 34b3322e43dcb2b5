import FireLite
import FireLiteReleases
import Foundation
import TestSupport
import Testing

// example FireLiteReleases.md
func open(_ url: URL) throws -> FHIRStore? {
    guard let release = FHIRRelease.bundled(try FHIRStore.releaseName(ofFileAt: url)) else { return nil }
    return try FHIRStore(path: url.path, release: release)
}
// end

@Suite struct BundledExamples {
    @Test func aFileIsOpenedByItsRelease() throws {
        let folder = try TemporaryFolder()
        let release = try #require(FHIRRelease.bundled("R5"))
        _ = try FHIRStore(path: folder.file("a.sqlite"), release: release)
        #expect(try open(URL(fileURLWithPath: folder.file("a.sqlite")))?.release.name == "R5")
    }
}
