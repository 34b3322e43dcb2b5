import FireLiteCore
import FireLiteR4
import Foundation

/// Breaks resources at random, so that they follow no profile any more.
struct Damage {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 7 }

    private mutating func number(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }

    /// A broken copy; nil if nothing of it can be read.
    mutating func broken(_ resource: FHIRResource) -> FHIRResource? {
        guard let json = try? JSONSerialization.jsonObject(with: FHIRJSON.data(resource)) else { return nil }
        var changed = json
        for _ in 0...number(below: 5) { changed = change(changed) }
        guard let data = try? JSONSerialization.data(withJSONObject: changed) else { return nil }
        return (try? FHIRJSON.lenientResource(from: data, release: .r4))?.resource
    }

    /// Changes one value somewhere below.
    private mutating func change(_ value: Any) -> Any {
        if var object = value as? [String: Any] {
            let names = object.keys.filter { $0 != "resourceType" }.sorted()
            guard !names.isEmpty else { return value }
            let name = names[number(below: names.count)]
            switch number(below: 8) {
            case 0: object[name] = nil
            case 1: object[names[number(below: names.count)]] = object[name]
            default: object[name] = object[name].map { change($0) }
            }
            return object
        }
        if var list = value as? [Any], !list.isEmpty {
            let place = number(below: list.count)
            switch number(below: 6) {
            case 0: list.remove(at: place)
            case 1: list.append(list[place])
            case 2: list.swapAt(0, place)
            default: list[place] = change(list[place])
            }
            return list
        }
        let others: [Any] = ["", "x", "http://loinc.org", 0, -1, true, [String: Any](), [Any]()]
        return others[number(below: others.count)]
    }
}
