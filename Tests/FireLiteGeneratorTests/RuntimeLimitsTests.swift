import Foundation
import Testing

@testable import FireLiteGenerator

/// What the generator knows of the runtime is what the runtime's source says.
struct RuntimeLimitsTests {
    private func check(_ lines: String, resource: String = "  id 0..1 id") -> String? {
        let text = """
            FireLite digest 1
            release X 1.0
            primitive id string http://x/id
            primitive string Element http://x/string
            primitive odd Element http://x/odd
            abstract datatype Element - http://x/Element
              id 0..1 string
            abstract resource Resource - http://x/Resource
            \(resource)
            \(lines)
            """
        return message {
            let release = try DigestReader.read(SourceFile(name: "x", bytes: Array(text.utf8)))
            try RuntimeLimits.check(NamingPass.name(release))
        }
    }

    private func elements(_ count: Int) -> String { (0..<count).map { "  e\($0) 0..1 string\n" }.joined() }

    @Test func classesBeyondTheRuntimesSlotsAreRefused() {
        let tooMany = "with those it inherits, a choice one for each type, and 254 is the most"
        #expect(check("datatype A Element http://x/A\n" + elements(253)) == nil)
        #expect(check("datatype A Element http://x/A\n" + elements(254)) == "x:10:1: `A` has 255 values \(tooMany)")
        #expect(check("resource A Resource http://x/A\n" + elements(254)) == "x:10:1: `A` has 255 values \(tooMany)")
        #expect(
            check("datatype A Element http://x/A\n" + elements(252) + "  c[x] 0..1 string|id") == "x:10:1: `A` has 255 values \(tooMany)")
        let backbone = "datatype A Element http://x/A\n  b 0..1 A.b\nbackbone A.b Element\n"
        #expect(check(backbone + elements(253)) == nil)
        #expect(check(backbone + elements(254)) == "x:12:1: `A.b` has 255 values \(tooMany)")
    }

    @Test(arguments: [
        ("  a 0..1 string", "its first element should be `id` 0..1 of type `id`"), ("  id 0..* id", "its first element should be"),
        ("  a 0..1 string\n  id 0..1 id", "its first element should be"), ("  id 0..1 Element", "its first element should be"),
        ("  id[x] 0..1 string|id", "its first element should be"),
    ])
    func resourcesBeginWithTheirID(resource: String, expected: String) {
        #expect(check("", resource: resource)?.hasPrefix("x:8:1: `Resource` is the root of resources, \(expected)") == true)
    }

    @Test func typesWithoutAClassAreRefused() {
        #expect(
            check("datatype A Element http://x/A\n  a 0..1 odd")
                == "x:11:3: `A.a` has the type `odd`, which is not a primitive of FireLite's")
        #expect(
            check("abstract datatype B - http://x/B\ndatatype A Element http://x/A\n  a 0..1 B")
                == "x:12:3: `A.a` has the type `B`, which has no class")
        #expect(check("datatype A string http://x/A") == "x:10:1: `A` derives from `string`, which is not a datatype")
        #expect(check("resource A Element http://x/A\n  a 0..1 string") == "x:10:1: `A` derives from `Element`, which is not a resource")
    }

    @Test func everyMemberOfTheRuntimeIsReserved() throws {
        let members = try RuntimeMembers.all().filter { !$0.name.hasPrefix("_") && $0.name != "id" && $0.name != "==" }
        // A property may have the name of a function of the package's own with arguments (`value`), as overloads may.
        let colliding = members.filter { ["open", "public"].contains($0.access) || ($0.access == "package" && $0.isProperty) }
        #expect(Set(colliding.filter { !$0.isOfResource }.map(\.name)).subtracting(ReservedWords.members) == [])
        #expect(Set(colliding.filter(\.isOfResource).map(\.name)) == ReservedWords.resourceMembers)
        let others: Set = ["debugDescription", "isDeleted", "init", "self", "Type", "Protocol", "ID"]
        #expect(ReservedWords.members.subtracting(members.map(\.name)) == others)
    }

    @Test func everyPrimitiveOfTheRuntimeIsKnown() throws {
        let path = Fixtures.package + "/Sources/FireLiteCore/Primitives/PrimitiveType.swift"
        let source = String(decoding: try SourceFile(path: path).bytes, as: UTF8.self)
        // Other types of the file have cases too.
        let type = try #require(source.components(separatedBy: "\n}\n").first { $0.contains("enum PrimitiveType") })
        let cases = type.split(separator: "\n").filter { $0.hasPrefix("    case ") }
        let names = cases.flatMap { $0.dropFirst(9).split(separator: ",").map { $0.filter { $0 != " " } } }
        #expect(Set(names) == RuntimeLimits.primitives)
        let table = String(
            decoding: try SourceFile(path: Fixtures.package + "/Sources/FireLiteCore/Layouts/Layout.swift").bytes, as: UTF8.self)
        #expect(table.contains("static let maximumSlots = \(RuntimeLimits.mostSlots)\n"))
    }
}
