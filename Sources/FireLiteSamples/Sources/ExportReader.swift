import FireLiteCore
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Makes samples of Apple's `export.xml`: Foundation's XMLParser reads what `ExportFilter` has made of the file, on a thread of its own.
final class ExportReader: NSObject, XMLParserDelegate {
    private static let chunkSize = 512
    /// The parser's error for a file that ends before its elements do, or goes on after them.
    private static let documentEnd = 5
    /// Deep enough for the parser and the closures around it.
    private static let stackSize = 4 << 20
    /// The most parts, totals and metadata of a sample, which is in memory as a whole, and the most names of elements that are counted each.
    private static let mostParts = 100_000
    private static let mostNames = 1_000

    private let queue: ExportQueue
    private let name: String
    /// Types whose records of their own are left out, as their correlations hold them too.
    private let leftOut: Set<SampleType>
    private let skipsDamage: Bool
    private var chunk: [Sample] = []
    private var rejections = SampleRejections()
    /// How many elements are open inside one that was rejected; nil outside of one.
    private var rejected: Int?
    private var origins = ExportOrigins()
    private var types: [String: SampleType] = [:]
    /// Elements that are no samples, by name.
    private var ignored: [String: Int] = [:]
    /// The sample whose element is open, and how many elements are open inside it.
    private var sample: Sample?
    private var depth = 0
    /// What the open sample has so far. It is put together at its end: changing it inside the sample would copy all of it each time.
    private var parts: [Sample] = []
    private var totals: [SampleType: WorkoutTotal] = [:]
    /// The part of a correlation whose element is open, and how many elements are open inside it.
    private var part: Sample?
    private var partDepth = 0
    /// How many elements are open, and whether there was any.
    private var open = 0
    private var isBegun = false
    /// What ended the file early, and its line.
    private var failure: SampleError?
    /// Where the parser met the end of the document before the end of the file, or the other way round.
    private var early: SampleError?
    private var isStopped = false
    /// The text that a sample's UUID is made of.
    private var identity: [UInt8] = []

    /// Begins to read a file.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - name: its name, for errors.
    ///   - parts: types whose records of their own are left out.
    ///   - skipsDamage: whether records that are no samples are skipped.
    /// - Returns: what receives the samples. Whoever has it cancels it.
    static func start(_ file: ExportFile, name: String, leavingOut parts: Set<SampleType>, skipsDamage: Bool) -> ExportQueue {
        let queue = ExportQueue()
        let handover = Handover(file)
        let thread = Thread { ExportReader(queue, name: name, parts: parts, skipsDamage: skipsDamage).run(handover.file) }
        thread.stackSize = stackSize
        thread.start()
        return queue
    }

    /// `@unchecked Sendable`: only the thread that it is made for uses the file.
    private final class Handover: @unchecked Sendable {
        let file: ExportFile

        init(_ file: ExportFile) { self.file = file }
    }

    private init(_ queue: ExportQueue, name: String, parts: Set<SampleType>, skipsDamage: Bool) {
        self.skipsDamage = skipsDamage
        self.queue = queue
        self.name = name
        leftOut = parts
    }

    private func run(_ file: ExportFile) {
        let stream = ExportStream(file) { [queue] in queue.isStopped }
        let parser = XMLParser(stream: stream)
        parser.delegate = self
        parser.shouldResolveExternalEntities = false
        // Its answer does not tell: on Linux it is true for a file that is refused in its first line.
        _ = parser.parse()
        deliver(parser)
        if stream.endsInDocumentType, isBegun == false {
            failure = SampleError(.damaged, "the document type does not end", line: line(parser))
        } else if failure == nil, stream.failure == nil, open > 0 || !isBegun {
            failure = SampleError(.damaged, "the file ends inside an element", line: line(parser))
        }
        if failure == nil, !isStopped { failure = early }
        queue.finish(stream.failure ?? failure)
    }

    private func deliver(_ parser: XMLParser) {
        if !queue.put(chunk, ignored: ignored, rejections: rejections) { stop(parser) }
        chunk.removeAll(keepingCapacity: true)
        rejections = SampleRejections()
    }

