import FireLite
import FireLiteSynthetic
import Foundation

extension Corpus {
    /// The resources of the NDJSON files in a folder.
    ///
    /// - Throws: `BenchmarkFailure` if there are none.
    static func folder(_ path: String) throws -> Corpus {
        guard let all = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw BenchmarkFailure("there is no folder \(path) that can be read")
        }
        let names = all.filter { $0.hasSuffix(".ndjson") }.sorted()
        var text = Data()
        for name in names {
            text.append(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
            if text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
        }
        let lines = findLines(text)
        guard !lines.isEmpty else { throw BenchmarkFailure("no resources in the .ndjson files of \(path)") }
        return Corpus(.files, title: "NDJSON of \(names.count) files, \(Figures.grouped(lines.count)) resources", text: text, lines: lines)
    }

    private static func findLines(_ text: Data) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        text.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return }
            var start = 0
            while start < raw.count, let found = memchr(base + start, 10, raw.count - start) {
                let end = UnsafeRawPointer(found) - base
                if end > start { lines.append(start..<end) }
                start = end + 1
            }
        }
        return lines
    }

    /// Synthetic patients and what was recorded about them, as many resources as are wanted.
    static func synthetic(_ kind: DataKind, _ size: Int) -> Corpus {
        var text = Data()
        var lines: [Range<Int>] = []
        let patients = SyntheticPatients(count: .max, seed: 1, includesClaims: kind == .claims, ids: kind == .numbers ? .numbers : .uuids)
        for resource in patients {
            guard lines.count < size else { break }
            let json = FHIRJSON.data(resource)
            lines.append(text.count..<text.count + json.count)
            text.append(json)
            text.append(UInt8(ascii: "\n"))
        }
        let title =
            switch kind {
            case .claims: "synthetic patients with claims"
            case .numbers: "synthetic patients with ids from 1"
            case .patients, .files: "synthetic patients"
            }
        return Corpus(kind, title: "\(title), seed 1", text: text, lines: lines)
    }
}
