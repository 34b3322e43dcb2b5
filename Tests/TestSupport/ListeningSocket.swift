import Foundation

/// A socket that listens on a free port of the loopback interface.
public func listeningSocket() throws -> (descriptor: Int32, port: UInt16) {
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
    return (descriptor, UInt16(bigEndian: place.sin_port))
}
