import FireLite

/// The objects that FireKit stores one primitive in, as Realm has no lists and no optionals of most primitives, and no partial dates.
enum RealmWrapper {
    /// The primitive in a wrapper, possibly null; nil if the object is none.
    static func value(of members: [JSONNode.Member], _ type: PrimitiveType, at range: Range<Int>) -> JSONNode? {
        var parts: [String: JSONNode] = [:]
        for member in members where member.name != "pk" {
            guard parts.updateValue(member.value, forKey: member.name) == nil else { return nil }
        }
        let names = Set(parts.keys)
        // RealmString, RealmInt, RealmDecimal, RealmURL, Base64Binary, RealmOptional
        if names == ["value"] { return parts["value"] }
        if names == ["_value"] { return parts["_value"] }
        // DateTime, Instant
        let moment: Set = ["dateString", "timeZoneIdentifier", "timeZoneString", "value"]
        if let text = parts["dateString"], names.isSubset(of: moment) { return text }
        if names.contains("year"), names.isSubset(of: ["year", "month", "day", "_month", "_day"]) { return day(parts, range) }
        if names.contains("hour"), names.isSubset(of: ["hour", "minute", "second", "tookSecondsFromString"]) { return time(parts, range) }
        return nil
    }

    /// `FHIRDate`.
    private static func day(_ parts: [String: JSONNode], _ range: Range<Int>) -> JSONNode? {
        guard let year = number(parts["year"]) else { return nil }
        var text = year.padded(4)
        if let month = number(parts["month"] ?? parts["_month"]) {
            text += "-" + month.padded(2)
            if let day = number(parts["day"] ?? parts["_day"]) { text += "-" + day.padded(2) }
        }
        return .text(text, at: range)
    }

    /// `FHIRTime`, whose seconds are kept as text too.
    private static func time(_ parts: [String: JSONNode], _ range: Range<Int>) -> JSONNode? {
        guard let hour = number(parts["hour"]), let minute = number(parts["minute"]) else { return nil }
        let second = parts["tookSecondsFromString"]?.text ?? parts["second"]?.number ?? "00"
        let digits = second.split(separator: ".", omittingEmptySubsequences: false)
        let isWhole = digits.count == 1 || digits[1].allSatisfy { $0 == "0" } && parts["tookSecondsFromString"]?.text == nil
        let whole = digits[0].utf8.count == 1 ? "0\(digits[0])" : String(digits[0])
        return .text("\(hour.padded(2)):\(minute.padded(2)):\(whole)" + (isWhole ? "" : ".\(digits[1])"), at: range)
    }

    /// A number, or one in a `RealmOptional`.
    private static func number(_ node: JSONNode?) -> Int? {
        guard let node, !node.isNull else { return nil }
        return (node["value"] ?? node).number.flatMap(Int.init)
    }
}
