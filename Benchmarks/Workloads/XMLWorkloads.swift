import CFireLiteXML
import FireLite
import FireLiteXML
import Foundation

/// A Bundle of XML to objects. The floor is the parser doing nothing with what it finds.
struct XMLWorkloads: Workload {
    static let decode = "decode, XML Bundle"
    private static let limit = 4_000
    private static let piece = 1 << 16

    var names: [String] { [Self.decode] }

    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { size == sizes.last { $0 <= 10_000 } ?? sizes.first }

    func run(_ bench: Bench) throws -> [Measurement] {
        guard bench.wants(Self.decode) else { return [] }
        let corpus = bench.corpus.sample(Self.limit)
        let objects = try corpus.objects()
        var xml = Data(FHIRXML.bundle.start.utf8)
        for object in objects { xml += try FHIRXML.entry(object) }
        xml += Data(FHIRXML.bundle.end.utf8)
        let bytes = Array(xml)
        let floor = try ParserFloor()
        let reader = XMLBundleReader(release: objects[0].layout.release)
        var entries: [FHIRObject] = []
        return [
            try bench.measure(
                Self.decode, operations: corpus.count,
                subject: { stopwatch in
                    entries = []
                    entries.reserveCapacity(corpus.count)
                    var position = 0
                    try stopwatch.measure {
                        _ = try reader.read(
                            filling: { memory in
                                let count = min(memory.count, bytes.count - position)
                                bytes.withUnsafeBytes {
                                    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
                                }
                                position += count
                                return count
                            }, { entries.append($0.object) })
                    }
                },
                floor: { stopwatch in stopwatch.measure { floor.parse(bytes, piece: Self.piece) } },
                verify: {
                    floor.elements > 0 && entries.count == objects.count
                        && entries.indices.allSatisfy { entries[$0].child("resource") == objects[$0] }
                })
        ]
    }
}

/// The system's parser, counting elements.
private final class ParserFloor {
    private var functions = firelite_xml()
    private(set) var elements = 0

    init() throws {
        _ = try XMLLibrary.system()
        let names: [String] = ["libxml2.so.2", "libxml2.so.16", "/usr/lib/libxml2.2.dylib"]
        var isLoaded = false
        for name in names where !isLoaded { isLoaded = firelite_xml_load(name, &functions) == 1 }
        guard isLoaded else { throw CocoaError(.featureUnsupported) }
    }

    func parse(_ bytes: [UInt8], piece: Int) {
        var events = firelite_xml_events()
        events.start = { context, _, _, _, _, _, _, _, _ in
            if let context { Unmanaged<ParserFloor>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.elements += 1 } }
        }
        events.end = { _, _, _, _ in }
        events.text = { _, _, _ in }
        guard let parser = firelite_xml_begin(&functions, &events, Unmanaged.passUnretained(self).toOpaque()) else { return }
        bytes.withUnsafeBytes { all in
            for start in stride(from: 0, to: all.count, by: piece) {
                let part = all[start..<min(start + piece, all.count)]
                _ = functions.parse(
                    parser, UnsafeRawBufferPointer(rebasing: part).bindMemory(to: CChar.self).baseAddress, Int32(part.count), 0)
            }
        }
        _ = functions.parse(parser, nil, 0, 1)
        functions.release(parser)
    }
}
