import FireLite
import FireLiteR4
import Foundation

/// A file of NDJSON that was made by exporting a store.
struct ExportedFile {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Whether the file has the resources of the data and no others, byte by byte as FireLite writes them.
    ///
    /// - Parameters:
    ///   - keys: of all resources.
    ///   - types: the types in the order in which they were exported.
    func holds(_ corpus: Corpus, _ keys: [ResourceKey], _ types: [String]) throws -> Bool {
        guard let file = fopen(path, "r") else { return false }
        defer { fclose(file) }
        var buffer: [UInt8] = []
        for type in types {
            for key in keys where key.typeName == type {
                let line = FHIRJSON.data(try corpus.object(key.index)) + [UInt8(ascii: "\n")]
                if buffer.count < line.count { buffer = [UInt8](repeating: 0, count: line.count) }
                guard fread(&buffer, 1, line.count, file) == line.count, buffer[..<line.count].elementsEqual(line) else { return false }
            }
        }
        return getc(file) == EOF
    }
}
