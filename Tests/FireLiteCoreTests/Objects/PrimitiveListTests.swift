import FireLiteCore
import FireLiteR4
import TestSupport
import Testing

/// Ids and extensions of primitives in a list follow the values they belong to.
@Suite struct PrimitiveListTests {
    /// Peter with an extension, James without, John with another.
    private func name() throws -> HumanName {
        try HumanName(json: #"{"given":["Peter","James","John"],"_given":[{"id":"p"},null,{"id":"j"}]}"#)
    }

    /// Each place as `value:id`.
    private func shown(_ name: HumanName) -> [String] {
        name[places: \.given].map { "\($0.value ?? "null"):\(($0.element as? Element)?.id ?? "-")" }
    }

    // MARK: - One edit

    @Test func removedValuesTakeTheirs() throws {
        let first = try name()
        let element = first[elements: \.given][0]
        first.given.remove(at: 0)
        #expect(shown(first) == ["James:-", "John:j"])
        #expect(element?.ownerObject == nil)
        #expect(FHIRJSON.string(first) == #"{"given":["James","John"],"_given":[null,{"id":"j"}]}"#)
        let middle = try name()
        middle.given.remove(at: 1)
        #expect(shown(middle) == ["Peter:p", "John:j"])
        let all = try name()
        all.given = []
        #expect(all.isEmpty)
    }

    @Test func movedValuesKeepTheirs() throws {
        let edits: [((inout [String]) -> Void, [String])] = [
            ({ $0.insert("Lee", at: 0) }, ["Lee:-", "Peter:p", "James:-", "John:j"]),
            ({ $0.insert(contentsOf: ["A", "B"], at: 1) }, ["Peter:p", "A:-", "B:-", "James:-", "John:j"]),
            ({ $0.append("Lee") }, ["Peter:p", "James:-", "John:j", "Lee:-"]), ({ $0.reverse() }, ["John:j", "James:-", "Peter:p"]),
            ({ $0.swapAt(0, 1) }, ["James:-", "Peter:p", "John:j"]), ({ $0.sort() }, ["James:-", "John:j", "Peter:p"]),
            ({ $0 = ["John", "New", "Peter", "Other"] }, ["John:j", "New:-", "Peter:p", "Other:-"]),
            ({ $0 = ["John"] }, ["John:j"]), ({ $0 = $0 }, ["Peter:p", "James:-", "John:j"]),
        ]
        for (edit, expected) in edits {
            let name = try name()
            let elements = name[elements: \.given].compactMap { $0 }
            edit(&name.given)
            #expect(shown(name) == expected)
            // The very same objects, still owned.
            let left = name[elements: \.given].compactMap { $0 }
            #expect(left.allSatisfy { element in elements.contains { $0 === element } })
            #expect(elements.allSatisfy { element in (element.ownerObject === name) == left.contains { $0 === element } })
            expectSoundOwnership(name)
        }
    }

    /// As a to-one primitive does, a value that is replaced leaves its id and extensions to the one in its place.
    @Test func replacedValuesLeaveTheirsToTheNewOnes() throws {
        let one = try name()
        one.given[0] = "Joseph"
        #expect(shown(one) == ["Joseph:p", "James:-", "John:j"])
        let all = try name()
        all.given = all.given.map { $0.uppercased() }
        #expect(shown(all) == ["PETER:p", "JAMES:-", "JOHN:j"])
        // There is no telling which one is replaced by which.
        let fewer = try name()
        fewer.given = ["A", "B"]
        #expect(shown(fewer) == ["A:-", "B:-"])
    }

    /// A value that another place has already did not come in the place of the one that went.
    @Test func valuesExchangedStepByStepNeverGetAnothers() throws {
        let name = try name()
        let first = name.given[0]
        name.given[0] = name.given[2]
        #expect(shown(name) == ["John:-", "James:-", "John:j"])
        name.given[2] = first
        // Peter's went when there was no Peter any more.
        #expect(shown(name) == ["John:j", "James:-", "Peter:-"])
    }

    @Test func equalValuesKeepTheirsInOrder() throws {
        func list(_ json: String) throws -> HumanName { try HumanName(json: json) }
        let name = try list(#"{"given":["a","b","a"],"_given":[{"id":"1"},null,{"id":"3"}]}"#)
        name.given.remove(at: 0)
        #expect(shown(name) == ["b:-", "a:3"])
        name.given.insert("a", at: 0)
        #expect(shown(name) == ["a:-", "b:-", "a:3"])
        name.given.append("a")
        #expect(shown(name) == ["a:-", "b:-", "a:3", "a:-"])
        // As long as there is such a value without one, nothing is lost.
        name.given = ["a"]
        #expect(shown(name) == ["a:3"])
        let twice = try list(#"{"given":["a","a"],"_given":[{"id":"1"},{"id":"2"}]}"#)
        twice.given.removeLast()
        #expect(shown(twice) == ["a:1"])
    }

    /// Two forms of one accent are two values, which are told by their bytes.
    @Test func valuesAreTheirBytes() throws {
        let name = HumanName { $0.given = ["\u{E9}", "e\u{301}"] }
        name[elements: \.given] = [Element { $0.id = "one" }, Element { $0.id = "two" }]
        name.given.swapAt(0, 1)
        #expect(name.given.map { $0.utf8.count } == [3, 2])
        #expect(name[elements: \.given].map { ($0 as? Element)?.id } == ["two", "one"])
    }

    @Test func nullsStayBehindTheValueBeforeThem() throws {
        func list() throws -> HumanName {
            try HumanName(json: #"{"given":[null,"a",null,"b",null,"c"],"_given":[{"id":"0"},{"id":"1"},{"id":"2"},null,{"id":"4"},null]}"#)
        }
        let edits: [((inout [String]) -> Void, [String])] = [
            ({ $0.reverse() }, ["null:0", "c:-", "b:-", "null:4", "a:1", "null:2"]),
            ({ $0.remove(at: 0) }, ["null:0", "null:2", "b:-", "null:4", "c:-"]),
            ({ $0.insert("x", at: 1) }, ["null:0", "a:1", "null:2", "x:-", "b:-", "null:4", "c:-"]),
            ({ $0 = [] }, ["null:0", "null:2", "null:4"]),
            ({ $0 = ["x", "y", "z"] }, ["null:0", "x:1", "null:2", "y:-", "null:4", "z:-"]),
        ]
        for (edit, expected) in edits {
            let name = try list()
            edit(&name.given)
            #expect(shown(name) == expected)
        }
    }

    // MARK: - Values and elements together

    @Test func placesAreEditedAsOne() throws {
        let name = try name()
        name[places: \.given].swapAt(0, 1)
        #expect(shown(name) == ["James:-", "Peter:p", "John:j"])
        name[places: \.given].remove(at: 1)
        name[places: \.given].append(FHIRListPlace("Lee", element: Element { $0.id = "l" }))
        name[places: \.given].append(FHIRListPlace(nil, element: Element { $0.id = "n" }))
        #expect(shown(name) == ["James:-", "John:j", "Lee:l", "null:n"])
        name[places: \.given][1] = FHIRListPlace("Joseph")
        name[places: \.given][2].value = "Leo"
        #expect(FHIRJSON.string(name) == #"{"given":["James","Joseph","Leo",null],"_given":[null,null,{"id":"l"},{"id":"n"}]}"#)
        name[places: \.given] = name[places: \.given].filter { $0.element == nil }
        #expect(FHIRJSON.string(name) == #"{"given":["James","Joseph"]}"#)
        expectSoundOwnership(name)
        // What belongs elsewhere, or to another place, is copied.
        let other = try self.name()
        let element = other[places: \.given][0].element
        name[places: \.given] = [FHIRListPlace("x", element: element), FHIRListPlace("y", element: element)]
        #expect(name[elements: \.given][0] !== element && name[elements: \.given][0] == element)
        #expect(name[elements: \.given][0] !== name[elements: \.given][1])
        other[places: \.given][2].element = other[places: \.given][0].element
        #expect(shown(other) == ["Peter:p", "James:-", "John:p"])
        #expect(other[elements: \.given][0] === element && other[elements: \.given][2] !== element)
        expectSoundOwnership(other)
    }

    // MARK: - Random edits

    /// Edits of a list of pairs, which need no rule, beside the same edits of the list of values.
    private func expectFollows<Object: FHIRObject, Value: Hashable>(
        _ path: ReferenceWritableKeyPath<Object, [Value]>, _ values: [Value], in seeds: Swift.Range<UInt64>
    ) throws {
        try withEvery(seeds) { seed in
            var generator = SeededGenerator(seed: seed)
            let object = Object()
            var pairs = values.shuffled(using: &generator).prefix(5).map { value in
                (value: value, id: generator.percent(60) ? "\(generator.int(0...999))" : nil)
            }
            object[places: path] = pairs.map { pair in FHIRListPlace(pair.value, element: pair.id.map { id in Element { $0.id = id } }) }
            for _ in 0..<25 {
                let fresh = values.filter { value in !pairs.contains { $0.value == value } }.shuffled(using: &generator)
                func index(_ count: Int) -> Int { generator.int(0...max(count - 1, 0)) }
                switch generator.int(0...7) {
                case 0 where !pairs.isEmpty:
                    let index = index(pairs.count)
                    object[keyPath: path].remove(at: index)
                    pairs.remove(at: index)
                case 1 where !fresh.isEmpty:
                    let index = index(pairs.count + 1)
                    object[keyPath: path].insert(fresh[0], at: index)
                    pairs.insert((fresh[0], nil), at: index)
                case 2:
                    object[keyPath: path].reverse()
                    pairs.reverse()
                case 3 where !pairs.isEmpty:
                    let (first, second) = (index(pairs.count), index(pairs.count))
                    object[keyPath: path].swapAt(first, second)
                    pairs.swapAt(first, second)
                case 4:
                    pairs.shuffle(using: &generator)
                    object[keyPath: path] = pairs.map(\.value)
                case 5 where !pairs.isEmpty && !fresh.isEmpty:
                    let index = index(pairs.count)
                    object[keyPath: path][index] = fresh[0]
                    pairs[index].value = fresh[0]
                case 6 where pairs.count > 1:
                    pairs = Array(pairs.shuffled(using: &generator).dropLast())
                    pairs.insert(contentsOf: fresh.prefix(3).map { ($0, nil) }, at: index(pairs.count))
                    // Where the length stays, what is new may stand in the place of what went.
                    if pairs.count == object[keyPath: path].count { pairs.removeLast() }
                    object[keyPath: path] = pairs.map(\.value)
                default:
                    let read = try Object(json: FHIRJSON.data(object))
                    try #require(read == object)
                }
                try #require(object[places: path].map(\.value) == pairs.map(\.value))
                try #require(object[places: path].map { ($0.element as? Element)?.id } == pairs.map(\.id))
                expectSoundOwnership(object)
            }
        }
    }

    @Test func everyKindOfListFollowsRandomEdits() throws {
        try expectFollows(\HumanName.given, ["a", "b", "c", "d", "e", "f", "é", "e\u{301}x", ""], in: 0..<60)
        try expectFollows(
            \Timing.event, ["2020", "2020-01", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000Z", "1999", "2021-12"], in: 0..<30)
        try expectFollows(\TimingRepeat.timeOfDay, ["00:00:00", "01:02:03", "01:02:03.0", "12:00:00", "23:59:59", "04:00:00"], in: 0..<30)
        try expectFollows(\SearchParameter.comparator, [.eq, .ne, .gt, .lt, .ge, "other"], in: 0..<30)
        try expectFollows(\ClaimItem.careTeamSequence, [1, 2, 3, 40, 500, 6], in: 0..<30)
    }
}