    private func stop(_ parser: XMLParser) {
        isStopped = true
        parser.abortParsing()
    }

    private func fail(_ parser: XMLParser, _ message: String) {
        if failure == nil { failure = SampleError(.damaged, message, line: line(parser)) }
        stop(parser)
    }

    // MARK: - XMLParserDelegate

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) {
        guard !isStopped else { return }
        open += 1
        isBegun = true
        if let rejected {
            self.rejected = rejected + 1
            return
        }
        do throws(Damage) {
            try begin(name, attributes)
        } catch {
            guard skipsDamage else { return fail(parser, error.message) }
            reject(SampleError(.damaged, error.message, line: line(parser)))
        }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard !isStopped else { return }
        open -= 1
        if let rejected {
            self.rejected = rejected == 0 ? nil : rejected - 1
        } else {
            end()
        }
        if chunk.count >= Self.chunkSize { deliver(parser) }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        guard !isStopped, failure == nil, early == nil else { return }
        let code = (error as NSError).code
        let found = SampleError(.damaged, "this is not well-formed XML (error \(code))", line: line(parser))
        if code == Self.documentEnd { early = found } else { failure = found }
    }

    private func line(_ parser: XMLParser) -> Int { max(1, parser.lineNumber) }

    // MARK: - Elements

    private struct Damage: Error {
        let message: String
    }

    /// Skips the element that has just begun, and the sample that it is in.
    private func reject(_ error: SampleError) {
        rejections.note(error)
        // A part's own element is counted by its depth, one directly inside the sample by the sample's.
        let isInside = sample != nil
        rejected = isInside ? (part == nil ? max(depth, 1) : partDepth + 1) : 0
        (sample, part) = (nil, nil)
        parts.removeAll()
        totals.removeAll()
    }

    private func begin(_ name: String, _ attributes: [String: String]) throws(Damage) {
        if part != nil {
            partDepth += 1
            if partDepth == 1, name == "MetadataEntry" { try metadata(attributes, &part) }
        } else if sample != nil {
            depth += 1
            if depth == 1 { try beginInside(name, attributes) }
        } else {
            switch name {
            case "Record": sample = try record(attributes)
            case "Correlation": sample = try frame(attributes["type"], attributes, .correlation([]))
            case "Workout": sample = try workout(attributes)
            case "HealthData": break
            default: ignored[ignored.count < Self.mostNames || ignored[name] != nil ? name : "…", default: 0] += 1
            }
            depth = 0
            parts.removeAll()
            totals.removeAll()
        }
    }

    /// An element directly inside that of a sample.
    private func beginInside(_ name: String, _ attributes: [String: String]) throws(Damage) {
        switch (name, sample?.value) {
        case ("MetadataEntry", _): try metadata(attributes, &sample)
        case ("Record", .correlation):
            guard parts.count < Self.mostParts else { throw Self.tooLarge }
            part = try record(attributes)
            partDepth = 0
            depth -= 1
        case ("WorkoutStatistics", .workout):
            guard totals.count < Self.mostParts else { throw Self.tooLarge }
            if let type = attributes["type"], let sum = attributes["sum"].flatMap({ FHIRDecimal($0) }), let unit = attributes["unit"] {
                totals[known(type)] = WorkoutTotal(sum, unit: unit)
            }
        default: return
        }
    }

    private static let tooLarge = Damage(message: "an element has more than \(mostParts) parts or metadata")

    private func end() {
        if let part {
            partDepth -= 1
            if partDepth < 0 {
                parts.append(identified(part))
                self.part = nil
            }
        } else if let done = sample {
            depth -= 1
            if depth < 0 {
                sample = nil
                if !leftOut.contains(done.type) { chunk.append(identified(completed(done))) }
            }
        }
    }

    /// The sample with its parts and totals.
    private func completed(_ sample: Sample) -> Sample {
        var sample = sample
        switch sample.value {
        case .correlation where !parts.isEmpty: sample.value = .correlation(parts)
        case .workout(var workout) where !totals.isEmpty:
            workout.totals.merge(totals) { $1 }
            sample.value = .workout(workout)
        default: break
        }
        parts.removeAll()
        totals.removeAll()
        return sample
    }

    /// What every kind of sample has.
    private func frame(_ type: String?, _ attributes: [String: String], _ value: Sample.Value) throws(Damage) -> Sample {
        guard let type else { throw Damage(message: "an element has no type") }
        guard let start = attributes["startDate"].flatMap({ SampleTime.read($0) }) else {
            throw Damage(message: "an element has no valid startDate")
        }
        var end = start.milliseconds
        if let text = attributes["endDate"] {
            guard let time = SampleTime.read(text) else { throw Damage(message: "an element has no valid endDate") }
            end = time.milliseconds
        }
        return Sample(
            uuid: Self.noUUID, type: known(type), startTime: start.milliseconds, endTime: end, zone: start.offset.flatMap(FixedZones.zone),
            value: value, origin: origins.origin(attributes))
    }

    private static let noUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private func known(_ name: String) -> SampleType {
        if let type = types[name] { return type }
        let type = SampleType(rawValue: name)
        types[name] = type
        return type
    }

    private func record(_ attributes: [String: String]) throws(Damage) -> Sample {
        let text = attributes["value"] ?? ""
        var sample = try frame(attributes["type"], attributes, .category(text.isEmpty ? "HKCategoryValueNotApplicable" : text))
        if let unit = attributes["unit"], let number = FHIRDecimal(text), sample.type.kind != .category {
            sample.value = .quantity(number, unit: unit)
        }
        return sample
    }

    private func workout(_ attributes: [String: String]) throws(Damage) -> Sample {
        var workout = WorkoutValue(activity: attributes["workoutActivityType"] ?? "HKWorkoutActivityTypeOther")
        if let number = attributes["duration"].flatMap({ FHIRDecimal($0) }) {
            workout.duration = SampleUnits.convert(number, from: attributes["durationUnit"] ?? "min", to: "s")
        }
        // What exports had before they had statistics.
        for (name, unit, type) in Self.totals {
            if let number = attributes[name].flatMap({ FHIRDecimal($0) }), let unit = attributes[unit] {
                workout.totals[type] = WorkoutTotal(number, unit: unit)
            }
        }
        return try frame(SampleType.workout.rawValue, attributes, .workout(workout))
    }

    private static let totals: [(String, String, SampleType)] = [
        ("totalDistance", "totalDistanceUnit", .quantity("DistanceWalkingRunning")),
        ("totalEnergyBurned", "totalEnergyBurnedUnit", .activeEnergyBurned),
    ]

    /// Adds metadata to the open sample or part, in its place.
    private func metadata(_ attributes: [String: String], _ sample: inout Sample?) throws(Damage) {
        guard let key = attributes["key"], !key.isEmpty, let count = sample?.metadata.count else { return }
        guard count < Self.mostParts else { throw Self.tooLarge }
        let value = attributes["value"] ?? ""
        if key == "HKTimeZone", let zone = TimeZone(identifier: value) { sample?.zone = zone }
        if !value.isEmpty { sample?.metadata[key] = value }
    }

    // MARK: - Identity

    /// The sample with a UUID made of its content, as the file has none: so the next export has the same ones.
    private func identified(_ sample: Sample) -> Sample {
        var sample = sample
        identity.removeAll(keepingCapacity: true)
        func add(_ text: String) {
            identity.append(contentsOf: text.utf8)
            identity.append(UInt8(ascii: "|"))
        }
        add(sample.type.rawValue)
        add(String(sample.startTime))
        add(String(sample.endTime))
        add(sample.origin.canonical)
        switch sample.value {
        case .quantity(let number, let unit):
            add(number.literal)
            identity.append(contentsOf: unit.utf8)
        case .category(let name): identity.append(contentsOf: name.utf8)
        case .correlation(let parts): for part in parts { identity.append(contentsOf: part.identifier.utf8) }
        case .workout(let workout):
            add(workout.activity)
            if let duration = workout.duration { identity.append(contentsOf: duration.literal.utf8) }
        }
        sample.uuid = identity.withUnsafeBytes { SampleFingerprint.uuid(of: $0, time: sample.startTime) }
        return sample
    }
}
