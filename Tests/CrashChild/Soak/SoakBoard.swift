import Foundation

/// Where the writers of all processes write down which of their commits have returned: eight bytes each of a file that all have open.
final class SoakBoard: Sendable {
    private let descriptor: Int32

    struct Failure: Error {}

    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
    }

    deinit { close(descriptor) }

    func publish(_ commits: Int, of writer: Int) throws {
        var value = Int64(commits)
        guard pwrite(descriptor, &value, 8, off_t(writer * 8)) == 8 else { throw Failure() }
    }

    /// How many commits of the writer have returned.
    func commits(of writer: Int) throws -> Int {
        var value: Int64 = 0
        guard pread(descriptor, &value, 8, off_t(writer * 8)) >= 0 else { throw Failure() }
        return Int(value)
    }
}
