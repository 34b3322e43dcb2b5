import FireLiteCore
import Foundation

/// Makes samples of the elements of Apple's `export.xml`.
final class ExportReader {
    private let scanner: ExportScanner
    /// Types whose records of their own are left out, as their correlations hold them too.
    private let leftOut: Set<SampleType>
    private var origins = ExportOrigins()
    private var types: [String: SampleType] = [:]
    /// Elements that are no samples, by name.
    private(set) var ignored: [String: Int] = [:]

    init(_ scanner: ExportScanner, leavingOut parts: Set<SampleType>) {
        self.scanner = scanner
        leftOut = parts
    }

    /// The next sample; nil at the end.
    ///
    /// - Throws: `SampleError.damaged`.
    func next() throws -> Sample? {
        while let tag = try scanner.next() {
            guard tag != .end else { continue }
            var sample: Sample?
            if scanner.isNamed("Record") {
                sample = try record(tag)
                if let type = sample?.type, leftOut.contains(type) { continue }
            } else if scanner.isNamed("Correlation") {
                sample = try correlation(tag)
            } else if scanner.isNamed("Workout") {
                sample = try workout(tag)
            } else if !scanner.isNamed("HealthData") {
                ignored[scanner.text(scanner.name), default: 0] += 1
            }
            if let sample { return sample }
        }
        return nil
    }

    // MARK: - Elements

    /// What every kind of sample has.
    private struct Frame {
        let type: SampleType
        let start: Int64
        let end: Int64
        let zone: TimeZone?
        let origin: SampleOrigin

        func sample(_ value: Sample.Value) -> Sample {
            Sample(
                uuid: UUID(uuid: ExportReader.noUUID), type: type, start: SampleTime.date(start), end: SampleTime.date(end), zone: zone,
                value: value,
                origin: origin)
        }
    }

    fileprivate static let noUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    private func frame(_ type: String?) throws -> Frame {
        guard let type else { throw scanner.damaged("an element has no type") }
        guard let startPlace = scanner.value("startDate"), let start = scanner.withBytes(startPlace, { SampleTime.read($0) }) else {
            throw scanner.damaged("an element has no valid startDate")
        }
        var end = start.milliseconds
        if let place = scanner.value("endDate") {
            guard let time = scanner.withBytes(place, { SampleTime.read($0) }) else {
                throw scanner.damaged("an element has no valid endDate")
            }
            end = time.milliseconds
        }
        return Frame(
            type: known(type), start: start.milliseconds, end: end, zone: start.offset.flatMap(FixedZones.zone),
            origin: origins.origin(scanner))
    }

    private func known(_ name: String) -> SampleType {
        if let type = types[name] { return type }
        let type = SampleType(rawValue: name)
        types[name] = type
        return type
    }

    private func record(_ tag: ExportScanner.Tag) throws -> Sample {
        let frame = try frame(scanner.text("type"))
        let text = scanner.text("value") ?? ""
        var value = Sample.Value.category(text.isEmpty ? "HKCategoryValueNotApplicable" : text)
        if let unit = scanner.text("unit"), let number = FHIRDecimal(text), frame.type.kind != .category {
            value = .quantity(number, unit: unit)
        }
        var sample = frame.sample(value)
        if tag == .start { try children(of: "Record", &sample) }
        return identified(sample)
    }

    private func correlation(_ tag: ExportScanner.Tag) throws -> Sample {
        var sample = try frame(scanner.text("type")).sample(.correlation([]))
        if tag == .start { try children(of: "Correlation", &sample) }
        return identified(sample)
    }

