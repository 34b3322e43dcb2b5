import FireLiteCore
import Foundation

extension FHIRStore {
    /// When the files of a store can be read, on iOS, iPadOS, tvOS, watchOS and visionOS (Foundation, `FileProtectionType`).
    public enum FileProtection: String, Sendable, Hashable, CaseIterable {
        /// While the device is unlocked. A store that is open when the device is locked cannot read or write any more.
        case complete
        /// A file that is open stays usable after the device is locked, but none can be opened then. SQLite opens and removes files as it works, so
        /// this suits no store that is written while the device is locked.
        case completeUnlessOpen
        /// Once the device has been unlocked after it was started: for apps that work in the background. The system's default.
        case completeUntilFirstUserAuthentication
        /// Always.
        case unprotected
    }

    /// Prepares a folder for stores, such as one in the container of an app group: creates it for its owner only, and says when the system protects its
    /// files and whether backups of the device include them.
    ///
    /// ```swift
    /// try FHIRStore.prepareFolder(group.appendingPathComponent("Health"), protection: .completeUntilFirstUserAuthentication, isInBackups: false)
    /// ```
    /// Call it before the store is opened: files that are created in the folder later are protected like it. Files that are there already get the
    /// protection too. The store's write-ahead log is one of them.
    ///
    /// - Parameters:
    ///   - folder: the folder, with nothing in it but stores.
    ///   - protection: when the files can be read; nil to leave it as it is. No effect on macOS and Linux. Default: nil.
    ///   - isInBackups: whether the system's backups of the device include the folder, on Apple platforms. Default: true.
    /// - Throws: `FHIRStoreError.cannotOpen` if the folder cannot be created or changed.
    public static func prepareFolder(_ folder: URL, protection: FileProtection? = nil, isInBackups: Bool = true) throws {
        do {
            // Only for the user, as the store's own files are.
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            #if canImport(Darwin)
                var values = URLResourceValues()
                values.isExcludedFromBackup = !isInBackups
                var url = folder
                try url.setResourceValues(values)
            #endif
            #if canImport(Darwin) && !os(macOS)
                if let protection {
                    let attributes: [FileAttributeKey: Any] = [.protectionKey: protection.type]
                    try FileManager.default.setAttributes(attributes, ofItemAtPath: folder.path)
                    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                        try FileManager.default.setAttributes(attributes, ofItemAtPath: folder.appendingPathComponent(name).path)
                    }
                }
            #endif
        } catch {
            throw FHIRStoreError(
                .cannotOpen, "\(folder.path) cannot be prepared: \(error.localizedDescription): check the permissions of its parent folder")
        }
    }
}

#if canImport(Darwin) && !os(macOS)
    extension FHIRStore.FileProtection {
        fileprivate var type: FileProtectionType {
            switch self {
            case .complete: .complete
            case .completeUnlessOpen: .completeUnlessOpen
            case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
            case .unprotected: FileProtectionType.none
            }
        }
    }
#endif
