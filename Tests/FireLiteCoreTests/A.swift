import FireLiteCore
import FireLiteR4
import Foundation
import Testing

@Test func probe() throws {
    func p(_ j: String, _ d: Data? = nil) {
        let d = d ?? Data(j.utf8)
        do { let r = try FHIRJSON.resource(from: d, release: .r4); print("OK   ", j.prefix(150).debugDescription, FHIRJSON.string(r)) } catch { print("ERR  ", j.prefix(150).debugDescription, "\n          ", (error as! FHIRDecodingError).code.rawValue, error) }
        do { let r = try FHIRJSON.lenientResource(from: d, release: .r4); print("      lenient", FHIRJSON.string(r.resource).prefix(200)); for i in r.issues { print("         ", i.code.rawValue, i) } } catch { print("      lenient", (error as! FHIRDecodingError).code.rawValue, error) }
    }
    let P = #"{"resourceType":"Patient","#
    for j in [
        "", "  ", "null", "[]", "{}", "\"a\"", "{\"id\":\"1\"}", "{\"resourceType\":\"Pateint\"}", "{\"resourceType\":5}", "{\"resourceType\":\"Patient\",}", "{\"resourceType\":\"Element\"}", "{\"resourceType\":\"Resource\"}",
        P + #""resourceType":"Patient"}"#, P + "\n  \"nmae\": [{}]}", P + "\"name\":{}}", P + "\"name\":[]}", P + "\"name\":[{}]}", P + "\"name\":[{\"given\":[]}]}", P + "\"name\":[{\"given\":\"x\"}]}", P + "\"name\":{\"given\":[\"x\"]}}", P + "\"birthDate\":[\"2020\"]}", P + "\"maritalStatus\":[{\"text\":\"x\"}]}",
        P + "\n\"active\":true,\n\"active\":false}", P + "\"deceasedBoolean\":true,\n \"deceasedDateTime\":\"2020\"}", P + "\"active\":\"true\"}", P + "\"active\":1}", P + "\"multipleBirthInteger\":2147483648}", P + "\"multipleBirthInteger\":1.0}", P + "\"multipleBirthInteger\":\"1\"}", P + "\"birthDate\":\"2020-13\"}", P + "\"birthDate\":2020}", P + "\"birthDate\":null}", P + "\"active\":null}", P + "\"name\":null}", P + "\"maritalStatus\":null}", P + "\"name\":[null]}",
        P + "\"name\":[{\"given\":[null,\"a\",null]}]}", P + "\"name\":[{\"given\":[\"a\",null],\"_given\":[null,{\"id\":\"x\"}]}]}", P + "\"name\":[{\"_given\":[null]}]}",P + "\"name\":[{\"_given\":[{}]}]}", P + "\"_birthDate\":{\"id\":\"b\"}}", P + "\"_birthDate\":{}}", P + "\"_birthDate\":\"x\"}", P + "\"_name\":{\"id\":\"b\"}}", P + "\"_birthDate\":{\"id\":\"b\"},\"_birthDate\":{\"id\":\"c\"}}", P + "\"gender\":\"unknown-code\"}", P + "\"id\":\"\"}", P + "\"active\":true} x", P + "\"active\":true}\n\n  {}", P + "\"contained\":[{\"resourceType\":\"Nope\",\"x\":1},{\"resourceType\":\"Basic\"}]}", P + "\"contained\":[{\"id\":\"x\"}]}",
        P + "\"name\":[{\"text\":\"\\ud800\"}]}", P + "\"name\":[{\"text\":\"\\udc00\\ud800\"}]}", P + "\"name\":[{\"text\":\"\\uD83D\\uDE00\"}]}", P + "\"name\":[{\"text\":\"a\\qb\"}]}", P + "\"name\":[{\"text\":\"a\tb\"}]}", P + "\"name\":[{\"text\":\"abc", P + "\"multipleBirthInteger\":01}", P + "\"x\\u0079\":1}", P + "\"acti\\u0076e\":true}", P + "'id':1}", P + "\"managingOrganization\":{\"reference\":\"Organization/1\",\"resourceType\":\"Reference\"}}",
        P + "\"valueString\":\"x\"}", P + "\"extension\":[{\"url\":\"u\",\"valueString\":\"x\",\"_valueString\":{\"id\":\"q\"},\"valueBoolean\":true}]}", P + "\"deceasedBoolean\":true,\"_deceasedDateTime\":{\"id\":\"x\"}}", P + "\"_deceasedDateTime\":{\"id\":\"x\"},\"deceasedBoolean\":true}",
        String(repeating: "[", count: 200), P + "\"x\":" + String(repeating: "[", count: 126) + String(repeating: "]", count: 126) + "}", P + "\"x\":" + String(repeating: "[", count: 128) + String(repeating: "]", count: 128) + "}",
    ] { p(j) }
    p("invalid utf8", Data(Array((P + "\"name\":[{\"text\":\"a").utf8) + [0xFF, 0x41] + Array("\"}]}".utf8)))
    p("invalid utf8 in name", Data(Array((P + "\"na").utf8) + [0xC3] + Array("me\":1}".utf8)))
    p("invalid utf8 before type", Data(Array(("{\"id\":\"a").utf8) + [0xC3] + Array("me\",\"resourceType\":\"Patient\"}".utf8)))
    p("BOM", Data([0xEF, 0xBB, 0xBF] + Array((P + "\"active\":tru}").utf8)))
    p("BOM2", Data([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array((P + "\"active\":true}").utf8)))
    p("surrogate utf8", Data(Array((P + "\"name\":[{\"text\":\"a").utf8) + [0xED, 0xA0, 0x80] + Array("\"}]}".utf8)))
    p("overlong", Data(Array((P + "\"name\":[{\"text\":\"a").utf8) + [0xC0, 0xAF] + Array("\"}]}".utf8)))
}
