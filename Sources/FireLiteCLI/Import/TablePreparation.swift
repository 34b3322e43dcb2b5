import FireLite
import Foundation

/// Creates the tables that many small files need before they are imported, each in a write of its own.
///
/// SQLite reads its whole catalog again for each column that is added to a table, so 422 files of many types, imported one after the other, took
/// three times as long as the same resources in one file.
struct TablePreparation {
    private let store: FHIRStore
    private let options: ImportOptions
    /// Whether the last files needed tables or columns; where they did not, the next ones are not looked at.
    private var isWorthwhile = true
    private var prepared = 0

    /// Files up to this size are looked at ahead; in a larger one the catalog changes with few of its batches.
    private static let smallFile = 256 << 10
    /// How many bytes and files are looked at in one go.
    private static let bytesAhead = 32 << 20
    private static let filesAhead = 1_024

    init(store: FHIRStore, options: ImportOptions) {
        self.store = store
        self.options = options
    }

    /// Looks at the small files from `index` on, unless it has before. What is wrong with them their import says.
    mutating func prepare(_ inputs: [ImportSource], from index: Int) throws {
        guard isWorthwhile, index >= prepared else { return }
        var resources: [FHIRResource] = []
        var (bytes, end) = (0, index)
        while end < inputs.count, end - index < Self.filesAhead, bytes < Self.bytesAhead, let size = Self.size(inputs[end]) {
            bytes += size
            resources += read(inputs[end])
            end += 1
        }
        prepared = max(end, index + 1)
        guard end - index > 1 else { return }
        do {
            isWorthwhile = try store.write { try $0.prepare(for: resources) }
        } catch let error as FHIRStoreError where error.code == .tooLarge {
            // Which one it is, the import finds.
        }
    }

    /// The size of a small file; nil for others.
    private static func size(_ input: ImportSource) -> Int? {
        var status = stat()
        guard case .file(let path) = input, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status.st_size <= smallFile ? Int(status.st_size) : nil
    }

    private func read(_ input: ImportSource) -> [FHIRResource] {
        final class Collected {
            var resources: [FHIRResource] = []
        }
        let collected = Collected()
        do {
            // Digests are not asked for: what is read here is not stored.
            try ImportReader(
                InputFile(input), options: options, digest: { _ in (0, 0) }, deliver: { collected.resources += $0.resources }
            ).run()
        } catch {
            // The import meets it again, and says so.
        }
        return collected.resources
    }
}
