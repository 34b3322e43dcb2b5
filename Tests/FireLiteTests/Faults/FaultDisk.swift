import CFaultVFS
import FireLite
import FireLiteR4
import Foundation

/// A folder whose disk fails when it is told to, and keeps a log of what was done to it.
final class FaultDisk {
    private let disk: OpaquePointer
    let folder: String

    /// - Precondition: the folder is there.
    init(folder: String) {
        guard let disk = firelite_disk_watch(folder) else { preconditionFailure("\(folder) cannot be watched: are too many folders?") }
        self.disk = disk
        self.folder = folder
    }

    deinit { firelite_disk_unwatch(disk) }

    /// Lets the n-th call from now fail; those after it too where `lasting`.
    func fail(_ call: firelite_call, at n: Int, code: Int32, lasting: Bool = false) {
        firelite_disk_fail(disk, Int32(call.rawValue), Int32(n), code, lasting ? 1 : 0)
    }

    /// Ends the failures.
    func mend() { firelite_disk_fail(disk, 0, 0, 0, 0) }

    var failures: Int { Int(firelite_disk_failures(disk)) }

    func record() { firelite_disk_record(disk) }

    func mark(_ number: Int) { firelite_disk_mark(disk, Int64(number)) }

    /// What was done since `record`, in order.
    var records: [DiskRecord] {
        (0..<firelite_disk_record_count(disk)).map { index in
            let record = firelite_disk_record_at(disk, index)
            let file = Int(record.file)
            let name = String(cString: record.name)
            switch record.event {
            case Int32(FIRELITE_CREATED.rawValue): return .created(file, name)
            case Int32(FIRELITE_DELETED.rawValue): return .deleted(file, name, syncsFolder: record.syncs_folder != 0)
            case Int32(FIRELITE_WRITTEN.rawValue):
                return .change(
                    file, .write(Int(record.offset), Array(UnsafeBufferPointer(start: record.bytes, count: Int(record.count)))))
            case Int32(FIRELITE_TRUNCATED.rawValue): return .change(file, .truncate(Int(record.offset)))
            case Int32(FIRELITE_SYNCED.rawValue): return .synced(file, syncsFolder: record.syncs_folder != 0)
            default: return .mark(Int(record.offset))
            }
        }
    }
}

/// One thing that was done to a disk.
enum DiskRecord {
    case created(Int, String)
    case deleted(Int, String, syncsFolder: Bool)
    case change(Int, DiskChange)
    case synced(Int, syncsFolder: Bool)
    case mark(Int)
}

/// A change of one file's bytes.
enum DiskChange {
    case write(Int, [UInt8])
    case truncate(Int)

    func apply(to bytes: inout [UInt8]) {
        switch self {
        case .write(let offset, let written):
            if bytes.count < offset + written.count { bytes += [UInt8](repeating: 0, count: offset + written.count - bytes.count) }
            bytes.replaceSubrange(offset..<offset + written.count, with: written)
        case .truncate(let size):
            if bytes.count > size { bytes.removeLast(bytes.count - size) }
        }
    }

    /// The parts that a disk writes whole: sectors of 512 bytes.
    var sectors: [DiskChange] {
        guard case .write(let offset, let bytes) = self else { return [self] }
        var sectors: [DiskChange] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, ((offset + start) / 512 + 1) * 512 - offset)
            sectors.append(.write(offset + start, Array(bytes[start..<end])))
            start = end
        }
        return sectors
    }
}
