import FireLiteCore
import Foundation

/// Reads samples back from Observations that `ObservationWriter` has written.
enum ObservationReader {
    static let durationType = SampleType(rawValue: "HKWorkoutDuration")

    /// HealthKit's names of the units whose UCUM codes are others.
    private static let sourceUnits: [String: String] = [
        "/min": "count/min", "mm[Hg]": "mmHg", "Cel": "degC", "[degF]": "degF", "[lb_av]": "lb", "[in_i]": "in", "[ft_i]": "ft",
        "[mi_i]": "mi", "ug": "mcg", "h": "hr", "dB[SPL]": "dBASPL", "[iU]": "IU", "km/h": "km/hr", "kcal/kg/h": "kcal/hr·kg",
        "mL/kg/min": "mL/min·kg", "kg/m2": "count", "mmol/L": "mmol<180.1558800000541>/L",
    ]

    /// A number in a UCUM unit as HealthKit gives it.
    static func sourceQuantity(_ number: FHIRDecimal, code: String) -> (number: FHIRDecimal, unit: String) {
        if code == "%" { return (SampleUnits.shifted(number, by: -2) ?? number, "%") }
        if code.hasPrefix("{") { return (number, "count") }
        return (number, sourceUnits[code] ?? code)
    }

    /// The sample of an Observation; nil if it is none of a sample.
    ///
    /// - Parameters:
    ///   - resource: an Observation.
    ///   - origin: the app and the device.
    static func sample(_ resource: FHIRResource, origin: SampleOrigin) throws -> Sample? {
        sample(try FHIRJSON.withUTF8(of: resource) { try JSONItem.read($0) }, origin: origin)
    }

    static func sample(_ json: JSONItem, origin: SampleOrigin) -> Sample? {
        let identifier = json["identifier"]?.items.first { $0["system"]?.text == SampleMapping.system }?["value"]?.text
        guard let uuid = identifier.flatMap({ UUID(uuidString: $0) }), let type = type(json["code"]), let time = time(json) else {
            return nil
        }
        let extensions = json["extension"]?.items ?? []
        guard let value = value(json, type, extensions, time: time) else { return nil }
        let zone = text(extensions, ObservationWriter.zoneURL).flatMap { TimeZone(identifier: $0) }
        var sample = Sample(
            uuid: uuid, type: type, start: SampleTime.date(time.start), end: SampleTime.date(time.end),
            zone: zone ?? time.offset.flatMap(FixedZones.zone), value: value, origin: origin)
        for item in extensions where item["url"]?.text == ObservationWriter.metadataURL {
            let parts = item["extension"]?.items ?? []
            if let name = text(parts, "name") { sample.metadata[name] = text(parts, "value") ?? "" }
        }
        return sample
    }

    private static func text(_ extensions: [JSONItem], _ url: String) -> String? {
        extensions.first { $0["url"]?.text == url }?["valueString"]?.text
    }

    private static func type(_ concept: JSONItem?) -> SampleType? {
        concept?["coding"]?.items.first { $0["system"]?.text == SampleMapping.system }?["code"]?.text.map { SampleType(rawValue: $0) }
    }

    private static func value(_ concept: JSONItem?) -> String? {
        concept?["coding"]?.items.first { $0["system"]?.text == SampleMapping.system }?["code"]?.text
    }

    private struct Time {
        let start: Int64
        let end: Int64
        let offset: Int?
    }

    private static func time(_ json: JSONItem) -> Time? {
        func read(_ value: JSONItem?) -> (Int64, Int?)? {
            guard let text = value?.text, let time = SampleTime.read(text) else { return nil }
            return (time.milliseconds, text.hasSuffix("Z") ? nil : time.offset)
        }
        if let period = json["effectivePeriod"] {
            guard let start = read(period["start"]), let end = read(period["end"]) else { return nil }
            return Time(start: start.0, end: end.0, offset: start.1)
        }
        return read(json["effectiveDateTime"]).map { Time(start: $0.0, end: $0.0, offset: $0.1) }
    }

    private static func quantity(_ quantity: JSONItem?, _ extensions: [JSONItem]) -> Sample.Value? {
        if let original = extensions.first(where: { $0["url"]?.text == ObservationWriter.quantityURL })?["valueQuantity"],
            let number = original["value"]?.number, let unit = original["unit"]?.text
        {
            return .quantity(number, unit: unit)
        }
        guard let number = quantity?["value"]?.number, let code = quantity?["code"]?.text else { return nil }
        let source = sourceQuantity(number, code: code)
        return .quantity(source.number, unit: source.unit)
    }

    private static func value(_ json: JSONItem, _ type: SampleType, _ extensions: [JSONItem], time: Time) -> Sample.Value? {
        let components = json["component"]?.items ?? []
        if json["valueQuantity"] != nil { return quantity(json["valueQuantity"], extensions) }
        if type == .workout, let activity = value(json["valueCodeableConcept"]) {
            var workout = WorkoutValue(activity: activity)
            for component in components {
                guard let type = self.type(component["code"]),
                    case .quantity(let number, let unit)? = quantity(component["valueQuantity"], [])
                else { continue }
                if type == durationType { workout.duration = number } else { workout.totals[type] = WorkoutTotal(number, unit: unit) }
            }
            return .workout(workout)
        }
        if let name = value(json["valueCodeableConcept"]) { return .category(name) }
        let zone = time.offset.flatMap(FixedZones.zone)
        let parts: [Sample] = components.compactMap { component in
            let own = component["extension"]?.items ?? []
            guard let uuid = text(own, ObservationWriter.identifierURL).flatMap({ UUID(uuidString: $0) }),
                let type = self.type(component["code"]),
                let value = quantity(component["valueQuantity"], own) ?? value(component["valueCodeableConcept"]).map({ .category($0) })
            else { return nil }
            return Sample(
                uuid: uuid, type: type, start: SampleTime.date(time.start), end: SampleTime.date(time.end), zone: zone, value: value)
        }
        return parts.isEmpty ? nil : .correlation(parts)
    }
}
