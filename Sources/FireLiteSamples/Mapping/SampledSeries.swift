import FireLite
import FireLiteCore
import Foundation

/// Samples of one type at equal distances, as one Observation with `SampledData`: for sensors that measure every few seconds.
///
/// The Observation has an identifier for each sample, in their order, and `E` in the data where a place has none, so all samples are read
/// back as they were.
public struct SampledSeries: Sendable, Hashable {
    /// How samples are combined.
    public struct Options: Sendable, Hashable {
        /// The length of the windows of series, counted from the start of an hour.
        public var window: Duration = .seconds(3_600)
        /// The usual interval between samples. A series has a shorter one if its samples need it.
        public var period: Duration = .milliseconds(5_000)
        /// The maximum number of places in a series. Samples that need more get Observations of their own.
        public var maximumPlaces = 3_600

        /// An hour, 5 seconds, and 3,600 places.
        public init() {}

        init(maximumPlaces: Int) { self.maximumPlaces = maximumPlaces }

        /// The window in milliseconds.
        var windowLength: Int64 { max(1, milliseconds(window)) }
    }

    /// The samples in the order of their times.
    public let samples: [Sample]
    /// The distance of two places in milliseconds.
    public let period: Int

    // MARK: - Putting together

    /// Combines the samples that can share a series: quantities of an instant without metadata, of the same type, unit, source and zone.
    ///
    /// - Parameters:
    ///   - samples: the samples of the series.
    ///   - options: how they are combined.
    /// - Returns: the series, and the remaining samples.
    public static func grouping(_ samples: [Sample], options: Options = Options()) -> (series: [SampledSeries], rest: [Sample]) {
        var groups: [Group: [Sample]] = [:]
        var order: [Group] = []
        var rest: [Sample] = []
        let window = options.windowLength
        for sample in samples {
            guard let group = Group(sample, window: window) else {
                rest.append(sample)
                continue
            }
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(sample)
        }
        var series: [SampledSeries] = []
        for group in order {
            let sorted = (groups[group] ?? []).sorted { $0.startTime < $1.startTime }
            let result = fitting(sorted, options)
            if let one = result.series { series.append(one) }
            rest += result.rest
        }
        return (series, rest)
    }

    /// What the samples of a series have in common.
    struct Group: Hashable {
        let type: SampleType
        let unit: String
        let origin: SampleOrigin
        let zone: TimeZone?
        /// When the window begins and ends, in milliseconds since 1970.
        let start: Int64
        let end: Int64

        /// What identifies the series: the same for all of its samples.
        var identifier: UUID {
            SampleFingerprint.uuid(
                of: "series|\(type.rawValue)|\(unit)|\(origin.canonical)|\(zone?.identifier ?? "")|\(end - start)", time: start)
        }

        init?(_ sample: Sample, window: Int64) {
            guard case .quantity(_, let unit) = sample.value, sample.startTime == sample.endTime, sample.metadata.isEmpty else {
                return nil
            }
            type = sample.type
            self.unit = unit
            origin = sample.origin
            zone = sample.zone
            let number = sample.startTime >= 0 ? sample.startTime / window : (sample.startTime + 1) / window - 1
            start = number * window
            end = start + window
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
    }

    /// The longest series that has so few places, and what is left.
    ///
    /// - Parameters:
    ///   - sorted: samples in the order of their times.
    ///   - options: how they are combined.
    ///   - least: the number of samples that make a series.
    static func fitting(_ sorted: [Sample], _ options: Options, least: Int = 2) -> (series: SampledSeries?, rest: [Sample]) {
        guard let first = sorted.first else { return (nil, []) }
        let usual = max(1, milliseconds(options.period))
        var period = usual
        for sample in sorted { period = divisor(period, sample.startTime - first.startTime) }
        let span = (sorted.last?.startTime ?? 0) - first.startTime
        if span / period + 1 > Int64(options.maximumPlaces) { period = usual }
        var (taken, rest): ([Sample], [Sample]) = ([], [])
        var last: Int64 = -1
        for sample in sorted {
            let distance = sample.startTime - first.startTime
            if distance % period == 0, distance / period > last, distance / period < Int64(options.maximumPlaces) {
                taken.append(sample)
                last = distance / period
            } else {
                rest.append(sample)
            }
        }
        guard taken.count >= least else { return (nil, sorted) }
        return (SampledSeries(samples: taken, period: Int(period)), rest)
    }

