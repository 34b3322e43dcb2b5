import Foundation

/// Finds ports for servers whose address must be known before they listen.
public enum FreePort {
    /// No port is free.
    public struct Failure: Error, CustomStringConvertible {
        /// What to do.
        public var description: String { "No port is free: name one with --port." }
    }

    /// A port of an address that was free a moment ago.
    ///
    /// - Parameter address: an address of IPv4. Default: the loopback interface.
    /// - Throws: ``Failure``.
    public static func find(_ address: String = "127.0.0.1") throws -> Int {
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        defer { close(descriptor) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr(address)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Failure() }
        return Int(UInt16(bigEndian: place.sin_port))
    }
}
