/// Where a sample comes from: the app that recorded it and the device that measured it. Samples share it.
public final class SampleOrigin: Sendable, Hashable {
    /// A part of an origin.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// The name of the app or of the phone or watch.
        case sourceName
        /// The identifier of the app.
        case bundleIdentifier
        /// The version of the app.
        case sourceVersion
        /// The version of the operating system.
        case systemVersion
        /// The name of the device.
        case deviceName = "name"
        /// The manufacturer of the device.
        case manufacturer
        /// The model of the device.
        case model
        /// The version of the hardware.
        case hardware
        /// The version of the firmware.
        case firmware
        /// The version of the device's software.
        case software
        /// The identifier of the device on the phone.
        case localIdentifier
        /// The device identifier part of the unique device identification.
        case udi = "UDIDeviceIdentifier"
    }

    /// The parts that are known.
    public let parts: [Part: String]
    /// The parts in a fixed order, for fingerprints.
    let canonical: String
    /// A number of the parts.
    let fingerprint: Int64
    /// The id of the origin's Device.
    package let deviceID: String

    /// Creates an origin.
    ///
    /// - Parameter parts: what is known; empty texts count as unknown.
    public init(_ parts: [Part: String] = [:]) {
        let known = parts.filter { !$0.value.isEmpty }
        self.parts = known
        canonical = Part.allCases.map { known[$0] ?? "" }.joined(separator: "\u{1F}")
        var fingerprint = SampleFingerprint()
        fingerprint.add(canonical)
        self.fingerprint = fingerprint.number
        deviceID = known.isEmpty ? "" : SampleFingerprint.uuid(of: "device\u{1F}" + canonical).lowercased
    }

    /// - Parameter name: its parts as `canonical` has them.
    convenience init(named name: String) {
        let parts = name.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
        self.init(Dictionary(zip(Part.allCases, parts)) { $1 })
    }

    /// A part; nil if unknown.
    public subscript(part: Part) -> String? { parts[part] }

    /// The name of the source; empty if unknown. Priorities of sources go by it.
    public var name: String { parts[.sourceName] ?? parts[.bundleIdentifier] ?? parts[.deviceName] ?? "" }

    /// Whether anything about a device is known.
    public var isEmpty: Bool { parts.isEmpty }

    /// Whether both have the same parts.
    public static func == (left: SampleOrigin, right: SampleOrigin) -> Bool { left === right || left.parts == right.parts }

    /// Hashes the parts.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
