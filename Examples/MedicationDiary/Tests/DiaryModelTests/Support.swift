import DiaryModel
import FireLite
import FireLiteR4
import Foundation

/// The files of `Sample`, by name.
func sample(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sample/\(name)").standardizedFileURL
}

/// Calls `body` with the URL of a file with this text, which is removed afterwards.
func withFile<Value>(_ text: String, named name: String, _ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("diary-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return try await body(url)
}

/// A diary in memory with a prescription and a statement.
func diaryWithSample() async throws -> Diary {
    let diary = try Diary.inMemory()
    _ = try await diary.importFile(at: sample("medications.ndjson"))
    return diary
}

/// A Gregorian calendar in a time zone with this offset.
func calendar(hours: Int = 1) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: hours * 3_600) ?? .gmt
    return calendar
}

/// 31 October 2026, 12:00 UTC.
let noon = FHIRDateTime("2026-10-31T12:00:00Z").date
