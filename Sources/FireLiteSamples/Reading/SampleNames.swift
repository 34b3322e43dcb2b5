import FireLite
import FireLiteCore
import Foundation

/// The numbers that rows of `_samples` have for types and origins. Origins are found by the ids of their Devices.
final class SampleNames {
    private(set) var types: [String: Int64] = [:]
    private var origins: Set<Int64> = []
    private var devices: [String: Int64] = [:]
    /// Labels of origins whose names are damaged, by number.
    private var labels: [Int64: String] = [:]
    /// Origins whose labels are not those of their names: the right labels, by number.
    private var wrongLabels: [Int64: String] = [:]

    /// Whether all names and labels of origins are as they are written.
    var isRight: Bool { labels.isEmpty && wrongLabels.isEmpty }

    init(_ tx: ReadTransaction) throws {
        for row in try tx.sampleRows("SELECT number, kind, name, label FROM _samples_name WHERE kind IN ('type', 'origin')") {
            guard let number = row[0].integer else { continue }
            guard row[1].text == "origin" else {
                if let name = row[2].text { types[name] = number }
                continue
            }
            let origin = SampleOrigin(named: row[2].text ?? "")
            guard row[2].text == origin.canonical else {
                labels[number] = row[3].text ?? ""
                continue
            }
            origins.insert(number)
            if !origin.isEmpty { devices[origin.deviceID] = number }
            if row[3].text != origin.name { wrongLabels[number] = origin.name }
        }
    }

    /// The origin of a sample; nil if neither the Device nor the row's number says it.
    func knownOrigin(_ device: String?, _ number: Int64?) -> Int64? {
        if let known = device.flatMap({ devices[String($0.dropFirst("Device/".count))] }) { return known }
        return number.flatMap { $0 == 0 || origins.contains($0) || labels[$0] != nil ? $0 : nil }
    }

    // MARK: - Writing

    /// Corrects labels, and takes out origins with damaged names: rows get their origins again from the Devices.
    ///
    /// - Returns: how many were wrong.
    func mend(_ tx: WriteTransaction) throws -> Int {
        for (number, label) in wrongLabels {
            try tx.runSamples("UPDATE _samples_name SET label = ? WHERE number = ?", [.text(label), .integer(number)])
        }
        for number in labels.keys { try tx.runSamples("DELETE FROM _samples_name WHERE number = ?", [.integer(number)]) }
        let count = wrongLabels.count + labels.count
        wrongLabels = [:]
        (lost, labels) = (labels, [:])
        return count
    }

    /// Labels of origins that were taken out.
    private var lost: [Int64: String] = [:]

    func type(_ name: String, _ tx: WriteTransaction) throws -> Int64 {
        if let known = types[name] { return known }
        let number = try tx.numberOfSampleName("type", name, label: SampleType(rawValue: name).shortName)
        types[name] = number
        return number
    }

    /// The origin of a sample, made of the Device if it is not known; 0, which is that of none, if nothing says it.
    func origin(_ device: String?, _ number: Int64?, _ tx: WriteTransaction) throws -> Int64 {
        if let known = knownOrigin(device, number) { return known }
        var origin = SampleOrigin()
        if let device, device.hasPrefix("Device/"),
            let resource = try tx.resource(typeName: "Device", id: String(device.dropFirst("Device/".count)))
        {
            origin = DeviceWriter.origin(try FHIRJSON.withUTF8(of: resource) { try JSONItem.read($0) }, release: tx.store.release)
        }
        if origin.name.isEmpty, let label = number.flatMap({ lost[$0] }), !label.isEmpty { origin = SampleOrigin([.sourceName: label]) }
        guard !origin.isEmpty else { return 0 }
        let new = try tx.numberOfSampleName("origin", origin.canonical, label: origin.name)
        origins.insert(new)
        devices[origin.deviceID] = new
        if let device { devices[String(device.dropFirst("Device/".count))] = new }
        return new
    }
}
