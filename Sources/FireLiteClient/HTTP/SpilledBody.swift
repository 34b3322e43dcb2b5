import FireLiteCore
import FireLiteCrypto
import Foundation

/// The part of a body that waits on the disk because its reader is slow. The file is unnamed and encrypted with a key that exists only in
/// memory, so that it leaves nothing readable.
struct SpilledBody {
    private let file: FileHandle
    private let key: SecretData
    /// The number of plain bytes of each block that waits.
    private var waiting: ArraySlice<(offset: UInt64, count: Int, number: UInt32)> = []
    private var end: UInt64 = 0
    private var blocks: UInt32 = 0

    init() throws {
        let path = NSTemporaryDirectory() + "/FireLite-\(UUID().uuidString)"
        let descriptor = try PrivateFile.open(path, .new)
        unlink(path)
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        key = try SecretData.random(count: 32)
    }

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ data: Data) throws {
        let sealed = try AESGCM.seal(data, key: key, nonce: Self.nonce(blocks))
        try file.seek(toOffset: end)
        try file.write(contentsOf: sealed.ciphertext + sealed.tag)
        waiting.append((end, data.count, blocks))
        end += UInt64(data.count + AESGCM.tagByteCount)
        blocks += 1
    }

    /// The oldest block, which then is no longer there.
    mutating func take() throws -> Data? {
        guard let block = waiting.popFirst() else { return nil }
        try file.seek(toOffset: block.offset)
        let sealed = try file.read(upToCount: block.count + AESGCM.tagByteCount) ?? Data()
        if waiting.isEmpty {
            try file.truncate(atOffset: 0)
            end = 0
        }
        return try AESGCM.open(
            Data(sealed.prefix(block.count)), tag: Data(sealed.dropFirst(block.count)), key: key, nonce: Self.nonce(block.number))
    }

    /// Block numbers never repeat, and each file has a key of its own.
    private static func nonce(_ number: UInt32) -> Data {
        Data(count: AESGCM.nonceByteCount - 4) + Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}