    private static func divisor(_ left: Int64, _ right: Int64) -> Int64 {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return max(1, abs(left))
    }

    // MARK: - Observations

    /// The Observation of the series.
    ///
    /// - Parameters:
    ///   - mapping: codes and unit.
    ///   - release: the release of the Observation.
    /// - Returns: an Observation; nil if a number would change in the conversion to the mapping's unit and back.
    /// - Throws: `FHIRDecodingError`, if the mapping has codes that the release does not allow.
    public func observation(mapping: SampleMapping = .standard, release: FHIRRelease) throws -> FHIRResource? {
        guard let json = ObservationWriter(mapping, release: release).json(self, id: nil, device: nil) else { return nil }
        return try json.withUnsafeBufferPointer { try FHIRJSONReader(release: release).resource(from: $0) }
    }

    /// The samples of an Observation with `SampledData`; none if it is not of a series.
    ///
    /// - Parameters:
    ///   - observation: the Observation with the series.
    ///   - origin: the app and the device.
    /// - Throws: ``SampleError/Code/damaged`` if its data and identifiers do not fit together.
    public static func samples(of observation: FHIRResource, origin: SampleOrigin = SampleOrigin()) throws -> [Sample] {
        try ObservationReader.series(observation, origin: origin)
    }
}

extension ObservationReader {
    static func series(_ resource: FHIRResource, origin: SampleOrigin) throws -> [Sample] {
        try seriesNumbers(resource, origin: origin).map(\.sample)
    }

    /// The samples of a series with their numbers in the mapping's unit.
    static func seriesNumbers(_ resource: FHIRResource, origin: SampleOrigin) throws -> [(sample: Sample, number: FHIRDecimal)] {
        let json = try FHIRJSON.withUTF8(of: resource) { try JSONItem.read($0) }
        guard let data = json["valueSampledData"], let text = data["data"]?.text,
            let period = (data["period"] ?? data["interval"])?.number?.doubleValue,
            let start = json["effectivePeriod"]?["start"]?.text, let time = SampleTime.read(start),
            let code = data["origin"]?["code"]?.text,
            let name = json["code"]?["coding"]?.items.first(where: { $0["system"]?.text == SampleMapping.system })?["code"]?.text
        else { return [] }
        let uuids = json["identifier"]?.items.compactMap { $0["value"]?.text.flatMap { UUID(uuidString: $0) } } ?? []
        let zoneName = json["extension"]?.items.first { $0["url"]?.text == ObservationWriter.zoneURL }?["valueString"]?.text
        let zone = zoneName.flatMap { TimeZone(identifier: $0) } ?? (start.hasSuffix("Z") ? nil : time.offset.flatMap(FixedZones.zone))
        var samples: [(sample: Sample, number: FHIRDecimal)] = []
        for (place, word) in text.split(separator: " ").enumerated() where word != "E" {
            guard let number = FHIRDecimal(String(word)), samples.count < uuids.count else {
                throw SampleError(.damaged, "the data of an Observation do not fit its identifiers")
            }
            let quantity = sourceQuantity(number, code: code)
            let sample = Sample(
                uuid: uuids[samples.count], type: SampleType(rawValue: name),
                start: SampleTime.date(time.milliseconds + Int64(Double(place) * period)), zone: zone,
                value: .quantity(quantity.number, unit: quantity.unit), origin: origin)
            samples.append((sample, number))
        }
        guard samples.count == uuids.count else {
            throw SampleError(.damaged, "the data of an Observation do not fit its identifiers")
        }
        return samples
    }
}
