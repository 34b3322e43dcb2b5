import FireLiteCore
import FireLiteCrypto
import FireLiteXML
import Foundation

/// Makes samples of Apple's `export.xml`: the system's parser reads what `ExportFilter` has made of the file, on a thread of its own.
final class ExportReader: XMLScannerDelegate {
    private static let chunkSize = 512
    /// The parser's errors for a file that ends before its elements do, or goes on after them.
    private static let documentEnds: Set<Int> = [5, 77]
    /// Deep enough for the parser and the closures around it.
    private static let stackSize = 4 << 20
    /// The number of bytes that are read at once.
    private static let pieceSize = 1 << 18
    /// The most elements in each other: the parser remembers the name of each. Apple's files have four.
    private static let mostOpen = 1_000
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
    private var tag = ExportTag()
    private var types: [String: Kind] = [:]
    private var lastType = LastValue<Kind>()
    private var lastUnit = LastValue<String>()
    private var lastZone: (offset: Int, zone: TimeZone?)?
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
    /// The text that a sample's UUID is made of, and its digest.
    private var identity: [UInt8] = []
    private var digest = [UInt8](repeating: 0, count: 32)
    private let hasher = SHA256Hasher()
    private var scanner: XMLScanner?

    /// A type, with what its samples hold, which takes a search in its name.
    private struct Kind {
        let type: SampleType
        let kind: SampleType.Kind
    }

