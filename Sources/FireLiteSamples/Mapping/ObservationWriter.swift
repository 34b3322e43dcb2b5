import FireLiteCore
import Foundation

/// Writes samples as the JSON of Observations.
///
/// As JSON and not as objects of a release: the text is what servers get, and one text serves every release; reading it into objects for the
/// store takes less time than storing them. What is the same in all samples of a type is written once.
package struct ObservationWriter: Sendable {
    static let metadataURL = "urn:firelite:sample-metadata"
    static let quantityURL = "urn:firelite:sample-quantity"
    static let zoneURL = "urn:firelite:sample-zone"
    static let identifierURL = "urn:firelite:sample-identifier"

    /// The parts that all samples of a type share.
    private struct Template: Sendable {
        /// `"meta":{…},`, or nothing.
        let meta: [UInt8]
        /// `"status":"final","category":[…],"code":{…}`.
        let coding: [UInt8]
        /// `"code":{…}`.
        let code: [UInt8]
        let unit: SampleMapping.Unit?
        /// The UCUM code that numbers are converted into.
        let target: String?
        /// `,"unit":…,"system":…,"code":…}`.
        let unitText: [UInt8]
        let values: [String: [SampleCoding]]
    }

    let mapping: SampleMapping
    let release: FHIRRelease
    private let templates: [SampleType: Template]
    private var isStandard: Bool { mapping.form == .standard }

    package init(_ mapping: SampleMapping, release: FHIRRelease) {
        self.mapping = mapping
        self.release = release
        var templates: [SampleType: Template] = [:]
        for (type, entry) in mapping.entries { templates[type] = Self.template(type, entry: entry, mapping: mapping, release: release) }
        self.templates = templates
    }

    private static func template(
        _ type: SampleType, entry: SampleMapping.Entry, mapping: SampleMapping, release: FHIRRelease
    ) -> Template {
        let isStandard = mapping.form == .standard
        var meta = JSONBytes(capacity: 128)
        if isStandard, mapping.subject != nil, !entry.profiles.isEmpty {
            meta.raw("\"meta\":{\"profile\":[")
            meta.raw(entry.profiles.map { JSONText.string($0) }.joined(separator: ","))
            meta.raw("]},")
        }
        var code = JSONBytes(capacity: 256)
        code.raw("\"code\":")
        code.concept(entry.codes + [SampleCoding(system: SampleMapping.system, code: type.rawValue)])
        var coding = JSONBytes(capacity: 512)
        if isStandard {
            coding.raw("\"status\":\"final\",")
            let categories = entry.categories.map {
                SampleCoding(system: "http://terminology.hl7.org/CodeSystem/observation-category", code: $0)
            }
            if release.facts.hasOneCategory, let first = categories.first {
                coding.raw("\"category\":")
                coding.concept([first])
                coding.raw(",")
            } else if !categories.isEmpty {
                coding.raw("\"category\":[")
                for (index, category) in categories.enumerated() {
                    if index > 0 { coding.raw(",") }
                    coding.concept([category])
                }
                coding.raw("],")
            }
        }
        coding.raw(code.bytes)
        var unitText = JSONBytes(capacity: 128)
        if let unit = entry.unit { unitText.unit(unit) }
        return Template(
            meta: meta.bytes, coding: coding.bytes, code: code.bytes, unit: entry.unit,
            target: entry.unit.map { isStandard ? $0.code : SampleUnits.code(of: $0.unit) }, unitText: unitText.bytes,
            values: entry.values)
    }

    private func template(_ type: SampleType) -> Template {
        templates[type] ?? Self.template(type, entry: SampleMapping.Entry(), mapping: mapping, release: release)
    }

    // MARK: - Numbers

    /// A quantity in the mapping's unit; nil if it cannot be converted.
    func mapped(_ number: FHIRDecimal, _ unit: String, _ type: SampleType) -> FHIRDecimal? { mapped(number, unit, template(type)) }

    private func mapped(_ number: FHIRDecimal, _ unit: String, _ template: Template) -> FHIRDecimal? {
        guard let target = template.target else { return number }
        if !isStandard, unit == "%", target == "%" { return number }
        return SampleUnits.convert(number, from: unit, to: target)
    }

    // MARK: - Observations

    /// The JSON of an Observation.
    ///
    /// - Parameters:
    ///   - id: the id of the resource; nil to leave it out.
    ///   - device: the reference of the device; nil to leave it out.
    package func json(_ sample: Sample, id: String?, device: String?) -> [UInt8] {
        var json = JSONBytes()
        append(sample, id: id, device: device, to: &json)
        return json.bytes
    }

    func append(_ sample: Sample, id: String?, device: String?, to json: inout JSONBytes) {
        let template = template(sample.type)
        let identifier = id ?? sample.identifier
        json.raw("{\"resourceType\":\"Observation\",")
        if let id {
            json.member("id", id)
            json.raw(",")
        }
        json.raw(template.meta)
        if isStandard { extensions(sample, template, &json) }
        json.raw("\"identifier\":[{\"system\":\"com.apple.health\",")
        json.member("value", identifier)
        json.raw("}],")
        json.raw(template.coding)
        if let subject = mapping.subject {
            json.raw(",\"subject\":{")
            json.member("reference", subject)
            json.raw("}")
        }
        effective(sample, &json)
        value(sample, template, &json)
        if let device {
            json.raw(",\"device\":{")
            json.member("reference", device)
            json.raw("}")
        }
        components(sample, &json)
        json.raw("}")
    }

    private func effective(_ sample: Sample, _ json: inout JSONBytes) {
        func time(_ time: Int64) {
            json.raw("\"")
            guard let zone = sample.zone else {
                SampleTime.append(time, offset: 0, to: &json.bytes)
                return json.raw("\"")
            }
            let offset = zone.secondsFromGMT(for: SampleTime.date(time))
            SampleTime.append(time, offset: offset, to: &json.bytes)
            // A known zone at Greenwich differs from none.
            if offset == 0, json.bytes.last == 90 {
                json.bytes.removeLast()
                json.raw("+00:00")
            }
            json.raw("\"")
        }
        if sample.startTime == sample.endTime {
            json.raw(",\"effectiveDateTime\":")
            time(sample.startTime)
        } else {
            json.raw(",\"effectivePeriod\":{\"start\":")
            time(sample.startTime)
            json.raw(",\"end\":")
            time(sample.endTime)
            json.raw("}")
        }
    }

    private func value(_ sample: Sample, _ template: Template, _ json: inout JSONBytes) {
        switch sample.value {
        case .quantity(let number, let unit):
            json.raw(",\"valueQuantity\":")
            quantity(number, unit: unit, template: template, json: &json)
        case .category(let name):
            json.raw(",\"valueCodeableConcept\":")
            json.concept((template.values[name] ?? []) + [SampleCoding(system: SampleMapping.system, code: name)])
        case .workout(let workout):
            json.raw(",\"valueCodeableConcept\":")
            json.concept((template.values[workout.activity] ?? []) + [SampleCoding(system: SampleMapping.system, code: workout.activity)])
        case .correlation: break
        }
    }

    private func quantity(
        _ number: FHIRDecimal, unit: String, template: Template, json: inout JSONBytes
    ) {
        json.raw("{\"value\":")
        if template.unit != nil, let mapped = mapped(number, unit, template) {
            json.raw(mapped.literal)
            json.raw(template.unitText)
        } else {
            // Nothing is lost where the units have nothing in common.
            json.raw(number.literal)
            json.unit(SampleMapping.Unit(unit, code: SampleUnits.code(of: unit)))
        }
    }

    private func components(_ sample: Sample, _ json: inout JSONBytes) {
        switch sample.value {
        case .correlation(let parts) where !parts.isEmpty:
            json.raw(",\"component\":[")
            for (index, part) in parts.enumerated() {
                let template = template(part.type)
                json.raw(index > 0 ? ",{" : "{")
                if isStandard {
                    json.raw("\"extension\":[")
                    json.extended(Self.identifierURL, part.identifier)
                    if let original = original(part, template) {
                        json.raw(",")
                        json.extended(original)
                    }
                    json.raw("],")
                }
                json.raw(template.code)
                value(part, template, &json)
                json.raw("}")
            }
            json.raw("]")
        case .workout(let workout):
            var count = 0
            func begin(_ type: SampleType) -> Template {
                let template = template(type)
                json.raw(count == 0 ? ",\"component\":[{" : ",{")
                json.raw(template.code)
                json.raw(",\"valueQuantity\":")
                count += 1
                return template
            }
            if let duration = workout.duration {
                _ = begin(ObservationReader.durationType)
                json.raw("{\"value\":" + duration.literal)
                json.unit(SampleMapping.Unit("s", code: "s"))
                json.raw("}")
            }
            for (type, total) in workout.totals.sorted(by: { $0.key < $1.key }) {
                let template = begin(type)
                quantity(total.value, unit: total.unit, template: template, json: &json)
                json.raw("}")
            }
            if count > 0 { json.raw("]") }
        default: break
        }
    }

    // MARK: - What makes it lossless

    /// The number as the source gave it, if the number in the mapping's unit does not lead back to it.
    private func original(_ sample: Sample, _ template: Template) -> (FHIRDecimal, String)? {
        guard case .quantity(let number, let unit) = sample.value else { return nil }
        let mapped = template.unit == nil ? nil : mapped(number, unit, template)
        let code = mapped == nil ? SampleUnits.code(of: unit) : template.unit?.code ?? ""
        let back = ObservationReader.sourceQuantity(mapped ?? number, code: code)
        return back.number == number && back.unit == unit ? nil : (number, unit)
    }

    private func extensions(_ sample: Sample, _ template: Template, _ json: inout JSONBytes) {
        let original = original(sample, template)
        let zone = sample.zone.flatMap { $0.identifier.hasPrefix("GMT") ? nil : $0.identifier }
        guard original != nil || zone != nil || !sample.metadata.isEmpty else { return }
        json.raw("\"extension\":[")
        var isFirst = true
        func separate() {
            if !isFirst { json.raw(",") }
            isFirst = false
        }
        if let original {
            separate()
            json.extended(original)
        }
        if let zone {
            separate()
            json.extended(Self.zoneURL, zone)
        }
        for (name, value) in sample.metadata.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            separate()
            json.raw("{\"url\":\"\(Self.metadataURL)\",\"extension\":[")
            json.extended("name", name)
            json.raw(",")
            json.extended("value", value)
            json.raw("]}")
        }
        json.raw("],")
    }
}

