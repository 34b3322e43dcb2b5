import FireLite
import Testing

@testable import FireLiteSearch

@Suite struct SearchCursorTests {
    /// A number above the greatest double is infinite in SQL; the text of such a place was empty.
    @Test(arguments: [SQLValue.null, 1, 1.5, "text", .real(.infinity), .real(-.infinity), .blob([0, 255])])
    func everyPlaceIsWrittenAndRead(_ value: SQLValue) throws {
        let cursor = SearchCursor(type: "RiskAssessment", place: QueryCursor(values: [value, 2], key: 7))
        #expect(try SearchCursor(cursor.text) == cursor)
    }

    @Test(arguments: ["", "!", "e30", "eyJ0eXBlIjoxfQ"]) func otherTextIsNoCursor(_ text: String) {
        let error = #expect(throws: SearchError.self) { try SearchCursor(text) }
        #expect(error?.code == .invalid)
    }
}
