import FireLiteCore
import Foundation

extension Sample {
    /// The sample as a JSON object on one line, as ``NDJSONSamples`` reads it.
    public var json: String {
        let offset = zone?.secondsFromGMT(for: start) ?? 0
        var members: [(name: String, json: String)] = [
            ("uuid", JSONText.string(identifier)), ("type", JSONText.string(type.rawValue)),
            ("start", JSONText.string(SampleTime.text(startTime, offset: offset))),
        ]
        if endTime != startTime { members.append(("end", JSONText.string(SampleTime.text(endTime, offset: offset)))) }
        if let zone { members.append(("zone", JSONText.string(zone.identifier))) }
        switch value {
        case .quantity(let number, let unit): members += [("value", number.literal), ("unit", JSONText.string(unit))]
        case .category(let name): members.append(("category", JSONText.string(name)))
        case .correlation(let parts): members.append(("parts", JSONText.array(parts.map(\.json))))
        case .workout(let workout):
            members.append(("activity", JSONText.string(workout.activity)))
            if let duration = workout.duration { members.append(("duration", duration.literal)) }
            let totals = workout.totals.sorted { $0.key < $1.key }.map { type, total in
                (name: type.rawValue, json: "{\"value\":\(total.value.literal),\"unit\":\(JSONText.string(total.unit))}")
            }
            if !totals.isEmpty { members.append(("totals", JSONText.object(totals))) }
        }
        let known = SampleOrigin.Part.allCases.compactMap { part in
            origin[part].map { (name: part.rawValue, json: JSONText.string($0)) }
        }
        if !known.isEmpty { members.append(("source", JSONText.object(known))) }
        let facts = metadata.sorted { $0.key < $1.key }.map { (name: $0.key, json: JSONText.string($0.value)) }
        if !facts.isEmpty { members.append(("metadata", JSONText.object(facts))) }
        return JSONText.object(members)
    }

    /// - Throws: `SampleError.damaged` with the line.
    init(_ json: JSONItem) throws {
        func damaged(_ message: String) -> SampleError { SampleError(.damaged, message, line: json.line) }
        guard let type = json["type"]?.text else { throw damaged("a sample has no type") }
        guard let start = json["start"]?.text.flatMap({ SampleTime.read($0) }) else { throw damaged("a sample has no valid start") }
        var end: Int64?
        if let value = json["end"] {
            guard let time = value.text.flatMap({ SampleTime.read($0) }) else { throw damaged("a sample has no valid end") }
            end = time.milliseconds
        }
        var parts: [SampleOrigin.Part: String] = [:]
        for (name, value) in json["source"]?.pairs ?? [] { if let part = SampleOrigin.Part(rawValue: name) { parts[part] = value.text } }
        var metadata: [String: String] = [:]
        for (name, value) in json["metadata"]?.pairs ?? [] { metadata[name] = value.text ?? value.number?.literal }
        let value: Value
        if let number = json["value"]?.number {
            value = .quantity(number, unit: json["unit"]?.text ?? "count")
        } else if let name = json["category"]?.text {
            value = .category(name)
        } else if let activity = json["activity"]?.text {
            var workout = WorkoutValue(activity: activity, duration: json["duration"]?.number)
            for (name, total) in json["totals"]?.pairs ?? [] {
                if let number = total["value"]?.number, let unit = total["unit"]?.text {
                    workout.totals[SampleType(rawValue: name)] = WorkoutTotal(number, unit: unit)
                }
            }
            value = .workout(workout)
        } else if let parts = json["parts"], parts.isArray {
            value = .correlation(try parts.items.map { try Sample($0) })
        } else {
            throw damaged("a sample has no value, category, activity or parts")
        }
        let isUniversal = json["start"]?.text?.hasSuffix("Z") ?? false
        let zone = json["zone"]?.text.flatMap { TimeZone(identifier: $0) } ?? (isUniversal ? nil : start.offset.flatMap(FixedZones.zone))
        var uuid = json["uuid"]?.text.flatMap { UUID(uuidString: $0) }
        if json["uuid"] != nil, uuid == nil { throw damaged("a sample's uuid is not a UUID") }
        if uuid == nil {
            var text = "\(type)|\(start.milliseconds)|\(end ?? start.milliseconds)"
            for name in ["value", "unit", "category", "activity"] { text += "|\(json[name]?.text ?? json[name]?.number?.literal ?? "")" }
            uuid = SampleFingerprint.uuid(of: text)
        }
        self.init(
            uuid: uuid ?? UUID(), type: SampleType(rawValue: type), start: SampleTime.date(start.milliseconds),
            end: end.map(SampleTime.date), zone: zone, value: value, origin: SampleOrigin(parts), metadata: metadata)
    }
}
