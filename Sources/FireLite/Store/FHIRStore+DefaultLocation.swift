import FireLiteCore
import Foundation

extension FHIRStore {
    /// Opens the store with this name in the app's support folder, and creates it if there is none.
    ///
    /// ```swift
    /// let store = try FHIRStore(release: .r4)
    /// ```
    /// - Parameters:
    ///   - release: the FHIR release of its resources, `.r4` from FireLiteR4.
    ///   - name: the name of the file without its extension. Default: `health`.
    ///   - isInBackups: whether the system's backups of the device include the store, on Apple platforms. Default: true.
    ///   - configuration: as for `init(path:release:configuration:)`.
    /// - Throws: `FHIRStoreError`: `cannotOpen` if there is no such folder and it cannot be created; `invalidArgument` for an invalid name;
    ///   the errors of `init(path:release:configuration:)`.
    public convenience init(
        release: FHIRRelease, name: String = "health", isInBackups: Bool = true, configuration: Configuration = Configuration()
    ) throws {
        let path = try Self.defaultPath(name: name)
        try Self.prepareFolder(URL(fileURLWithPath: path).deletingLastPathComponent(), isInBackups: isInBackups)
        try self.init(path: path, release: release, configuration: configuration)
    }

    /// The path at which `init(release:)` keeps the store with this name: `FireLite/NAME.sqlite` in the user's folder for application support,
    /// which is the app's own if apps are sandboxed (`~/.local/share` on Linux).
    ///
    /// - Throws: `FHIRStoreError`: `cannotOpen` if the system has no such folder; `invalidArgument` for a name that is empty, begins with a dot
    ///   or has a slash.
    public static func defaultPath(name: String = "health") throws -> String {
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/"), !name.utf8.contains(0) else {
            throw FHIRStoreError(
                .invalidArgument, "the name of a store must be a file name without slashes and without a leading dot")
        }
        guard let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first else {
            throw FHIRStoreError(.cannotOpen, "the system has no folder for application support: give a path")
        }
        return support.appendingPathComponent("FireLite", isDirectory: true).appendingPathComponent("\(name).sqlite").path
    }
}
