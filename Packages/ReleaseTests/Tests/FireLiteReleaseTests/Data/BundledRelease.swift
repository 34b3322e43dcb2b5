@testable import FireLiteCore

/// A release as data, as `firelite` has it: the texts in `Generated` are those of FireLiteReleases, which does not make them public.
struct BundledRelease: Sendable {
    let name: String
    let layouts: String

    static let all = [dstu2, stu3, r4, r4b, r5]

    static func named(_ name: String) -> BundledRelease? { all.first { $0.name == name } }

    private static let releases = Result { try all.map { try FHIRRelease(uncheckedLayouts: $0.layouts) } }

    /// The release, read from the text without its checks; the same one each time.
    var release: FHIRRelease {
        get throws {
            let releases = try Self.releases.get()
            guard let index = Self.all.firstIndex(where: { $0.name == name }) else { throw Unknown() }
            return releases[index]
        }
    }

    private struct Unknown: Error {}
}
