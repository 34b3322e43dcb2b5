import Foundation
import Testing

@testable import FireLite

/// Keys do not stay in memory.
@Suite struct SecretBytesTests {
    @Test func bytesAreKept() {
        for count in [0, 1, 32, 64, 65, 1_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            // A sequence that does not know how long it is.
            let secret = SecretBytes(sequence(first: 0) { $0 + 1 }.prefix(count).lazy.map { UInt8(truncatingIfNeeded: $0 &* 7) })
            #expect(secret.withBytes { Array($0) } == bytes)
            #expect(secret.isEmpty == (count == 0))
        }
    }

    #if os(Linux)
        /// Looks through the memory of the process for the key while it is there, and after it is released.
        @Test func aReleasedKeyIsNowhereInMemory() throws {
            // Made byte by byte, so that nothing else has it in one piece.
            let seed = UInt8.random(in: 1...255)
            func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 37) ^ seed &* 3 ^ UInt8(truncatingIfNeeded: index >> 1) }
            var key: EncryptionKey? = EncryptionKey((0..<200).lazy.map(byte))
            #expect(try occurrences(200, byte) > 0)
            #expect(key != nil)
            key = nil
            #expect(try occurrences(200, byte) == 0)
        }

        private func occurrences(_ count: Int, _ byte: (Int) -> UInt8) throws -> Int {
            let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
            let memory = open("/proc/self/mem", O_RDONLY)
            defer { close(memory) }
            var found = 0
            let size = 1 << 20
            let window = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
            defer { window.deallocate() }
            for line in maps.split(separator: "\n") where line.contains("rw-p") {
                let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
                guard ends.count == 2 else { continue }
                var start = ends[0]
                while start < ends[1] {
                    let part = min(size, Int(ends[1] - start))
                    let read = pread(memory, window, part, off_t(start))
                    // The window itself is a copy of what it went over.
                    let own = UInt(bitPattern: window)
                    if read > count, start + UInt(read) <= own || start >= own + UInt(size) {
                        var place = 0
                        while place <= read - count, let hit = memchr(window + place, Int32(byte(0)), read - count - place + 1) {
                            place = UnsafeMutablePointer(mutating: hit.assumingMemoryBound(to: UInt8.self)) - window
                            if (1..<count).allSatisfy({ window[place + $0] == byte($0) }) { found += 1 }
                            place += 1
                        }
                    }
                    if part < size { break }
                    // Windows overlap by the length of the key.
                    start += UInt(size - count)
                }
            }
            return found
        }
    #endif
}
