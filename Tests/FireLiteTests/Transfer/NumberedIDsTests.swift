import FireLiteR4
import FireLiteReleases
import FireLiteSynthetic
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// A population whose types share their ids is stored whole, with classes and without.
@Suite(.soundStores) struct NumberedIDsTests {
    @Test(arguments: [false, true]) func aPopulationOfSharedIDsComesInWhole(isData: Bool) throws {
        let folder = try TemporaryFolder()
        let lines = SyntheticPatients(count: Effort.isNightly ? 25 : 8, seed: 9, includesClaims: true, ids: .numbers).map {
            FHIRJSON.string($0)
        }
        let release = isData ? try #require(BundledRelease.named("R4")).release : FHIRRelease.r4
        let store = try freshStore(release: release)
        let url = URL(fileURLWithPath: try folder.write("all.ndjson", lines.joined(separator: "\n")))
        #expect(try store.importResources(from: url).counts == ImportCounts(added: lines.count))
        #expect(try store.contents() == Set(lines))
        // All of them twice, and some changed, in another order.
        var random = SeededGenerator(seed: 9)
        let changed = lines.map { line in
            random.percent(20) ? line.replacingOccurrences(of: "\"status\":\"final\"", with: "\"status\":\"amended\"") : line
        }
        let text = (lines + changed.shuffled(using: &random)).joined(separator: "\n")
        let again = URL(fileURLWithPath: try folder.write("again.ndjson", text))
        let counts = try store.importResources(from: again).counts
        #expect(counts.added == 0 && counts.stored + counts.superseded == 2 * lines.count)
        #expect(try store.contents() == Set(changed))
    }
}
