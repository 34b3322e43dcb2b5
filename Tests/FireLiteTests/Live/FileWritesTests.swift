import Foundation
import TestSupport
import Testing

@testable import FireLite

/// A listener is called at the next write to its file, once, and at nothing else.
@Suite(.timeLimit(.minutes(10))) struct FileWritesTests {
    /// What listeners heard, in order.
    private final class Log: @unchecked Sendable {
        // `condition` guards `heard`.
        private let condition = NSCondition()
        private var heard: [String] = []

        func listener(_ name: String, _ path: String) -> FileWrites.Listener {
            FileWrites.Listener(path) { [self] in
                condition.lock()
                heard.append(name)
                condition.broadcast()
                condition.unlock()
            }
        }

        /// Waits until so many were heard.
        func first(_ count: Int) -> [String] {
            condition.lock()
            defer { condition.unlock() }
            while heard.count < count { if !condition.wait(until: Date(timeIntervalSinceNow: 300)) { break } }
            return heard
        }
    }

    private func append(to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data([1]))
        try file.close()
    }

    @Test func eachWriteIsHeardOnceByThoseThatListen() throws {
        try withTemporaryFolder { folder in
            let (path, other) = (folder + "/a", folder + "/b")
            for file in [path, other] { try Data().write(to: URL(fileURLWithPath: file)) }
            let (writes, log) = (FileWrites(), Log())
            let (a, b, c) = (log.listener("a", path), log.listener("b", path), log.listener("c", other))
            #expect(writes.listen(a))
            try append(to: path)
            #expect(log.first(1) == ["a"])
            // Nobody listens.
            try append(to: path)
            #expect(writes.listen(a) && writes.listen(b) && writes.listen(b) && writes.listen(c))
            try append(to: path)
            #expect(log.first(3).dropFirst().sorted() == ["a", "b"])
            #expect(writes.listen(a))
            try append(to: other)
            #expect(log.first(4).last == "c")
            try append(to: path)
            #expect(log.first(5).count == 5 && log.first(5).last == "a")
        }
    }

    @Test func whoIsForgottenHearsNothing() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a"
            try Data().write(to: URL(fileURLWithPath: path))
            let (writes, log) = (FileWrites(), Log())
            let (a, b) = (log.listener("a", path), log.listener("b", path))
            #expect(writes.listen(a) && writes.listen(b))
            writes.forget(a)
            try append(to: path)
            #expect(log.first(1) == ["b"])
            #expect(writes.listen(b))
            writes.forget(b)
            try append(to: path)
            #expect(writes.listen(a))
            try append(to: path)
            #expect(log.first(2) == ["b", "a"])
        }
    }

    @Test func aFileThatIsNotThereCannotBeListenedTo() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a"
            let (writes, log) = (FileWrites(), Log())
            let a = log.listener("a", path)
            #expect(!writes.listen(a))
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(writes.listen(a))
            try FileManager.default.removeItem(atPath: path)
            // That it is gone is heard like a write, and then it can't be listened to.
            #expect(log.first(1) == ["a"] && !writes.listen(a))
        }
    }
}
