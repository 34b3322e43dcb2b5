import FireLiteCore
import Foundation

/// Creates the tables that many small files need before the files are imported, each in a write of its own.
///
/// SQLite reads its whole catalog again for each column added to a table, so importing 422 files of many types one after the other took
/// three times as long as importing the same resources from one file.
struct TablePreparation {
    private let store: FHIRStore
    private let options: ContentOptions
    /// Whether the last files needed tables or columns; if they did not, the next ones are not inspected.
    private var isWorthwhile = true
    private var prepared = 0

    /// The maximum size of files to inspect ahead; in a larger file few batches change the catalog.
    private static let smallFile = 256 << 10
    /// The maximum number of bytes and files to inspect at a time.
    private static let bytesAhead = 32 << 20
    private static let filesAhead = 1_024

    init(store: FHIRStore, options: ContentOptions) {
        self.store = store
        self.options = options
    }

    /// Inspects the small files from `index` on, unless it already has. Their import reports their mistakes.
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
            // The import finds out which one it is.
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
            // No digests are needed, as nothing is stored here.
            try ImportReader(
                InputFile(input, zlib: options.zlib), options: options, digest: { _ in (0, 0) },
                deliver: { collected.resources += $0.resources }
            ).run()
        } catch {
            // The import fails the same way and reports it.
        }
        return collected.resources
    }
}