    /// Begins to read a file.
    ///
    /// - Parameters:
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
        do {
            let scanner = try XMLScanner(self)
            self.scanner = scanner
            defer { self.scanner = nil }
            let endsInDocumentType = try scan(file, scanner)
            deliver()
            if endsInDocumentType, !isBegun {
                failure = SampleError(.damaged, "the document type does not end", line: scanner.line)
            } else if failure == nil, open > 0 || !isBegun {
                failure = SampleError(.damaged, "the file ends inside an element", line: scanner.line)
            }
            if failure == nil, !isStopped { failure = early }
            queue.finish(failure)
        } catch {
            deliver()
            queue.finish(error)
        }
    }

    /// Parses the file up to its end or a failure.
    ///
    /// - Returns: whether it ends in its document type.
    /// - Throws: what keeps the file from being read.
    private func scan(_ file: ExportFile, _ scanner: XMLScanner) throws -> Bool {
        var filter = ExportFilter()
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        var ready: [UInt8] = []
        var isEmpty = true
        while !isStopped, early == nil, !queue.isStopped {
            let count = try piece.withUnsafeMutableBytes { try file.read($0) }
            ready.removeAll(keepingCapacity: true)
            piece.withUnsafeBufferPointer { bytes in
                filter.filter(UnsafeBufferPointer(rebasing: bytes[..<count]), isLast: count == 0, into: &ready)
            }
            if !ready.isEmpty { isEmpty = false }
            ready.withUnsafeBufferPointer { scanner.feed($0) }
            if filter.hasOverlongElement, failure == nil, early == nil {
                throw SampleError(.damaged, "an element has more than \(ExportFilter.longestElement >> 10) KB, or so much text follows it")
            }
            if count == 0 {
                if !isEmpty, !isStopped { scanner.finish() }
                return filter.isInDocumentType
            }
        }
        if queue.isStopped { isStopped = true }
        return false
    }

    private func deliver() {
        if !queue.put(chunk, ignored: ignored, rejections: rejections) { stop() }
        chunk.removeAll(keepingCapacity: true)
        rejections = SampleRejections()
    }

    private func stop() {
        isStopped = true
        scanner?.stop()
    }

    private func fail(_ message: String) {
        if failure == nil { failure = SampleError(.damaged, message, line: line) }
        stop()
    }

    private var line: Int { scanner?.line ?? 1 }

    // MARK: - XMLScannerDelegate

    func begin(_ tag: XMLTag) {
        open += 1
        isBegun = true
        guard open <= Self.mostOpen else { return fail("more than \(Self.mostOpen) elements are in each other") }
        if let rejected {
            self.rejected = rejected + 1
            return
        }
        self.tag.read(tag)
        do throws(Damage) {
            try begin()
        } catch {
            guard skipsDamage else { return fail(error.message) }
            reject(SampleError(.damaged, error.message, line: line))
        }
    }

    func end() {
        open -= 1
        if let rejected {
            self.rejected = rejected == 0 ? nil : rejected - 1
        } else {
            endSample()
        }
        if chunk.count >= Self.chunkSize { deliver() }
    }

    func fault(_ code: Int) {
        guard failure == nil, early == nil else { return }
        let found = SampleError(.damaged, XMLScanner.words(ofFault: code, "XML"), line: line)
        if Self.documentEnds.contains(code) { early = found } else { failure = found }
    }

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

    private func begin() throws(Damage) {
        if part != nil {
            partDepth += 1
            if partDepth == 1, tag.name == "MetadataEntry" { try metadata(&part) }
        } else if sample != nil {
            depth += 1
            if depth == 1 { try beginInside() }
        } else {
            switch tag.name {
            case "Record": sample = try record()
            case "Correlation": sample = try frame(tag[.type], .correlation([])).sample
            case "Workout": sample = try workout()
            case "HealthData": break
            default: ignored[ignored.count < Self.mostNames || ignored[tag.name] != nil ? tag.name : "…", default: 0] += 1
            }
            depth = 0
            if !parts.isEmpty { parts.removeAll() }
            if !totals.isEmpty { totals.removeAll() }
        }
    }

    /// An element directly inside that of a sample.
    private func beginInside() throws(Damage) {
        switch (tag.name, sample?.value) {
        case ("MetadataEntry", _): try metadata(&sample)
        case ("Record", .correlation):
            guard parts.count < Self.mostParts else { throw Self.tooLarge }
            part = try record()
            partDepth = 0
            depth -= 1
        case ("WorkoutStatistics", .workout):
            guard totals.count < Self.mostParts else { throw Self.tooLarge }
            if let type = tag[.type], let sum = tag.text("sum").flatMap({ FHIRDecimal($0) }), let unit = tag.text(.unit) {
                totals[known(type).type] = WorkoutTotal(sum, unit: unit)
            }
        default: return
        }
    }

    private static let tooLarge = Damage(message: "an element has more than \(mostParts) parts or metadata")

    private func endSample() {
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
        if !parts.isEmpty { parts.removeAll() }
        if !totals.isEmpty { totals.removeAll() }
        return sample
    }

    /// What every kind of sample has.
    private func frame(
        _ typeName: ExportTag.Value?, _ value: Sample.Value
    ) throws(Damage) -> (sample: Sample, kind: SampleType.Kind) {
        guard let typeName else { throw Damage(message: "an element has no type") }
        guard let start = tag[.startDate].flatMap({ SampleTime.read($0) }) else {
            throw Damage(message: "an element has no valid startDate")
        }
        var end = start.milliseconds
        if let text = tag[.endDate] {
            guard let time = SampleTime.read(text) else { throw Damage(message: "an element has no valid endDate") }
            end = time.milliseconds
            guard end >= start.milliseconds else { throw Damage(message: "an element ends before it starts") }
        }
        let known = known(typeName)
        let origin = origins.origin(source: tag[.sourceName], version: tag[.sourceVersion], device: tag[.device])
        let sample = Sample(
            uuid: Self.noUUID, type: known.type, startTime: start.milliseconds, endTime: end, zone: start.offset.flatMap(zone),
            value: value, origin: origin)
        return (sample, known.kind)
    }

    private static let noUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private func zone(_ offset: Int) -> TimeZone? {
        if let lastZone, lastZone.offset == offset { return lastZone.zone }
        let zone = FixedZones.zone(offset)
        lastZone = (offset, zone)
        return zone
    }

    private func known(_ name: ExportTag.Value) -> Kind {
        if let kind = lastType.value(of: name) { return kind }
        let text = ExportTag.text(name)
        let kind = types[text] ?? Kind(type: SampleType(rawValue: text), kind: SampleType(rawValue: text).kind)
        types[text] = kind
        lastType.keep(kind, of: name)
        return kind
    }

    private func unit(_ name: ExportTag.Value) -> String {
        if let unit = lastUnit.value(of: name) { return unit }
        let unit = ExportTag.text(name)
        lastUnit.keep(unit, of: name)
        return unit
    }

    private static let noValue = Sample.Value.category("HKCategoryValueNotApplicable")

    private func record() throws(Damage) -> Sample {
        let text = tag.text(.value) ?? ""
        let known = try frame(tag[.type], Self.noValue)
        var sample = known.sample
        if let unit = tag[.unit], known.kind != .category, let number = FHIRDecimal(text) {
            guard number.doubleValue.isFinite else { throw Damage(message: Sample.tooLarge) }
            sample.value = .quantity(number, unit: self.unit(unit))
        } else if known.kind == .quantity {
            throw Damage(message: "a quantity has no decimal number as its value, or no unit")
        } else if !text.isEmpty {
            sample.value = .category(text)
        }
        return sample
    }

    private func workout() throws(Damage) -> Sample {
        var workout = WorkoutValue(activity: tag.text("workoutActivityType") ?? "HKWorkoutActivityTypeOther")
        if let number = tag.text("duration").flatMap({ FHIRDecimal($0) }) {
            workout.duration = SampleUnits.convert(number, from: tag.text("durationUnit") ?? "min", to: "s")
        }
        // What exports had before they had statistics.
        for (name, unit, type) in Self.totals {
            if let number = tag.text(name).flatMap({ FHIRDecimal($0) }), let unit = tag.text(unit) {
                workout.totals[type] = WorkoutTotal(number, unit: unit)
            }
        }
        let name = Self.workoutName
        return try name.withUnsafeBufferPointer { (bytes) throws(Damage) in try frame(bytes, .workout(workout)).sample }
    }

    private static let workoutName = [UInt8](SampleType.workout.rawValue.utf8)

    private static let totals: [(String, String, SampleType)] = [
        ("totalDistance", "totalDistanceUnit", .quantity("DistanceWalkingRunning")),
        ("totalEnergyBurned", "totalEnergyBurnedUnit", .activeEnergyBurned),
    ]

    /// Adds metadata to the open sample or part, in its place.
    private func metadata(_ sample: inout Sample?) throws(Damage) {
        guard let key = tag.text(.key), !key.isEmpty, let count = sample?.metadata.count else { return }
        guard count < Self.mostParts else { throw Self.tooLarge }
        let value = tag.text(.value) ?? ""
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
        func add(_ number: Int64) { add(String(number)) }
        add(sample.type.rawValue)
        add(sample.startTime)
        add(sample.endTime)
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
        digest.withUnsafeMutableBytes { digest in
            guard let start = digest.baseAddress else { return }
            identity.withUnsafeBytes { hasher.digest(of: $0, into: start) }
        }
        sample.uuid = SampleFingerprint.uuid(ofDigest: digest, time: sample.startTime)
        return sample
    }
}
