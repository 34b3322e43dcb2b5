import FireLite
import Foundation

/// A circle on the earth.
struct SearchArea {
    let latitude: Double
    let longitude: Double
    /// In kilometres.
    let distance: Double

    /// The earth's mean radius in kilometres.
    private static let radius = 6_371.0088
    private static let units = ["km": 1, "m": 0.001, "[mi_i]": 1.609344, "mi": 1.609344, "[mi_us]": 1.609347, "[nmi_i]": 1.852]

    /// Nil for text that is not `latitude|longitude|distance|unit`.
    init?(_ text: String) {
        let parts = SearchText.split(text, "|").map(SearchText.plain)
        guard (2...4).contains(parts.count), let latitude = Double(parts[0]), let longitude = Double(parts[1]), abs(latitude) <= 90,
            abs(longitude) <= 180, let unit = Self.units[parts.count > 3 && !parts[3].isEmpty ? parts[3] : "km"]
        else { return nil }
        // FHIR leaves the distance to the server if it is missing.
        guard let distance = parts.count > 2 && !parts[2].isEmpty ? Double(parts[2]) : 50, distance >= 0 else { return nil }
        (self.latitude, self.longitude, self.distance) = (latitude, longitude, distance * unit)
    }

    /// The area of two parameters, as STU3 and DSTU2 have them: `latitude:longitude`, and `distance|system|unit` or a distance alone. Nil for other
    /// text.
    init?(near: String, distance: String?) {
        let coordinates = near.split(separator: ":", omittingEmptySubsequences: false)
        guard coordinates.count == 2 else { return nil }
        let parts = SearchText.split(distance ?? "", "|").map(SearchText.plain)
        guard parts.count == 1 || parts.count == 3 else { return nil }
        // The only prefix that says what a limit is.
        let limit = parts[0].hasPrefix("le") ? String(parts[0].dropFirst(2)) : parts[0]
        self.init("\(coordinates[0])|\(coordinates[1])|\(limit)|\(parts.count == 3 ? parts[2] : "")")
    }

    /// Conditions that all positions in the circle meet.
    func box(_ latitudes: QueryPath, _ longitudes: QueryPath) -> [Predicate] {
        // A little larger, as the exact distance decides.
        let height = distance / Self.radius * 180 / .pi * 1.001 + 1e-6
        let vertical = Predicate.value(latitudes, .between(.real(latitude - height), .real(latitude + height)))
        let widest = max(abs(latitude - height), abs(latitude + height))
        guard widest < 89 else { return [vertical] }
        let width = height / cos(widest * .pi / 180)
        guard longitude - width >= -180, longitude + width <= 180 else { return [vertical] }
        return [vertical, .value(longitudes, .between(.real(longitude - width), .real(longitude + width)))]
    }

    /// Whether a position is in the circle, by the haversine formula.
    func contains(_ otherLatitude: Double, _ otherLongitude: Double) -> Bool {
        let (first, second) = (latitude * .pi / 180, otherLatitude * .pi / 180)
        let (half, side) = ((second - first) / 2, (otherLongitude - longitude) * .pi / 360)
        let chord = sin(half) * sin(half) + cos(first) * cos(second) * sin(side) * sin(side)
        return 2 * Self.radius * asin(min(1, chord.squareRoot())) <= distance
    }
}
