import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Keys do not stay in memory.
@Suite struct SecretTests {
    @Test func bytesAreKept() {
        for count in [0, 1, 32, 64, 65, 1_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            // A sequence that does not know how long it is.
            let secret = SecretData(sequence(first: 0) { $0 + 1 }.prefix(count).lazy.map { UInt8(truncatingIfNeeded: $0 &* 7) })
            #expect(secret.withBytes { Array($0) } == bytes)
            #expect(secret.count == count)
        }
    }

    #if os(Linux)
        /// Looks through the memory of the process for the key while it is there, and after it is released.
        @Test(.enabled(if: !Effort.isReduced, "a sanitizer keeps what was released, and has terabytes of memory of its own"))
        func aReleasedKeyIsNowhereInMemory() throws {
            // Made byte by byte, so that nothing else has it in one piece. It repeats itself, as freed memory is soon used again in part.
            let seed = UInt8.random(in: 1...255)
            func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 37) ^ seed &* 3 ^ UInt8(truncatingIfNeeded: index >> 1) }
            let length = 60_000
            var key: Secret? = Secret((0..<length).lazy.map(byte))
            #expect(try occurrences(200, byte) >= length / 512)
            #expect(key != nil)
            key = nil
            #expect(try occurrences(200, byte) == 0)
        }

        /// How often memory has the first bytes of a key.
        private func occurrences(_ count: Int, _ byte: (Int) -> UInt8) throws -> Int {
            // A mapping of its own, as the window is a copy of what it went over: just that is left out, and nothing beside it.
            let size = 1 << 20
            let mapping = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            let window = try #require(mapping == MAP_FAILED ? nil : mapping).assumingMemoryBound(to: UInt8.self)
            defer { munmap(window, size) }
            let own = UInt(bitPattern: window)..<UInt(bitPattern: window) + UInt(size)

            let memory = open("/proc/self/mem", O_RDONLY)
            defer { close(memory) }
            var found = 0
            for part in try writableMemory().flatMap({ [$0.clamped(to: 0..<own.lowerBound), $0.clamped(to: own.upperBound..<UInt.max)] }) {
                var start = part.lowerBound
                while start < part.upperBound {
                    let read = pread(memory, window, min(size, Int(part.upperBound - start)), off_t(start))
                    // Another thread can have given memory back since the list was read.
                    guard read > 0 else { start += 4_096; continue }
                    var place = 0
                    while place <= read - count, let hit = memchr(window + place, Int32(byte(0)), read - count - place + 1) {
                        place = UnsafeMutablePointer(mutating: hit.assumingMemoryBound(to: UInt8.self)) - window
                        if (1..<count).allSatisfy({ window[place + $0] == byte($0) }) { found += 1 }
                        place += 1
                    }
                    // Windows overlap by the length of the key.
                    start += UInt(read > count && start + UInt(read) < part.upperBound ? read - count : read)
                }
            }
            return found
        }

        private func writableMemory() throws -> [Range<UInt>] {
            // Not `String(contentsOfFile:)`, which ends at the first short read of a file that reports no size: after one page of the list.
            let list = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
            let maps = String(decoding: try list.readToEnd() ?? Data(), as: UTF8.self)
            return maps.split(separator: "\n").filter { $0.contains("rw-p") }.compactMap { line in
                let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
                return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
            }
        }
    #endif
}