    private func workout(_ tag: ExportScanner.Tag) throws -> Sample {
        let frame = try frame(SampleType.workout.rawValue)
        var workout = WorkoutValue(activity: scanner.text("workoutActivityType") ?? "HKWorkoutActivityTypeOther")
        if let number = scanner.text("duration").flatMap({ FHIRDecimal($0) }) {
            workout.duration = SampleUnits.convert(number, from: scanner.text("durationUnit") ?? "min", to: "s")
        }
        // What exports had before they had statistics.
        for (name, unit, type) in Self.totals {
            if let number = scanner.text(name).flatMap({ FHIRDecimal($0) }), let unit = scanner.text(unit) {
                workout.totals[type] = WorkoutTotal(number, unit: unit)
            }
        }
        var sample = frame.sample(.workout(workout))
        if tag == .start { try children(of: "Workout", &sample) }
        return identified(sample)
    }

    private static let totals: [(StaticString, StaticString, SampleType)] = [
        ("totalDistance", "totalDistanceUnit", .quantity("DistanceWalkingRunning")),
        ("totalEnergyBurned", "totalEnergyBurnedUnit", .activeEnergyBurned),
    ]

    /// Reads what is inside an element, to its end.
    private func children(of name: StaticString, _ sample: inout Sample) throws {
        var depth = 0
        while let tag = try scanner.next() {
            if tag == .end {
                if depth == 0, scanner.isNamed(name) { return }
                depth -= 1
                continue
            }
            if depth == 0 {
                if scanner.isNamed("MetadataEntry") {
                    if let key = scanner.text("key"), !key.isEmpty { metadata(key, scanner.text("value") ?? "", &sample) }
                } else if scanner.isNamed("Record"), case .correlation(let parts) = sample.value {
                    sample.value = .correlation(parts + [try record(tag)])
                    continue
                } else if scanner.isNamed("WorkoutStatistics"), case .workout(var workout) = sample.value {
                    if let type = scanner.text("type"), let sum = scanner.text("sum").flatMap({ FHIRDecimal($0) }),
                        let unit = scanner.text("unit")
                    {
                        workout.totals[known(type)] = WorkoutTotal(sum, unit: unit)
                        sample.value = .workout(workout)
                    }
                }
            }
            if tag == .start { depth += 1 }
        }
        throw scanner.damaged("the file ends inside an element")
    }

    private func metadata(_ key: String, _ value: String, _ sample: inout Sample) {
        if key == "HKTimeZone", let zone = TimeZone(identifier: value) { sample.zone = zone }
        if !value.isEmpty { sample.metadata[key] = value }
    }

    // MARK: - Identity

    /// The sample with a UUID made of its content, as the file has none: so the next export has the same ones.
    private func identified(_ sample: Sample) -> Sample {
        var sample = sample
        var text = "\(sample.type.rawValue)|\(sample.startTime)|\(sample.endTime)|\(sample.origin.canonical)|"
        switch sample.value {
        case .quantity(let number, let unit): text += "\(number.literal)|\(unit)"
        case .category(let name): text += name
        case .correlation(let parts): for part in parts { text += part.identifier }
        case .workout(let workout): text += "\(workout.activity)|\(workout.duration?.literal ?? "")"
        }
        sample.uuid = SampleFingerprint.uuid(of: text)
        return sample
    }
}

/// The origins in a file: the same one is the same object, whatever memory address stands in the description of its device.
private struct ExportOrigins {
    private var last: (source: String, version: String, device: [UInt8], origin: SampleOrigin)?
    private var known: [SampleOrigin: SampleOrigin] = [:]

    mutating func origin(_ scanner: ExportScanner) -> SampleOrigin {
        let source = scanner.text("sourceName") ?? ""
        let version = scanner.text("sourceVersion") ?? ""
        let place = scanner.value("device") ?? 0..<0
        if let last, last.source == source, last.version == version,
            scanner.withBytes(place, { $0.count == last.device.count && $0.elementsEqual(last.device) })
        {
            return last.origin
        }
        var parts = Self.parts(of: scanner.text(place))
        parts[.sourceName] = source
        parts[.sourceVersion] = version
        let new = SampleOrigin(parts)
        let origin = known[new] ?? new
        known[origin] = origin
        last = (source, version, scanner.withBytes(place) { Array($0) }, origin)
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
