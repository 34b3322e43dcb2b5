import Foundation

/// The digest of a release's classes, computed on first use.
final class ModelFingerprint: @unchecked Sendable {
    // `lock` guards `known`.
    private let lock = NSLock()
    private var known: String?

    /// 64 bits in hexadecimal (FNV-1a) over every class's name and its elements' names, types and whether they repeat.
    func text(of layouts: @autoclosure () -> [Layout]) -> String {
        lock.lock()
        defer { lock.unlock() }
        if let known { return known }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        for layout in layouts() {
            add(layout.name)
            for element in layout.elements {
                add(element.name)
                add(element.typeName)
                add(element.isList ? "*" : "1")
            }
        }
        let text = hash.padded(16, radix: 16)
        known = text
        return text
    }
}
