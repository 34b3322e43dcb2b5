import FireLiteTerminal
import Foundation
import Testing

@testable import FireLiteCLI

struct ReportTests {
    private func report() -> Report {
        var report = Report()
        report.addLine([
            .init("added", .number(1_234)), .init("dropped", .number(0), isShown: false),
            .init("bytesAfter", .bytes(5_600), label: "after"), .init("seconds", .seconds(.milliseconds(1_234))),
        ])
        report.addTable(
            "rows", [.init(key: "name"), .init(key: "count", label: "number", alignment: .right), .init(key: "built")],
            [[.text("a\"\n\u{1B}"), .count(1_000), .flag(true)], [.none, .count(7), .shown("not yet", .flag(false))]],
            footer: [["total", "1,007"]])
        report.addItems("faults", [(line: "one\ntwo", figures: [.init("text", .text("é\\")), .init("number", .none)])])
        report.addTexts("others", ["x", "y"])
        report.addMember("sound", .flag(false))
        report.addNote("done")
        return report
    }

    @Test func textHasLinesAndTables() {
        #expect(
            report().text(.plain) == """
                added 1234, after 5.6 KB, seconds 1.23

                name            number  built
                a"\\u000a\\u001b   1,000  yes
                                     7  not yet
                total            1,007
                one\\u000atwo
                x
                y
                done
                """)
    }

    @Test func jsonIsOneLineWithEveryFigure() throws {
        let json = report().json
        #expect(
            json == #"{"added":1234,"dropped":0,"bytesAfter":5600,"seconds":1.234,"#
                + #""rows":[{"name":"a\"\n\u001b","count":1000,"built":true},{"name":null,"count":7,"built":false}],"faults":[{"text":"é\\","number":null}],"others":["x","y"],"sound":false}"#
        )
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?.count == 8)
        #expect(Report().json == "{}" && Report().text(.plain).isEmpty)
    }
}
