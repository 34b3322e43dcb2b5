import FireLite
import FireLiteTerminal
import Foundation

/// Output to a terminal: characters that control it are shown as JSON escapes, whatever command writes them.
///
/// Only line feeds are kept. A character may be split between two writes.
final class VisibleOutput: ByteOutput {
    private let target: any ByteOutput
    /// The first bytes of a character that is not complete yet.
    private var begun: [UInt8] = []

    init(_ target: any ByteOutput) { self.target = target }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var text = begun + bytes
        begun = Array(text.suffix(Self.cut(text)))
        text.removeLast(begun.count)
        if !text.isEmpty { try target.write(TerminalText.visible(String(decoding: text, as: UTF8.self), keepsLines: true)) }
    }

    /// The number of bytes at the end that begin an incomplete UTF-8 character.
    private static func cut(_ bytes: [UInt8]) -> Int {
        for count in 1..<4 where count <= bytes.count {
            let byte = bytes[bytes.count - count]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > count ? count : 0
        }
        return 0
    }
}
