import FireLiteR4
import Foundation
import TestSupport

@testable import FireLite

/// Resources and files for tests of imports and exports.
enum TransferSamples {
    static func patient(_ id: String, _ name: String = "Ann") -> String {
        #"{"resourceType":"Patient","id":"\#(id)","name":[{"given":["\#(name)"]}]}"#
    }

    static func lines(_ ids: ClosedRange<Int>) -> String { ids.map { patient("p\($0)") + "\n" }.joined() }

    /// Random resources of a few types, as JSON, each with an id of its own.
    static func resources(seed: UInt64, _ count: Int) -> [String] {
        var random = RandomInstance(seed: seed)
        random.isStrictlyValid = true
        let types: [FHIRResource.Type] = [Patient.self, Observation.self, Encounter.self, MedicationRequest.self]
        return (0..<count).map { number in
            let resource = random.make(types[number % types.count])
            resource.id = "r\(number)"
            return FHIRJSON.string(resource)
        }
    }

    /// Gzip (RFC 1952) of blocks without compression.
    static func gzip(_ data: Data) -> Data {
        var result = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
        var rest = data[...]
        repeat {
            let part = rest.prefix(65_535)
            rest = rest.dropFirst(part.count)
            result.append(rest.isEmpty ? 1 : 0)
            for number in [UInt16(part.count), ~UInt16(part.count)] {
                result.append(contentsOf: [UInt8(number & 255), UInt8(number >> 8)])
            }
            result.append(part)
        } while !rest.isEmpty
        for number in [crc32(data), UInt32(data.count)] { withUnsafeBytes(of: number.littleEndian) { result.append(contentsOf: $0) } }
        return result
    }

    private static func crc32(_ data: Data) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = crc & 1 == 1
                crc >>= 1
                if isOdd { crc ^= 0xEDB8_8320 }
            }
        }
        return ~crc
    }
}

extension FHIRStore {
    /// The number of patients.
    func storedPatients() throws -> Int { try count(Patient.self) }

    /// All resources as JSON.
    func contents() throws -> Set<String> {
        var contents: Set<String> = []
        try read { transaction in
            for count in try transaction.counts() {
                try transaction.forEach(typeName: count.typeName) { contents.insert(FHIRJSON.string($0)) }
            }
        }
        return contents
    }
}

/// A value that several threads use.
///
/// `@unchecked Sendable`: `lock` is held for every access.
final class Shared<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}
