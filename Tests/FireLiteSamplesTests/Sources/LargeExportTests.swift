import FireLiteR4
import FireLiteSamples
import Foundation
import TestSupport
import Testing

/// A large export, made here, imported by a process of its own whose memory is measured.
@Suite(.timeLimit(.minutes(60))) struct LargeExportTests {
    private static let isNightly = ProcessInfo.processInfo.environment["FIRELITE_NIGHTLY"] != nil
    private static let bytes = isNightly ? 1_000_000_000 : 1_000_000
    private static let mostMegabytes = 200

    /// Writes records until the file is so large.
    private func write(_ path: String, _ bytes: Int) throws -> Int {
        try #require(FileManager.default.createFile(atPath: path, contents: Data("<HealthData>\n".utf8)))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        let formatter = ISO8601DateFormatter()
        var (count, size) = (0, 0)
        var text = ""
        while size < bytes {
            // The device's memory address differs from record to record, as in Apple's files.
            let device = ExportText.device.replacingOccurrences(of: "0x2825f1a40", with: "0x28\(count % 1_000)")
            let time = Int64(1_600_000_000 + count * 7)
            let date = String(formatter.string(from: Date(timeIntervalSince1970: Double(time))).prefix(19))
                .replacingOccurrences(of: "T", with: " ")
            let line =
                "<Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"Watch\" device=\"\(device)\" unit=\"count/min\" "
                + "startDate=\"\(date) +0000\" endDate=\"\(date) +0000\" value=\"\(50 + count % 100)\"/>\n"
            text += line
            (count, size) = (count + 1, size + line.utf8.count)
            if text.utf8.count > 1 << 20 {
                try handle.write(contentsOf: Data(text.utf8))
                text = ""
            }
        }
        try handle.write(contentsOf: Data((text + "</HealthData>\n").utf8))
        try handle.close()
        return count
    }

    @Test func aLargeExportTakesLittleMemory() throws {
        let folder = try TemporaryFolder()
        let count = try write(folder.file("export.xml"), Self.bytes)
        let output = Pipe()
        let child = try SamplesChildProgram.process(["measure", folder.file("store.sqlite"), folder.file("export.xml")], output: output)
        let start = ContinuousClock().now
        try child.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        #expect(child.terminationStatus == 0)
        let seconds = start.duration(to: ContinuousClock().now) / .seconds(1)
        #expect(text.contains("done \(count)\n"))
        let peak = text.split(separator: "\n").first { $0.hasPrefix("peak ") }.flatMap { Int($0.dropFirst(5)) }
        // A sanitizer keeps memory of its own.
        if let peak, peak > 0, !Effort.isReduced { #expect(peak < Self.mostMegabytes, "\(peak) MB") }
        print("samples: \(count) in \(seconds) s, \(Int(Double(count) / seconds)) a second, peak \(peak ?? 0) MB")
        let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
        #expect(try store.count(Observation.self) == count)
    }
}
