import Foundation

/// A folder for the files of a run, which goes with it.
final class ScratchFolder {
    let path: String
    private var number = 0

    init() throws {
        path = NSTemporaryDirectory() + "/firelite-benchmarks-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Deletes the folder and what is in it.
    func remove() {
        // A folder that stays behind is a nuisance and no reason to fail.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file that is not there yet.
    func fresh(_ suffix: String = "sqlite") -> String {
        number += 1
        return "\(path)/\(number).\(suffix)"
    }

    /// Copies a database that nobody has open.
    func copy(of original: String) throws -> String {
        let copy = fresh()
        try FileManager.default.copyItem(atPath: original, toPath: copy)
        return copy
    }

    /// Deletes a database.
    func delete(_ database: String) {
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: database + suffix) {
            try? FileManager.default.removeItem(atPath: database + suffix)
        }
    }

    static func size(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}
