import FireLiteCore
import Foundation

/// Data points of Open mHealth and IEEE 1752: a header with id and schema, and a body with a value and its time.
enum OpenMHealth {
    /// The members of bodies that hold a number, by the names of the schemas.
    private static let quantities: [String: (member: String, type: SampleType)] = [
        "heart-rate": ("heart_rate", .heartRate), "step-count": ("step_count", .stepCount), "body-weight": ("body_weight", .bodyMass),
        "body-height": ("body_height", .height), "blood-glucose": ("blood_glucose", .bloodGlucose),
        "body-temperature": ("body_temperature", .bodyTemperature), "oxygen-saturation": ("oxygen_saturation", .oxygenSaturation),
        "respiratory-rate": ("respiratory_rate", .respiratoryRate), "calories-burned": ("kcal_burned", .activeEnergyBurned),
        "body-mass-index": ("body_mass_index", .quantity("BodyMassIndex")),
        "rr-interval": ("rr_interval", .quantity("RRInterval")),
    ]
    /// HealthKit's names of units that schemas name otherwise.
    private static let units: [String: String] = [
        "beats/min": "count/min", "breaths/min": "count/min", "steps": "count", "C": "degC", "F": "degF", "K": "K", "lb": "lb", "in": "in",
        "ft": "ft", "mmol/L": "mmol<180.1558800000541>/L", "kg/m2": "count",
    ]

    /// - Throws: `SampleError.damaged` with the line.
    static func sample(_ json: JSONItem) throws -> Sample {
        func damaged(_ message: String) -> SampleError { SampleError(.damaged, message, line: json.line) }
        guard let header = json["header"], let body = json["body"], let name = header["schema_id"]?["name"]?.text else {
            throw damaged("a data point has no header with a schema_id, or no body")
        }
        guard let time = try time(body["effective_time_frame"], damaged) else {
            throw damaged("a data point has no valid effective_time_frame")
        }
        guard let id = (header["id"] ?? header["uuid"])?.text else { throw damaged("a data point has no id") }
        let uuid = UUID(uuidString: id) ?? SampleFingerprint.uuid(of: "omh|\(id)")
        let provenance = header["acquisition_provenance"]
        let source = provenance?["source_name"]?.text ?? header["external_datasheets"]?.items.first?["datasheet_reference"]?.text ?? ""
        var metadata: [String: String] = [:]
        if let modality = (provenance?["modality"] ?? header["modality"])?.text { metadata["modality"] = modality }
        if let id = provenance?["source_data_point_id"]?.text { metadata["source_data_point_id"] = id }
        func sample(_ type: SampleType, uuid: UUID, value: Sample.Value, metadata: [String: String]) -> Sample {
            Sample(
                uuid: uuid, type: type, start: SampleTime.date(time.start), end: SampleTime.date(time.end), zone: time.zone, value: value,
                origin: SampleOrigin([.sourceName: source]), metadata: metadata)
        }
        if name == "blood-pressure" {
            let parts = [
                ("systolic_blood_pressure", SampleType.bloodPressureSystolic), ("diastolic_blood_pressure", .bloodPressureDiastolic),
            ]
            .compactMap { member, type in
                quantity(body[member], type).map {
                    sample(type, uuid: SampleFingerprint.uuid(of: "omh|\(id)|\(member)"), value: $0, metadata: [:])
                }
            }
            guard parts.count == 2 else { throw damaged("a blood pressure lacks a value") }
            return sample(.bloodPressure, uuid: uuid, value: .correlation(parts), metadata: metadata)
        }
        guard let known = quantities[name] else { throw damaged("the schema '\(name)' is not known") }
        guard let value = quantity(body[known.member], known.type) else { throw damaged("a data point has no \(known.member)") }
        return sample(known.type, uuid: uuid, value: value, metadata: metadata)
    }

    private static func quantity(_ json: JSONItem?, _ type: SampleType) -> Sample.Value? {
        if let number = json?.number { return .quantity(number, unit: "count") }
        guard let number = json?["value"]?.number, let unit = json?["unit"]?.text else { return nil }
        // HealthKit's percentages, and so those of samples, are fractions.
        if unit == "%" { return SampleUnits.shifted(number, by: -2).map { .quantity($0, unit: "%") } }
        return .quantity(number, unit: units[unit] ?? unit)
    }

    private static func time(
        _ frame: JSONItem?, _ damaged: (String) -> SampleError
    ) throws -> (start: Int64, end: Int64, zone: TimeZone?)? {
        func read(_ json: JSONItem?) -> (milliseconds: Int64, offset: Int?)? { json?.text.flatMap { SampleTime.read($0) } }
        if let time = read(frame?["date_time"]) { return (time.milliseconds, time.milliseconds, time.offset.flatMap(FixedZones.zone)) }
        guard let interval = frame?["time_interval"] else { return nil }
        var (start, end) = (read(interval["start_date_time"]), read(interval["end_date_time"]))
        if let duration = interval["duration"], let number = duration["value"]?.number, let unit = duration["unit"]?.text {
            let names = ["sec": "s", "Min": "min", "wk": "wk"]
            guard let seconds = SampleUnits.convert(number, from: names[unit] ?? unit, to: "s")?.doubleValue else {
                throw damaged("a duration has the unit '\(unit)', which is not known")
            }
            // The years from 1 to 9999 have fewer.
            guard seconds.magnitude < 400_000_000_000 else { throw damaged("a duration is too long") }
            let length = Int64((seconds * 1_000).rounded())
            if let known = start, end == nil { end = (known.milliseconds + length, known.offset) }
            if let known = end, start == nil { start = (known.milliseconds - length, known.offset) }
        }
        guard let start, let end else { return nil }
        return (start.milliseconds, end.milliseconds, start.offset.flatMap(FixedZones.zone))
    }
}
