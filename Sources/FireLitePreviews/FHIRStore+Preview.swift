import FireLite
import FireLiteR4
import FireLiteSynthetic
import Foundation

extension FHIRStore {
    /// A store in memory with synthetic patients, for previews and tests: the same resources with the same ids for the same seed.
    ///
    /// ```swift
    /// let store = try FHIRStore.preview(patients: 3, seed: 7)
    /// ```
    /// - Parameters:
    ///   - patients: the number of patients, each with about 40 other resources.
    ///   - seed: the seed of the random numbers.
    ///   - clock: the store's clock. Default: the system's.
    /// - Throws: `FHIRStoreError`.
    public static func preview(patients: Int = 10, seed: UInt64 = 1, clock: FHIRClock = .system) throws -> FHIRStore {
        var configuration = Configuration()
        configuration.clock = clock
        let store = try FHIRStore(path: ":memory:", release: .r4, configuration: configuration)
        let resources = Array(SyntheticPatients(count: patients, seed: seed))
        try store.write { tx in _ = try tx.upsert(resources) }
        return store
    }

    /// A store in memory with the resources of files in a bundle: NDJSON, JSON or XML, also compressed.
    ///
    /// - Parameters:
    ///   - names: the names of the files, with their extensions.
    ///   - bundle: the bundle. In a test target of a package that is `.module`.
    ///   - release: the FHIR release of the files. Default: R4.
    ///   - clock: the store's clock. Default: the system's.
    /// - Throws: `CocoaError.fileNoSuchFile` if the bundle has no such file; errors of `importResources(from:options:progress:)`.
    public static func preview(
        fixtures names: [String], in bundle: Foundation.Bundle, release: FHIRRelease = .r4, clock: FHIRClock = .system
    ) throws -> FHIRStore {
        var configuration = Configuration()
        configuration.clock = clock
        let store = try FHIRStore(path: ":memory:", release: release, configuration: configuration)
        let urls = try names.map { name in
            guard let url = bundle.url(forResource: name, withExtension: nil) else {
                throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
            }
            return url
        }
        try store.importResources(from: urls)
        return store
    }
}
