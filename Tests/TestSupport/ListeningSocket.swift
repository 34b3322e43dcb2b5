import Foundation

/// A socket that listens on a free port of the loopback interface until nobody holds it any more.
///
/// Its descriptor is closed by `deinit` alone: closed while a thread is between two calls of `accept()`, its number would be given to the next socket of the
/// process, and the thread would take that one's connections.
public final class ListeningSocket: Sendable {
    public let port: UInt16
    private let descriptor: Int32

    public init() throws {
        #if os(Linux)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(descriptor, place, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, place, &length) == 0
            }
        }
        guard isOpen else {
            close(descriptor)
            throw CocoaError(.featureUnsupported)
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: place.sin_port)
    }

    deinit { close(descriptor) }

    /// The next connection, for the caller to close; nil after `stop()`.
    public func accept() -> Int32? {
        let connection = Foundation.accept(descriptor, nil, nil)
        return connection >= 0 ? connection : nil
    }

    /// Ends `accept()`, also one that waits.
    public func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
