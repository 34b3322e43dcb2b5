import Foundation

/// The bytes of an `export.xml` as a stream of XML for XMLParser.
final class ExportStream: InputStream {
    private static let chunkSize = 1 << 18

    private let file: ExportFile
    private let isStopped: () -> Bool
    private var filter = ExportFilter()
    private var chunk = [UInt8](repeating: 0, count: chunkSize)
    private var ready: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// What ended the file early.
    private(set) var failure: (any Error)?

    /// - Parameters:
    ///   - file: the file.
    ///   - isStopped: whether the stream ends here, as nobody wants the rest.
    init(_ file: ExportFile, isStopped: @escaping () -> Bool) {
        self.file = file
        self.isStopped = isStopped
        super.init(data: Data())
    }

    /// Whether the file ended inside its document type.
    var endsInDocumentType: Bool { isAtEnd && filter.isInDocumentType }

    override var hasBytesAvailable: Bool { !isAtEnd || position < ready.count }
    override var streamStatus: Stream.Status { hasBytesAvailable ? .open : .atEnd }
    override var streamError: (any Error)? { failure }

    override func open() {}

    override func close() {}

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength limit: Int) -> Int {
        while position == ready.count {
            if isAtEnd || isStopped() { return 0 }
            fill()
        }
        let count = min(limit, ready.count - position)
        ready.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress { buffer.update(from: base + position, count: count) }
        }
        position += count
        return count
    }

    private func fill() {
        position = 0
        ready.removeAll(keepingCapacity: true)
        do {
            let count = try chunk.withUnsafeMutableBytes { try file.read($0) }
            isAtEnd = count == 0
            chunk.withUnsafeBufferPointer { filter.filter(UnsafeBufferPointer(rebasing: $0[..<count]), isLast: isAtEnd, into: &ready) }
            if filter.hasOverlongElement {
                throw SampleError(.damaged, "an element has more than \(ExportFilter.longestElement >> 10) KB, or so much text follows it")
            }
        } catch {
            failure = error
            isAtEnd = true
        }
    }
}
