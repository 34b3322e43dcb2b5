import FireLite
import FireLiteCore
import FireLiteLegacy
import FireLiteSamples
import FireLiteTerminal
import Foundation

extension LineForm {
    /// The events of `IoMTStore`: a number with its unit, a category, or a blood pressure, under the name of the sample's type.
    static let events = LineForm(
        ["uuid", "startDate", "endDate", nil, "unit"], ["uuid", "startDate", "endDate", nil],
        ["uuid", "startDate", "endDate", "systolic", "systolicUnit", "diastolic", "diastolicUnit"])
}

/// What `firelite samples` does once its arguments are read.
struct SamplesWork {
    let console: Console
    let isJSON: Bool
    private let clock = ContinuousClock()

    init(console: Console, isJSON: Bool) {
        self.console = console
        self.isJSON = isJSON
    }

    func transfer(_ store: FHIRStore, _ source: any SampleSource, _ destinations: [any ExternalStore]) throws -> ExitStatus {
        try transfer(store, [(nil, source)], destinations)
    }

    /// Brings the samples of several files to stores. What cannot be read of a file is named, and the rest is brought.
    ///
    /// - Parameter sources: the sources with the names of their files.
    func transfer(
        _ store: FHIRStore, _ sources: [(path: String?, source: any SampleSource)], _ destinations: [any ExternalStore],
        readsAgain: Bool = false
    ) throws -> ExitStatus {
        var configuration = SampleEngine.Configuration()
        configuration.readsAgain = readsAgain
        let start = clock.now
        let line = console.errorIsTerminal && !isJSON ? RedrawnLine(console.standardError) : nil
        var result = SampleRunResult()
        var texts: [String] = []
        for (path, source) in sources {
            let engine = SampleEngine(
                store: store, source: source, destinations: destinations, configuration: configuration)
            let one: SampleRunResult
            do {
                one = try awaiting {
                    try await engine.run { line?.update("\(Figures.count($0.read, "sample")), \(Figures.count($0.added)) added") }
                }
            } catch let error as SampleError where path != nil && error.code == .damaged {
                // The batches before it are stored.
                line?.clear()
                throw ToolError.incomplete("\(path ?? ""): \(error)")
            }
            result += one
            texts += one.rejections.first.map { "\(path ?? ""): \($0)" }
        }
        line?.clear()
        for text in texts { try console.standardError.write("rejected: \(text)\n") }
        try print(result, seconds: start.duration(to: clock.now))
        if result.rejections.count > 0 {
            let records = Figures.count(result.rejections.count, "record is no sample and was", "records are no samples and were")
            throw ToolError.incomplete("\(records) skipped")
        }
        if let waiting = result.waiting { throw ToolError.failed("requests wait in the outbox: \(waiting)") }
        return .done
    }

    /// Makes the table of samples match the Observations.
    func refresh(_ store: FHIRStore) throws -> ExitStatus {
        let start = clock.now
        let line = console.errorIsTerminal && !isJSON ? RedrawnLine(console.standardError) : nil
        // Also if it fails: the error has a line of its own.
        defer { line?.clear() }
        let updated = try awaiting {
            try await store.refreshSamples { line?.update("\(Figures.count($0, "sample")) compared") }
        }
        try print(updated: updated, seconds: start.duration(to: clock.now))
        return .done
    }

    func writeEvents(of store: FHIRStore, types: [SampleType]?, to output: OutputPath) throws -> ExitStatus {
        let start = clock.now
        if output.isStandardOutput {
            _ = try writeEvents(of: store, types, to: console.standardOutput)
            return .done
        }
        let count = try output.write(database: store.path) { try writeEvents(of: store, types, to: $0) }
        try print(events: count, seconds: start.duration(to: clock.now))
        return .done
    }

    /// - Returns: the number of events.
    private func writeEvents(of store: FHIRStore, _ types: [SampleType]?, to output: any ByteOutput) throws -> Int {
        var count = 0
        for type in try types ?? store.read({ try $0.sampleTypes().map(\.type) }) {
            let events = try store.read { IoMTStore.events(try $0.samples(of: type)) }
            count += events.utf8.count { $0 == 10 }
            try output.write(events)
        }
        return count
    }

