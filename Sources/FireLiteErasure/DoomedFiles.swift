import FireLiteCore
import Foundation

/// The files of payloads, opened before a write that may delete some of them.
struct DoomedFiles {
    private var handles: [FileHandle] = []

    init() {}

    init(_ store: FHIRStore, _ tx: WriteTransaction) throws {
        guard let folder = PayloadFolder(store) else { return }
        handles = try tx.rows(ofModuleTable: "_blobfile", "SELECT name FROM _blobfile").compactMap { row in
            guard let name = row[0].text, PayloadFolder.isName(name) else { return nil }
            let descriptor = open(folder.path(of: name), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            return descriptor >= 0 ? FileHandle(fileDescriptor: descriptor, closeOnDealloc: true) : nil
        }
    }

    /// Overwrites those that have no name any more.
    func overwriteDeleted() {
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        for handle in handles {
            let descriptor = handle.fileDescriptor
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_nlink == 0 else { continue }
            var offset: off_t = 0
            while offset < status.st_size {
                let count = pwrite(descriptor, zeros, min(zeros.count, Int(status.st_size - offset)), offset)
                guard count > 0 else { break }
                offset += off_t(count)
            }
            fsync(descriptor)
        }
    }
}
