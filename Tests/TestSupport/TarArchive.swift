import Foundation

/// Archives for tests of packages.
public enum TarArchive {
    /// A tar archive with entries of a path, a kind and a content.
    public static func data(_ entries: [(path: String, kind: Character, content: String)]) -> Data {
        var data = Data()
        for entry in entries {
            var header = [UInt8](repeating: 0, count: 512)
            func put(_ text: String, _ place: Int) { for (index, byte) in text.utf8.enumerated() { header[place + index] = byte } }
            put(entry.path, 0)
            put("0000644\0", 100)
            put(String(format: "%011o", entry.content.utf8.count), 124)
            put("        ", 148)
            put(String(entry.kind), 156)
            put("ustar\u{0}00", 257)
            let sum = header.reduce(0) { $0 + Int($1) }
            put(String(format: "%06o\0 ", sum), 148)
            data += header + Array(entry.content.utf8)
            data += [UInt8](repeating: 0, count: (512 - entry.content.utf8.count % 512) % 512)
        }
        return data + [UInt8](repeating: 0, count: 1_024)
    }

    /// A package with a value set.
    public static func package(_ name: String, _ version: String) -> Data {
        data([
            (
                "package/package.json", "0",
                #"{"name":"\#(name)","version":"\#(version)","fhirVersions":["4.0.1"],"dependencies":{"a.b":"1.0.0"}}"#
            ),
            (
                "package/StructureDefinition-us-core-patient.json", "0",
                #"{"resourceType":"StructureDefinition","url":"http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient","name":"P","status":"active","kind":"resource","abstract":false,"type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint","differential":{"element":[{"id":"Patient","path":"Patient"}]}}"#
            ),
        ])
    }
}
