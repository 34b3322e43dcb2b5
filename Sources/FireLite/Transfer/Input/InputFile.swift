import Foundation

/// The bytes of an import, read from the start, and again from the start if the content needs it.
///
/// After `keepForRewinding`, what is read of a pipe is kept in a temporary file. One byte order mark is not part of the content. Gzip is
/// unpacked, whatever the file's name.
package final class InputFile: RewindableBytes {
    package let name: String
    /// Whether the content comes from a sequence, which has lines only.
    var isStream: Bool { stream != nil }
    /// The size in bytes, if the system knows it.
    private(set) var size: Int?
    private var descriptor: Int32
    private let ownsDescriptor: Bool
    /// Where the content begins in the file; nil if the descriptor cannot seek.
    private var start: off_t?
    private var peeked: [UInt8] = []
    private var peekedFrom = 0
    /// The file's first bytes, which were peeked at and will be read again.
    private var begun: [UInt8] = []
    private var gzip: GzipReader?
    private let loadZlib: () throws -> Zlib
    /// The chunks of a sequence; nil for a file.
    private let stream: ByteStream?
    /// The length of the byte order mark in bytes.
    private var markLength = 0
    /// What was read of content that cannot be read twice; nil if it can, or if nobody wants to.
    private var kept: Kept?

    /// A temporary file with the beginning of the content.
    private struct Kept {
        let descriptor: Int32
        let output: DescriptorOutput
        /// The number of bytes in it.
        var size = 0
        /// The number of those that were read since the last rewinding.
        var position = 0
        /// Whether what is read from now on is added.
        var isGrowing = true
    }

    // MARK: - Opening and closing

    /// - Parameter zlib: loads the library that unpacks gzip. Default: the system's.
    /// - Throws: `TransferError` if the file cannot be opened or is a folder, or if it is compressed and zlib is missing.
    package init(_ source: ImportSource, zlib: @escaping () throws -> Zlib = Zlib.system) throws {
        name = source.name
        loadZlib = zlib
        switch source {
        case .file(let path):
            descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw TransferError.system(path) }
            (ownsDescriptor, stream) = (true, nil)
        case .standardInput(let input):
            descriptor = input
            (ownsDescriptor, stream) = (false, nil)
        case .stream(let bytes):
            // Only a copy would need a descriptor, and lines are read once.
            descriptor = -1
            (ownsDescriptor, stream) = (false, bytes)
        }
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        let kind = isKnown ? status.st_mode & S_IFMT : 0
        if kind == S_IFREG {
            let offset = lseek(descriptor, 0, SEEK_CUR)
            start = offset >= 0 ? offset : nil
            size = Int(status.st_size) - Int(max(offset, 0))
        } else {
            start = nil
            size = nil
        }
        if kind == S_IFDIR {
            if ownsDescriptor { close(descriptor) }
            throw TransferError.system(name, code: EISDIR)
        }
        try lookForCompression()
        try skipByteOrderMark()
    }

    private func lookForCompression() throws {
        var beginning = [UInt8](repeating: 0, count: GzipReader.magic.count)
        var count = 0
        while count < beginning.count {
            let part = try beginning.withUnsafeMutableBytes { try readFile(UnsafeMutableRawBufferPointer(rebasing: $0[count...])) }
            if part == 0 { break }
            count += part
        }
        beginning.removeLast(beginning.count - count)
        begun = beginning
        guard beginning == GzipReader.magic else { return }
        let zlib: Zlib
        do { zlib = try loadZlib() } catch let error as TransferError { throw TransferError(error.code, "\(name): \(error.message)") }
        gzip = try GzipReader(name: name, zlib: zlib) { [unowned self] in try self.readFile($0) }
        size = nil
    }

    private func skipByteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let isMarked = try peek(mark.count) == mark
        guard isMarked else { return }
        (peeked, peekedFrom) = ([], 0)
        markLength = mark.count
        let isMarkedAgain = try peek(mark.count) == mark
        if isMarkedAgain { throw TransferError(.damaged, "\(name): begins with two byte order marks: remove one") }
    }

    deinit {
        if ownsDescriptor { close(descriptor) }
        if let kept { close(kept.descriptor) }
    }

    // MARK: - Reading

    /// The first bytes, which `fill` returns again; fewer than `count` only if there are no more.
    ///
    /// - Precondition: nothing has been read, except by an earlier `peek`.
    func peek(_ count: Int) throws -> [UInt8] {
        // No more memory than the file needs, as there may be many small files.
        let count = size.map { min(count, $0 + 1) } ?? count
        var bytes = [UInt8](repeating: 0, count: count)
        let number = try bytes.withUnsafeMutableBytes { try fill($0) }
        bytes.removeLast(count - number)
        // An earlier call may have peeked at more.
        peeked = bytes + peeked[peekedFrom...]
        peekedFrom = 0
        return bytes
    }

    /// Reads until the memory is full or the content ends, and returns the number of bytes.
    package func fill(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        var filled = 0
        while filled < memory.count {
            let number = try read(UnsafeMutableRawBufferPointer(rebasing: memory[filled...]))
            if number == 0 { break }
            filled += number
        }
        return filled
    }

    private func read(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let kept else { return try readOnce(memory) }
        if kept.position < kept.size {
            let number = pread(kept.descriptor, memory.baseAddress, min(memory.count, kept.size - kept.position), off_t(kept.position))
            guard number > 0 else { throw TransferError.system("temporary file", code: number == 0 ? EIO : errno) }
            self.kept?.position += number
            return number
        }
        let number = try readOnce(memory)
        if kept.isGrowing, number > 0 {
            try kept.output.write(UnsafeRawBufferPointer(rebasing: memory[..<number]))
            self.kept?.size += number
            self.kept?.position += number
        }
        return number
    }

    /// Reads on in the content.
    private func readOnce(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        if peekedFrom < peeked.count {
            let number = min(memory.count, peeked.count - peekedFrom)
            peeked.withUnsafeBytes { memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[peekedFrom..<peekedFrom + number])) }
            peekedFrom += number
            if peekedFrom == peeked.count { (peeked, peekedFrom) = ([], 0) }
            return number
        }
        if let gzip { return try gzip.read(memory) }
        return try readFile(memory)
    }

    private func readFile(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        if !begun.isEmpty {
            let number = min(memory.count, begun.count)
            begun.withUnsafeBytes { memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<number])) }
            begun.removeFirst(number)
            return number
        }
        if let stream { return try stream.read(memory) }
        while true {
            let number = Foundation.read(descriptor, memory.baseAddress, memory.count)
            if number >= 0 { return number }
            if errno != EINTR { throw TransferError.system(name) }
        }
    }

    // MARK: - Reading again

    /// Makes `rewind` possible: of content that cannot be read twice, what is read from now on is kept in a temporary file.
    ///
    /// - Precondition: nothing has been read, except by `peek`.
    func keepForRewinding() throws {
        // Invariant: callers of a stream begin at its first line.
        precondition(stream == nil, "the lines of a stream are read once")
        guard start == nil else { return }
        let copy = try Self.temporaryFile()
        kept = Kept(descriptor: copy, output: DescriptorOutput(copy, name: "temporary file"))
    }

    /// Returns to the first byte.
    ///
    /// - Precondition: `keepForRewinding` was called.
    package func rewind() throws { try rewind(isLast: false) }

    /// Returns to the first byte.
    ///
    /// - Parameter isLast: whether this is the last time, so that what is read from now on need not be kept.
    func rewind(isLast: Bool) throws {
        if kept != nil {
            kept?.position = 0
            if isLast { kept?.isGrowing = false }
            return
        }
        guard let start, lseek(descriptor, start, SEEK_SET) >= 0 else { throw TransferError.system(name) }
        (peeked, peekedFrom) = ([], 0)
        begun = []
        gzip?.reset()
        var mark = [UInt8](repeating: 0, count: markLength)
        _ = try mark.withUnsafeMutableBytes { try fill($0) }
    }

    /// An open file without a name, which is removed when it is closed.
    private static func temporaryFile() throws -> Int32 {
        var path = Array((NSTemporaryDirectory() + "/firelite-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw TransferError.system("temporary file") }
        unlink(path)
        return descriptor
    }
}
