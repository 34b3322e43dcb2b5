import Foundation

/// The memory of lines that threads make and one thread writes. It goes from piece to piece: fresh memory for each would be cleared by the system first.
///
/// `@unchecked Sendable`: `lock` guards `free`.
final class ExportedPieces: @unchecked Sendable {
    /// The lines of a piece.
    ///
    /// `@unchecked Sendable`: one thread uses it at a time: that which makes the lines, and then that which writes them.
    final class Lines: @unchecked Sendable {
        private var bytes: [UInt8] = []

        func append(_ line: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: line) }

        /// Returns the number of bytes.
        func write(to output: any ByteOutput) throws -> Int {
            try bytes.withUnsafeBytes { try output.write($0) }
            return bytes.count
        }

        fileprivate func clear() { bytes.removeAll(keepingCapacity: bytes.capacity <= ExportedPieces.mostKept) }
    }

    /// Memory of more bytes is not kept.
    private static let mostKept = 4 << 20

    private let lock = NSLock()
    private var free: [Lines] = []

    func take() -> Lines {
        lock.lock()
        defer { lock.unlock() }
        return free.popLast() ?? Lines()
    }

    func giveBack(_ lines: Lines) {
        lines.clear()
        lock.lock()
        defer { lock.unlock() }
        free.append(lines)
    }
}
