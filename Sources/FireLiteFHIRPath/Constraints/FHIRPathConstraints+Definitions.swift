import FireLiteCore
import Foundation

extension FHIRPathConstraints {
    /// The constraints of a release's own definitions, compiled once in a process.
    ///
    /// They come with a release that was read as data (`FHIRRelease(layouts:)`), and with this module for generated classes of STU3, R4, R4B and
    /// R5. DSTU2 has none, as its definitions state them in XPath. Left out is `dom-6`, which recommends a narrative for every resource and would be an issue of most.
    public static func defined(by release: FHIRRelease) -> FHIRPathConstraints { cache.constraints(release) }

    /// The constraints of a release's own definitions, as they are written.
    package static func list(of release: FHIRRelease) -> [FHIRPathConstraint] {
        ReleaseConstraints.lines(of: release).compactMap(constraint)
    }

    private static let cache = Cache()

    /// Recommendations rather than rules.
    private static let recommendations: Set<Substring> = ["dom-6"]

    private static func constraint(_ line: Substring) -> FHIRPathConstraint? {
        let parts = line.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, !recommendations.contains(parts[1]) else { return nil }
        return FHIRPathConstraint(
            path: String(parts[0]), key: String(parts[1]), severity: parts[2] == "error" ? .error : .warning, expression: String(parts[3]))
    }

    /// `@unchecked Sendable`: `lock` guards `known`.
    private final class Cache: @unchecked Sendable {
        private let lock = NSLock()
        private var known: [FHIRRelease: FHIRPathConstraints] = [:]

        func constraints(_ release: FHIRRelease) -> FHIRPathConstraints {
            lock.lock()
            defer { lock.unlock() }
            if let constraints = known[release] { return constraints }
            let list = FHIRPathConstraints.list(of: release)
            let constraints = FHIRPathConstraints(
                list, release: release, resourceIsContainer: !list.contains { $0.expression.contains("%rootResource") })
            known[release] = constraints
            return constraints
        }
    }
}