extension JSONBytes {
    fileprivate mutating func concept(_ codings: [SampleCoding]) {
        raw("{\"coding\":[")
        for (index, coding) in codings.enumerated() {
            raw(index > 0 ? ",{" : "{")
            member("system", coding.system)
            raw(",")
            member("code", coding.code)
            if let display = coding.display {
                raw(",")
                member("display", display)
            }
            raw("}")
        }
        raw("]}")
    }

    /// `,"unit":…,"system":…,"code":…}`.
    fileprivate mutating func unit(_ unit: SampleMapping.Unit) {
        raw(",")
        member("unit", unit.unit)
        raw(",")
        member("system", unit.system)
        raw(",")
        member("code", unit.code)
        raw("}")
    }

    fileprivate mutating func extended(_ url: String, _ text: String) {
        raw("{")
        member("url", url)
        raw(",")
        member("valueString", text)
        raw("}")
    }

    fileprivate mutating func extended(_ original: (FHIRDecimal, String)) {
        raw("{\"url\":\"\(ObservationWriter.quantityURL)\",\"valueQuantity\":{\"value\":" + original.0.literal + ",")
        member("unit", original.1)
        raw("}}")
    }
}

extension ObservationWriter {
    /// Whether a number comes back from the mapping's unit as it was.
    func isLossless(_ sample: Sample) -> Bool {
        guard case .quantity(let number, let unit) = sample.value, let mapped = mapped(number, unit, sample.type) else { return false }
        let code = mapping.entries[sample.type]?.unit?.code ?? SampleUnits.code(of: unit)
        let back = ObservationReader.sourceQuantity(mapped, code: code)
        return back.number == number && back.unit == unit
    }

