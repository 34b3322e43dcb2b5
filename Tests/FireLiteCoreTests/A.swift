import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@Test func valid() throws {
    var all: [String: Int] = [:]
    let dir = "/tmp/h2data/examples/R4"
    for f in try FileManager.default.subpathsOfDirectory(atPath: dir) where f.hasSuffix(".json") {
        let r = try FHIRJSON.resource(from: Data(contentsOf: URL(fileURLWithPath: dir + "/" + f)), release: .r4)
        for i in r.validate() { all[f + " " + i.code.rawValue + " " + i.description, default: 0] += 1 }
    }
    for (k, n) in all.sorted(by: { $0.key < $1.key }) where !k.hasPrefix("Questionnaire-qs1") { print(n, k) }
    var n = 0
    for s in 1..<600 { var r = RandomInstance(seed: UInt64(s)); r.isStrictlyValid = true; let x = r.resource(of: .r4); for i in x.validate() where n < 20 { n += 1; print(s, i) } }
    for t in FHIRRelease.r4.types { for s in 0..<3 { var r = RandomInstance(seed: UInt64(s), mode: .everything(round: s)); r.isStrictlyValid = true; let x = r.object(of: t); for i in x.validate() where n < 30 { n += 1; print(s, i) } } }
}

@Test func dbg() throws {
    let p = Patient { $0.id = "1" }
    let one = "1"
    let x = p.id
    print(x as Any, p.id == "1", p.id == one,[p].first { $0.id == one } as Any, [p as FHIRResource].first { $0.id == one } as Any)
}
