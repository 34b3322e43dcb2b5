import Foundation

/// How many bytes were handed to the system to be written: to files, their logs and pipes.
enum WrittenBytes {
    enum Scope: String {
        case process = "self"
        case thread = "thread-self"
    }

    /// The bytes of all writes since the process or the thread began; 0 where the system does not say.
    static func count(_ scope: Scope) -> Int {
        #if os(Linux)
            // proc_pid_io(5): wchar counts what is passed to write(2) and its like.
            let descriptor = open("/proc/\(scope.rawValue)/io", O_RDONLY)
            guard descriptor >= 0 else { return 0 }
            defer { close(descriptor) }
            return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
                let length = read(descriptor, buffer.baseAddress, buffer.count)
                guard length > 0 else { return 0 }
                let text = String(decoding: buffer[..<length], as: UTF8.self)
                for line in text.split(separator: "\n") where line.hasPrefix("wchar: ") { return Int(line.dropFirst(7)) ?? 0 }
                return 0
            }
        #else
            return 0
        #endif
    }
}
