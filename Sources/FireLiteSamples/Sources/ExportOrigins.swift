import Foundation

/// The origins in a file: the same one is the same object, whatever memory address stands in the description of its device.
struct ExportOrigins {
    private var last: (source: String, version: String, device: String, origin: SampleOrigin)?
    private var known: [SampleOrigin: SampleOrigin] = [:]

    mutating func origin(_ attributes: [String: String]) -> SampleOrigin {
        let source = attributes["sourceName"] ?? ""
        let version = attributes["sourceVersion"] ?? ""
        let device = attributes["device"] ?? ""
        if let last, last.source == source, last.version == version, last.device == device { return last.origin }
        var parts = Self.parts(of: device)
        parts[.sourceName] = source
        parts[.sourceVersion] = version
        let new = SampleOrigin(parts)
        let origin = known[new] ?? new
        known[origin] = origin
        last = (source, version, device, origin)
        return origin
    }

    private static let names: [(String, SampleOrigin.Part)] = [
        ("name:", .deviceName), ("manufacturer:", .manufacturer), ("model:", .model), ("hardware:", .hardware), ("firmware:", .firmware),
        ("software:", .software), ("localIdentifier:", .localIdentifier), ("UDIDeviceIdentifier:", .udi),
    ]

    /// Reads `<<HKDevice: 0x2825f1a40>, name:Apple Watch, manufacturer:Apple Inc., hardware:Watch6,2, software:8.1>`.
    private static func parts(of description: String) -> [SampleOrigin.Part: String] {
        var text = description[...]
        if text.hasPrefix("<<HKDevice:"), let end = text.firstIndex(of: ">") { text = text[text.index(after: end)...] }
        if text.hasSuffix(">") { text.removeLast() }
        var parts: [SampleOrigin.Part: String] = [:]
        var current: SampleOrigin.Part?
        for piece in text.components(separatedBy: ", ") where !piece.isEmpty {
            if let (name, part) = names.first(where: { piece.hasPrefix($0.0) }) {
                current = part
                parts[part] = String(piece.dropFirst(name.count))
            } else if piece.hasPrefix("creation date:") {
                current = nil
            } else if let current {
                // A comma in a value.
                parts[current, default: ""] += ", " + piece
            }
        }
        return parts
    }
}
