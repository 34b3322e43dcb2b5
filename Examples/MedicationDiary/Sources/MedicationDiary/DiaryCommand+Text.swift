import DiaryModel
import Foundation

// How values look on a terminal.

extension DiaryCommand {
    static func table(_ entries: [DiaryEntry]) -> String {
        guard !entries.isEmpty else { return "No medications found.\n" }
        let rows = entries.map { [shown($0.name), shown($0.dosage ?? ""), shown($0.status), lastTaken($0)] }
        let lines = [["MEDICATION", "DOSAGE", "STATUS", "LAST TAKEN"]] + rows
        let widths = (0..<4).map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            let cells = zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return trimmed(cells.joined(separator: "  ")) + "\n"
        }.joined()
    }

    static func chart(_ doses: [DailyDoses]) -> String {
        let style = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
        return doses.map { trimmed("\($0.day.formatted(style))  \(String(repeating: "█", count: $0.count)) \($0.count)") + "\n" }.joined()
    }

    /// The text without control characters, with which a file could change the terminal.
    static func shown(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    private static func lastTaken(_ entry: DiaryEntry) -> String {
        entry.lastTaken.map { String($0.literal.prefix(16)).replacingOccurrences(of: "T", with: " ") } ?? "never"
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