    /// The JSON of a series; nil if a number would not come back as it was.
    func json(_ series: SampledSeries, id: String?, device: String?) -> [UInt8]? {
        guard let first = series.samples.first, let last = series.samples.last, case .quantity(_, let unit) = first.value else {
            return nil
        }
        let template = template(first.type)
        let target = template.unit ?? SampleMapping.Unit(unit, code: SampleUnits.code(of: unit))
        var data = ""
        var place: Int64 = 0
        for sample in series.samples {
            guard case .quantity(let number, let unit) = sample.value, let mapped = mapped(number, unit, sample.type) else { return nil }
            let back = ObservationReader.sourceQuantity(mapped, code: target.code)
            guard back.number == number, back.unit == unit else { return nil }
            let next = (sample.startTime - first.startTime) / Int64(series.period)
            while place < next {
                data += "E "
                place += 1
            }
            data += mapped.literal + " "
            place += 1
        }
        data.removeLast()
        var json = JSONBytes(capacity: 4_096)
        json.raw("{\"resourceType\":\"Observation\",")
        if let id {
            json.member("id", id)
            json.raw(",")
        }
        if let zone = first.zone, !zone.identifier.hasPrefix("GMT") {
            json.raw("\"extension\":[")
            json.extended(Self.zoneURL, zone.identifier)
            json.raw("],")
        }
        json.raw("\"identifier\":[")
        for (index, sample) in series.samples.enumerated() {
            json.raw(index > 0 ? ",{" : "{")
            json.member("system", SampleMapping.system)
            json.raw(",")
            json.member("value", sample.identifier)
            json.raw("}")
        }
        json.raw("],")
        json.raw(template.coding)
        if let subject = mapping.subject {
            json.raw(",\"subject\":{")
            json.member("reference", subject)
            json.raw("}")
        }
        var span = first
        span.endTime = last.startTime == first.startTime ? last.startTime + 1 : last.startTime
        effective(span, &json)
        json.raw(",\"valueSampledData\":{\"origin\":{\"value\":0")
        json.unit(target)
        let interval = release.facts.sampledDataInterval
        json.raw(",\"\(interval.name)\":\(series.period)")
        if let unit = interval.unit { json.raw(",\"\(unit)\":\"ms\"") }
        json.raw(",\"dimensions\":1,")
        json.member("data", data)
        json.raw("}")
        if let device {
            json.raw(",\"device\":{")
            json.member("reference", device)
            json.raw("}")
        }
        json.raw("}")
        return json.bytes
    }
}
