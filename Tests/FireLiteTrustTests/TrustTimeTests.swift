import Foundation
import Testing

@testable import FireLiteTrust

@Suite struct TrustTimeTests {
    @Test func datesAreThoseOfTheCalendar() throws {
        for text in [
            "2024-02-31", "2023-02-29", "2024-13", "2024-00-01", "2024-1-1", "24", "+2024", "2024-02-30T00:00:00Z", "2024-01-01T10:00", "",
        ] {
            #expect(TrustTime.bounds(text) == nil, "\(text)")
        }
        let day: TimeInterval = 86_400
        for (text, length) in [("2024-02-29", day), ("2024-02", 29 * day), ("2023", 365 * day), ("2024-02-29T23:59:59Z", 1)] {
            let bounds = try #require(TrustTime.bounds(text), "\(text)")
            #expect(bounds.upper.timeIntervalSince(bounds.lower) == length, "\(text)")
        }
        #expect(TrustTime.bounds("2024-02-29T12:00:00.5+02:00")?.lower == Date(timeIntervalSince1970: 1_709_200_800.5))
    }
}
