import FireLiteR4
import FireLiteSamples
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct AppleExportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func samples(_ text: String, limit: Int = 100) async throws -> [Sample] {
        let source = try AppleExport(URL(fileURLWithPath: folder.write("export.xml", text)))
        var samples: [Sample] = []
        var anchor: SampleAnchor?
        while true {
            let changes = try await source.changes(of: .all, after: anchor, limit: limit)
            samples += changes.added
            anchor = changes.anchor
            if changes.isComplete { return samples }
        }
    }

    @Test func recordsBecomeSamples() async throws {
        let record = ExportText.record(
            "HeartRate", "61.5", "count/min", minute: 2, device: ExportText.device,
            content: "\n  <MetadataEntry key=\"HKMetadataKeyHeartRateMotionContext\" value=\"1\"/>\n <Other><Deep/></Other>")
        let sample = try #require(try await samples(ExportText.of([record])).first)
        #expect(sample.type == .heartRate)
        #expect(sample.value == .quantity("61.5", unit: "count/min"))
        #expect(sample.start == Date(timeIntervalSince1970: 1_767_222_120))
        #expect(sample.zone?.secondsFromGMT() == 3_600)
        #expect(sample.metadata == ["HKMetadataKeyHeartRateMotionContext": "1"])
        #expect(
            sample.origin.parts == [
                .sourceName: "Watch & Phone", .sourceVersion: "9.1", .deviceName: "Apple Watch", .manufacturer: "Apple Inc.",
                .model: "Watch",
                .hardware: "Watch6,2", .software: "8.1",
            ])
    }

    @Test func memoryAddressesOfDevicesMakeNoDifference() async throws {
        let other = ExportText.device.replacing("0x2825f1a40", with: "0x99")
        let first = try await samples(
            ExportText.of([ExportText.record("HeartRate", "60", "count/min", minute: 1, device: ExportText.device)]))
        let second = try await samples(ExportText.of([ExportText.record("HeartRate", "60", "count/min", minute: 1, device: other)]))
        #expect(first == second)
        #expect(first.count == 1)
    }

    @Test func correlationsHoldTheirRecords() async throws {
        let systolic = ExportText.record(
            "BloodPressureSystolic", "120", "mmHg", minute: 1, content: "<MetadataEntry key=\"cuff\" value=\"left\"><Deep/></MetadataEntry>"
        )
        let diastolic = ExportText.record("BloodPressureDiastolic", "80", "mmHg", minute: 1)
        let correlation = """
            <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff" startDate="2026-01-01 00:01:00 +0100" \
            endDate="2026-01-01 00:01:00 +0100"><MetadataEntry key="a" value="b"/>\(systolic)\(diastolic)</Correlation>
            """
        let samples = try await samples(ExportText.of([systolic, diastolic, correlation]))
        #expect(samples.count == 1)
        guard case .correlation(let parts)? = samples.first?.value else {
            Issue.record("no correlation")
            return
        }
        #expect(parts.map(\.value) == [.quantity(120, unit: "mmHg"), .quantity(80, unit: "mmHg")])
        #expect(samples.first?.metadata == ["a": "b"])
        #expect(parts.map(\.metadata) == [["cuff": "left"], [:]])
    }

    @Test func workoutsHaveTheirTotals() async throws {
        let workout = """
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" sourceName="Watch" \
            startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:31:00 +0100">
            <WorkoutEvent type="HKWorkoutEventTypePause" date="2026-01-01 08:10:00 +0100"/>
            <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="310.5" unit="Cal"/>
            <WorkoutRoute sourceName="Watch"><FileReference path="/a.gpx"/></WorkoutRoute></Workout>
            """
        let sample = try #require(try await samples(ExportText.of([workout])).first)
        #expect(
            sample.value
                == .workout(
                    WorkoutValue(
                        activity: "HKWorkoutActivityTypeRunning", duration: "1830",
                        totals: [.activeEnergyBurned: WorkoutTotal("310.5", unit: "Cal")])))
    }

    @Test func controlCharactersAndEntitiesAreRead() async throws {
        let record = ExportText.record(
            "HeartRate", "60", "count/min", minute: 1,
            content: "<MetadataEntry key=\"note\" value='a\u{1}&#x41;&#1;&lt;\u{B}>\"é&unknown;'/><!-- > --><![CDATA[<Record>]]>")
        #expect(try await samples(ExportText.of([record])).first?.metadata == ["note": "aA<>\"é&unknown;"])
    }

    @Test(arguments: [1, 2, 7, 100]) func batchesOfAnySizeGiveTheSameSamples(_ limit: Int) async throws {
        let text = ExportText.of((0..<20).map { ExportText.record("HeartRate", "\(60 + $0)", "count/min", minute: $0) })
        let samples = try await samples(text, limit: limit)
        #expect(samples.map(\.value) == (0..<20).map { .quantity(FHIRDecimal(60 + $0), unit: "count/min") })
        #expect(Set(samples.map(\.uuid)).count == 20)
    }

    @Test func anExportGoesOnFromItsAnchor() async throws {
        let text = ExportText.of((0..<10).map { ExportText.record("HeartRate", "\(60 + $0)", "count/min", minute: $0) })
        let path = try folder.write("export.xml", text)
        let first = try await AppleExport(URL(fileURLWithPath: path)).changes(of: .all, after: nil, limit: 4)
        let rest = try await AppleExport(URL(fileURLWithPath: path)).changes(of: .all, after: first.anchor, limit: 100)
        #expect(first.added.count == 4)
        #expect(rest.added.count == 6)
        let nothing = try await AppleExport(URL(fileURLWithPath: path)).changes(of: .all, after: rest.anchor, limit: 100)
        #expect(nothing.added.isEmpty && nothing.isComplete)
    }

    @Test func aZipIsReadAsItIs() async throws {
        let text = ExportText.of((0..<50).map { ExportText.record("HeartRate", "\(60 + $0)", "count/min", minute: $0) })
        try FileManager.default.createDirectory(atPath: folder.file("apple_health_export"), withIntermediateDirectories: false)
        try folder.write("apple_health_export/export.xml", text)
        let more = ExportText.of((0..<60).map { ExportText.record("HeartRate", "\(60 + $0)", "count/min", minute: $0) })
        try folder.write("apple_health_export/export_cda.xml", more)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-m", "zipfile", "-c", "export.zip", "apple_health_export"]
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return }
        let source = try AppleExport(URL(fileURLWithPath: folder.file("export.zip")))
        let changes = try await source.changes(of: .all, after: nil, limit: 100)
        #expect(changes.added.count == 50)
        #expect(try await samples(text).map(\.uuid) == changes.added.map(\.uuid))
    }

    @Test(arguments: [
        ("<HealthData><Record type=\"A\"/></HealthData>", "line 1: an element has no valid startDate"),
        ("<HealthData>\n<Record type=\"A\" startDate=\"x\"/>", "line 2: an element has no valid startDate"),
        ("<HealthData><Record type=\"A\" startDate=\"2024-02-30 08:00:00 +0100\"/>", "line 1: an element has no valid startDate"),
        ("<HealthData><Record type=\"A\" startDate=\"2023-02-29 08:00:00 +0100\"/>", "line 1: an element has no valid startDate"),
        ("<HealthData><Record type=\"A\" startDate=\"2024-06-31 08:00:00 +0100\"/>", "line 1: an element has no valid startDate"),
        ("<HealthData><Record type=\"A\" startDate=\"2024-01-01 08:00:00 +9999\"/>", "line 1: an element has no valid startDate"),
        ("<HealthData><Record type=\"A\" startDate=\"2024-01-01 08:00:00 +1401\"/>", "line 1: an element has no valid startDate"),
        (
            "<HealthData><Record type=\"A\" startDate=\"2024-02-29 08:00:00 +0100\" endDate=\"2024-02-29 07:59:59 +0100\"/>",
            "line 1: an element ends before it starts"
        ),
        ("<HealthData>\n\n<Record type=\"A", "line 3: this is not well-formed XML (error 40)"),
        ("", "line 1: the file ends inside an element"),
        ("<HealthData>\n<Record type=A/>", "line 2: this is not well-formed XML (error 39)"),
        ("<HealthData><Record type=\"A\" startDate=\"2026-01-01 00:00:00 +0100\"/>", "line 1: the file ends inside an element"),
        ("<HealthData/>\n<HealthData/>", "line 2: this is not well-formed XML (error 5)"),
        ("<!DOCTYPE a [", "line 1: the document type does not end"),
        (
            "<HealthData>\n<Record" + (0..<20_000).map { " a\($0)=''" }.joined() + "/>",
            "line 2: an element has more than 1000 attributes"
        ),
    ])
    func damageHasALine(_ text: String, _ message: String) async throws {
        let error = await #expect(throws: SampleError.self) { try await samples(text) }
        #expect(error?.description == message)
    }

    /// SQLite adds to the end of an index what comes in order.
    @Test func identifiersComeInTheOrderOfTimes() async throws {
        let text = ExportText.of((0..<50).map { ExportText.record("HeartRate", "\(60 + $0 % 7)", "count/min", minute: $0) })
        let identifiers = try await samples(text).map { $0.uuid.uuidString }
        #expect(identifiers == identifiers.sorted())
        #expect(Set(identifiers).count == 50)
        #expect(identifiers.allSatisfy { Array($0)[14] == "8" })
    }

    @Test func anAbandonedExportEndsItsThread() async throws {
        let text = ExportText.of((0..<20_000).map { ExportText.record("HeartRate", "\(60 + $0 % 90)", "count/min", minute: $0) })
        let path = try folder.write("export.xml", text)
        for _ in 0..<5 {
            #expect(try await AppleExport(URL(fileURLWithPath: path)).changes(of: .all, after: nil, limit: 10).added.count == 10)
        }
        // Two readers of the same source at different places.
        let source = try AppleExport(URL(fileURLWithPath: path))
        let first = try await source.changes(of: .all, after: nil, limit: 7_000)
        let second = try await source.changes(of: .all, after: first.anchor, limit: 7_000)
        let again = try await source.changes(of: .all, after: first.anchor, limit: 7_000)
        #expect(second.added == again.added)
        #expect(second.added.count == 7_000)
    }

    @Test func whatIsNoSampleIsCounted() async throws {
        let text = ExportText.of(["<ActivitySummary dateComponents=\"2026-01-01\"/>", "<ClinicalRecord type=\"a\"/>", "<ClinicalRecord/>"])
        let source = try AppleExport(URL(fileURLWithPath: folder.write("export.xml", text)))
        #expect(try await source.changes(of: .all, after: nil, limit: 10).isComplete)
        #expect(source.ignored == ["ExportDate": 1, "Me": 1, "ActivitySummary": 1, "ClinicalRecord": 2])
    }

    // MARK: - Files that nobody has written to be read

    /// Runs `body`, which a quadratic step would keep busy for minutes.
    private func soon<Value>(_ body: () async throws -> Value) async throws -> Value {
        let (value, seconds) = try await timed(body)
        #expect(seconds < 60)
        return value
    }

    @Test(arguments: ["-", "x", "\n", "]", "?", "<", "&"]) func commentsOfAnyLengthAreDropped(_ character: String) async throws {
        let record = ExportText.record("HeartRate", "60", "count/min", minute: 1)
        let long = String(repeating: character, count: 3_000_000)
        let text = "<!--\(long)--><HealthData><!--\(long)-->\(record)<![CDATA[\(long)]]><?a \(long)?>\(record)</HealthData><!--\(long)-->"
        #expect(try await soon { try await samples(text) }.count == 2)
        // One that does not end.
        await #expect(throws: SampleError.self) { try await samples("<HealthData><!--\(long)") }
    }

    @Test func linesCountInWhatIsDropped() async throws {
        let error = await #expect(throws: SampleError.self) {
            try await samples("<!--\n-\n--><HealthData>\n<![CDATA[\n]>\n]]>\n<Record type=\"A\"/></HealthData>")
        }
        #expect(error?.line == 7)
    }

    @Test func manyKeysOfMetadataTakeTimeInProportion() async throws {
        let entries = (0..<40_000).map { "<MetadataEntry key=\"key\($0)\" value=\"v\"/>" }.joined()
        let record = ExportText.record("HeartRate", "60", "count/min", minute: 1).replacing("/>", with: ">\(entries)</Record>")
        let part = "<Correlation type=\"HKCorrelationTypeIdentifierFood\" startDate=\"2026-01-01 00:00:00 +0100\">\(record)</Correlation>"
        let found = try await soon { try await samples(ExportText.of([record, part])) }
        #expect(found.map(\.metadata.count) == [40_000, 0])
        let store = try memoryStore()
        let source = try AppleExport(URL(fileURLWithPath: folder.write("keys.xml", ExportText.of([record]))))
        try await soon { _ = try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run() }
    }

    @Test func manyPartsTotalsAndNamesTakeTimeInProportion() async throws {
        let start = "startDate=\"2026-01-01 00:00:00 +0100\""
        let parts = (0..<20_000).map { "<Record type=\"T\($0)\" \(start) value=\"a\"/>" }.joined()
        let totals = (0..<40_000).map { "<WorkoutStatistics type=\"T\($0)\" sum=\"1\" unit=\"m\"/>" }.joined()
        let names = (0..<40_000).map { "<N\($0)/>" }
        let text = ExportText.of(
            ["<Correlation type=\"C\" \(start)>\(parts)</Correlation>", "<Workout \(start)>\(totals)</Workout>"] + names)
        let found = try await soon { try await samples(text) }
        guard case .correlation(let read)? = found.first?.value, case .workout(let workout)? = found.last?.value else {
            Issue.record("a correlation and a workout are expected")
            return
        }
        #expect(read.count == 20_000 && workout.totals.count == 40_000)
    }

    @Test func anElementThatNeverEndsIsRefused() async throws {
        let long = String(repeating: "x", count: 1_000_000)
        for text in ["<HealthData><Record a=\"\(long)\"/>", "<HealthData>\(long)<Record/>", "<\(long)"] {
            let error = await #expect(throws: SampleError.self) { try await soon { try await samples(text) } }
            #expect(error?.code == .damaged)
        }
    }

    @Test func damagedRecordsAreSkippedIfAsked() async throws {
        let good = ExportText.record("HeartRate", "60", "count/min", minute: 1)
        let other = ExportText.record("HeartRate", "61", "count/min", minute: 2)
        let damaged = "<Record type=\"x\"><MetadataEntry key=\"a\" value=\"b\"/></Record>"
        let correlation =
            "<Correlation type=\"C\" startDate=\"2026-01-01 00:00:00 +0100\">\(good)\(damaged)\(good)</Correlation>"
        let path = try folder.write("export.xml", ExportText.of([good, damaged, correlation, damaged, other]))
        let store = try memoryStore()
        let source = try SampleFile.source(URL(fileURLWithPath: path), skipsDamage: true)
        let result = try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run()
        #expect(result.added == 2 && result.rejections.count == 3)
        #expect(
            result.rejections.first.count == 3 && result.rejections.first.allSatisfy { $0.hasSuffix("an element has no valid startDate") })
    }

    /// A quantity is a finite decimal in the form of the format; nothing else becomes a category.
    @Test(arguments: ["NaN", "-inf", "0x10", "", " 60", "60 ", "1e400", "-1e400", "1,5", "HKCategoryValueNotApplicable"])
    func aQuantityWithoutANumberIsNoSample(_ value: String) async throws {
        let good = ExportText.record("HeartRate", "60", "count/min", minute: 1)
        let text = ExportText.of([good, ExportText.record("HeartRate", value, "count/min", minute: 2)])
        let path = try folder.write("export.xml", text)
        let store = try memoryStore()
        let source = try SampleFile.source(URL(fileURLWithPath: path), skipsDamage: true)
        let result = try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run()
        #expect(result.added == 1 && result.rejections.count == 1)
        #expect(result.rejections.first.allSatisfy { $0.hasPrefix("line ") && $0.contains("quantity") }, "\(result.rejections.first)")
        let error = await #expect(throws: SampleError.self) { try await samples(text) }
        #expect(error?.code == .damaged)
    }

    @Test func aFolderGivesItsFilesWithSamples() async throws {
        let record = ExportText.record("HeartRate", "60", "count/min", minute: 1)
        try FileManager.default.createDirectory(atPath: folder.file("in/apple"), withIntermediateDirectories: true)
        _ = try folder.write("in/apple/Exportieren.xml", ExportText.of([record]))
        _ = try folder.write("in/apple/export_cda.xml", "<ClinicalDocument/>")
        _ = try folder.write("in/apple/route.gpx", "<gpx/>")
        _ = try folder.write("in/b.ndjson", "{\"type\":\"A\",\"start\":\"2026-01-01T00:00:00Z\",\"value\":1}\n{}\n")
        let sources = try SampleFile.sources(URL(fileURLWithPath: folder.file("in")), skipsDamage: true)
        #expect(sources.map { $0.url.lastPathComponent } == ["Exportieren.xml", "b.ndjson"])
        let store = try memoryStore()
        var result = SampleRunResult()
        for (_, source) in sources {
            result += try await SampleEngine(store: store, source: source, destinations: [LocalStore(store)]).run()
        }
        #expect(result.added == 2 && result.rejections.first == ["line 2: a sample has no type"])
        #expect(throws: SampleError.self) { try SampleFile.sources(URL(fileURLWithPath: folder.file("in/apple/route.gpx/none"))) }
        try FileManager.default.createDirectory(atPath: folder.file("empty"), withIntermediateDirectories: true)
        #expect(throws: SampleError.self) { try SampleFile.sources(URL(fileURLWithPath: folder.file("empty"))) }
        #expect(throws: SampleError.self) { try SampleFile.source(URL(fileURLWithPath: "/dev/zero")) }
    }

    @Test func aLineThatNeverEndsIsRefused() async throws {
        let path = try folder.write("long.ndjson", "{" + String(repeating: " ", count: 20 << 20))
        let error = await #expect(throws: SampleError.self) {
            try await NDJSONSamples(URL(fileURLWithPath: path), skipsDamage: true).changes(of: .all, after: nil, limit: 10)
        }
        #expect(error?.line == 1)
    }

    @Test func damageLosesNothingBeforeIt() async throws {
        let good = (0..<12).map { ExportText.record("HeartRate", "\(60 + $0)", "count/min", minute: $0) }
        let store = try memoryStore()
        var configuration = SampleEngine.Configuration()
        configuration.batchSize = 5
        let source = try AppleExport(URL(fileURLWithPath: folder.write("export.xml", ExportText.of(good + ["<Record type=\"x\"/>"]))))
        let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)], configuration: configuration)
        await #expect(throws: SampleError.self) { try await engine.run() }
        #expect(try await store.count(Observation.self) == 12)
        await #expect(throws: SampleError.self) { try await engine.run() }
    }
}