    func printStatistics(
        of store: FHIRStore, _ type: SampleType, interval: SampleIntervalName, span: (from: Date?, until: Date?), zone: TimeZone,
        sources: [String], listing: Listing
    ) throws -> ExitStatus {
        let start = clock.now
        let statistics = try store.read { tx in
            try tx.sampleStatistics(
                of: type, by: interval.interval, from: span.from, to: span.until, zone: zone, sources: sources)
        }
        var report = Report()
        if console.outputIsTerminal, listing.format == .table, statistics.count > 1 {
            let values = statistics.map { type.isCumulative ? $0.sum : $0.mean }
            report.addNote(SampleSparkline.text(values, width: max(10, console.width - 1)))
        }
        let offset = { (date: Date) in
            let seconds = zone.secondsFromGMT(for: date)
            return Figures.moment(date.addingTimeInterval(Double(seconds))).prefix(16).replacingBytes("T", with: " ")
        }
        let columns: [Report.Column] = [
            .init(key: "start"), .init(key: "end", isShown: false), .init(key: "count", alignment: .right),
            .init(key: "min", alignment: .right), .init(key: "max", alignment: .right), .init(key: "mean", alignment: .right),
            .init(key: "sum", alignment: .right, isShown: type.isCumulative),
        ]
        let rows = statistics.map { item -> [FigureValue] in
            [
                .shown(String(offset(item.start)), .time(item.start)), .time(item.end), .count(item.count), number(item.minimum),
                number(item.maximum), number(item.mean), number(item.sum),
            ]
        }
        if statistics.isEmpty { report.addNote("no samples of \(type.shortName)") }
        addFigures(SampleRunResult(), events: 0, seconds: start.duration(to: clock.now), isShown: false, to: &report)
        report.addTable("intervals", columns, rows, isShown: !rows.isEmpty)
        try console.print(report, listing)
        return .done
    }

    // MARK: - Printing

    private func number(_ number: Double?) -> FigureValue {
        guard let number, number.isFinite else { return .none }
        return .shown(String(format: "%.1f", number), .json("\(number)"))
    }

    /// - Parameter updated: the number of samples that a refresh has updated.
    private func print(
        _ result: SampleRunResult = SampleRunResult(), updated: Int = 0, events: Int = 0, seconds: Duration
    ) throws {
        var report = Report()
        addFigures(result, updated: updated, events: events, seconds: seconds, isShown: true, to: &report)
        report.addTable("intervals", [], [], isShown: false)
        try console.print(report, asJSON: isJSON)
    }

    private func addFigures(
        _ result: SampleRunResult, updated: Int = 0, events: Int, seconds: Duration, isShown: Bool, to report: inout Report
    ) {
        let figures: [Report.Figure] = [
            .init("read", .count(result.read), isShown: result.read > 0), .init("added", .count(result.added)),
            .init("updated", .count(result.updated + updated)), .init("deleted", .count(result.deleted)),
            .init("unchanged", .count(result.unchanged)),
            .init("rejected", .count(result.rejections.count), isShown: result.rejections.count > 0),
            .init("events", .count(events), isShown: events > 0),
            .init("seconds", .seconds(seconds)),
        ]
        if isShown { report.addLine(figures) } else { for figure in figures { report.addMember(figure.key, figure.value) } }
        report.addMember("waiting", FigureValue(result.waiting))
    }
}

/// The intervals by their names in the tool.
enum SampleIntervalName: String, CaseIterable {
    case hour, day, week, month, whole

    var interval: SampleInterval {
        switch self {
        case .hour: .hour
        case .day: .day
        case .week: .week
        case .month: .month
        case .whole: .whole
        }
    }
}

/// A line of blocks whose heights are numbers.
enum SampleSparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")

    /// The line; a space for each missing number.
    ///
    /// - Parameters:
    ///   - values: the numbers.
    ///   - width: the number of columns: more numbers are put together by their means.
    static func text(_ values: [Double?], width: Int) -> String {
        let shown = values.count > width ? folded(values, width) : values
        let known = shown.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { return "" }
        return String(
            shown.map { value -> Character in
                guard let value else { return " " }
                guard high > low else { return blocks[3] }
                return blocks[min(blocks.count - 1, Int((value - low) / (high - low) * Double(blocks.count)))]
            })
    }

    private static func folded(_ values: [Double?], _ width: Int) -> [Double?] {
        (0..<width).map { column in
            let part = values[(column * values.count / width)..<((column + 1) * values.count / width)].compactMap { $0 }
            return part.isEmpty ? nil : part.reduce(0, +) / Double(part.count)
        }
    }
}
