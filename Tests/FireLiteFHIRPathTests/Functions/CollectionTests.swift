import FireLiteFHIRPath
import Testing

/// Functions of collections, by the rules of the specification.
@Suite struct CollectionTests {
    @Test func existence() throws {
        Sample.expect([
            ("{}.empty()", "true"), ("1.empty()", "false"), ("{}.exists()", "false"), ("(1 | 2).exists($this > 1)", "true"),
            ("(1 | 2).exists($this > 2)", "false"), ("{}.all(false)", "true"), ("(1 | 2).all($this > 0)", "true"),
            ("(1 | 2).all($this > 1)", "false"),
            ("{}.allTrue()", "true"), ("(true | false).allTrue()", "false"), ("(true | false).anyTrue()", "true"),
            ("{}.anyTrue()", "false"),
            ("{}.allFalse()", "true"), ("(true | false).allFalse()", "false"), ("(true | false).anyFalse()", "true"),
            ("{}.anyFalse()", "false"),
            ("(1 | 'a').allTrue()", "error: execution"), ("{}.count()", "0"), ("(1 | 2 | 2).count()", "2"),
            ("1.combine(1).distinct()", "1"),
            ("1.combine(1).isDistinct()", "false"), ("{}.isDistinct()", "true"), ("{}.subsetOf(1)", "true"), ("1.subsetOf(1 | 2)", "true"),
            ("(1 | 3).subsetOf(1 | 2)", "false"), ("(1 | 2).supersetOf(1)", "true"), ("1.supersetOf(1 | 2)", "false"), ("{}.not()", ""),
            ("true.not()", "false"), ("1.not()", "false"), ("(1 | 2).not()", "error: execution"), ("1.combine(1.0).isDistinct()", "false"),
            ("(1|2|3|4|5|6|7|8|9|10|11|12|13|14|15).combine(15.0).distinct().count()", "15"),
        ])
    }

    @Test func filtersAndSubsets() throws {
        Sample.expect([
            ("(1 | 2 | 3).where($this > 1)", "2, 3"), ("(1 | 2 | 3).where({})", ""), ("(1 | 2).select($this * 2)", "2, 4"),
            ("(1 | 2).select($this.combine($this))", "1, 1, 2, 2"), ("(5 | 6).select($index)", "0, 1"), ("(1 | 2 | 3).first()", "1"),
            ("(1 | 2 | 3).last()", "3"), ("(1 | 2 | 3).tail()", "2, 3"), ("{}.first()", ""), ("{}.tail()", ""),
            ("(1 | 2 | 3).skip(2)", "3"),
            ("(1 | 2).skip(-1)", "1, 2"), ("(1 | 2).skip(9)", ""), ("(1 | 2 | 3).take(2)", "1, 2"), ("(1 | 2).take(0)", ""),
            ("(1 | 2).take(-1)", ""),
            ("(1 | 2)[1]", "2"), ("(1 | 2)[2]", ""), ("(1 | 2)[-1]", ""), ("1.single()", "1"), ("{}.single()", ""),
            ("(1 | 2).single()", "error: execution"),
            ("1.combine(1 | 2).intersect(1 | 3)", "1"), ("1.combine(1 | 2).exclude(2)", "1, 1"), ("(1 | 2).exclude({})", "1, 2"),
            ("1.repeat(iif($this < 4, $this + 1, {}))", "2, 3, 4"), ("1.repeatAll(iif($this < 3, $this + 1, {}))", "2, 3"),
            ("(1 | 2)['a']", "error: execution"), ("(1 | 2).where($this)", "1, 2"), ("(1 | 2).where(1 | 2)", "error: execution"),
        ])
    }

    @Test func combinationsAndAggregates() throws {
        Sample.expect([
            ("(1 | 2) | (2 | 3)", "1, 2, 3"), ("1.union(1 | 2)", "1, 2"), ("1.combine(1)", "1, 1"), ("{} | {}", ""),
            ("1.combine(1) | {}", "1"),
            ("{} | 1.combine(1)", "1"), ("(1 | 2 | 3).aggregate($total + $this, 0)", "6"), ("(1 | 2).aggregate($total + $this)", ""),
            ("(3 | 1 | 2).aggregate(iif($total.empty() or $this < $total, $this, $total))", "1"), ("coalesce({}, 2, 3)", "2"),
            ("coalesce({})", ""),
            ("(3 | 1 | 2).sort()", "1, 2, 3"), ("(3 | 1 | 2).sort(-$this)", "3, 2, 1"), ("('b' | 'a').sort($this desc)", "b, a"),
            ("('b' | 'a').sort($this asc)", "a, b"), ("(1 | 'a').sort()", "error: execution"), ("$total", "error: execution"),
            ("(12 | 21 | 11).sort($this mod 10, -$this)", "21, 11, 12"), ("(1 | 2 | 3).sort(iif($this = 2, {}, $this))", "2, 1, 3"),
            ("(1 | 2 | 3).sort(iif($this = 2, {}, $this) desc)", "2, 3, 1"), ("$index", "error: execution"),
        ])
    }

    @Test func membership() throws {
        Sample.expect([
            ("1 in (1 | 2)", "true"), ("3 in (1 | 2)", "false"), ("{} in (1 | 2)", ""), ("1 in {}", "false"),
            ("(1 | 2) in 1", "error: execution"),
            ("(1 | 2) contains 2", "true"), ("{} contains 1", "false"), ("(1 | 2) contains {}", ""),
            ("(1 | 2) contains (1 | 2)", "error: execution"),
            ("1.0 in (1 | 2)", "true"),
        ])
    }

    @Test func aCopyOfAContextIsChangedAlone() throws {
        var context = FHIRPathContext()
        context.variables["a"] = [FHIRPathValue(1)]
        context.bases = ["https://example.org"]
        var copy = context
        copy.variables["a"] = [FHIRPathValue(2)]
        copy.bases = []
        func value(_ context: FHIRPathContext) throws -> [Int?] { try FHIRPath("%a").evaluate(context: context).map(\.int) }
        #expect(try value(context) == [1] && value(copy) == [2])
        #expect(context.bases.count == 1 && copy.bases.isEmpty)
        #expect(FHIRPathContext().variables.isEmpty && FHIRPathContext().bases.isEmpty)
    }

    @Test func conditionsTracesAndVariables() throws {
        var shown: [String] = []
        var context = FHIRPathContext()
        context.trace = { name, values in shown.append("\(name): \(values.compactMap(\.string).joined(separator: ","))") }
        Sample.expect(
            [
                ("(1 | 2).trace('all')", "1, 2"), ("(1 | 2).trace('double', $this * 2)", "1, 2"), ("iif(true, 1, 1 / 0)", "1"),
                ("iif(false, 1)", ""),
                ("iif({}, 1, 2)", "2"), ("(1 | 2).iif(true, 1)", "error: execution"), ("5.iif($this > 4, $this, 0)", "5"),
                ("1.defineVariable('a', 5).select(%a)", "5"), ("1.defineVariable('a').select(%a + %a)", "2"), ("%a", "error: semantic"),
                ("defineVariable('a', 1) | %a", "error: semantic"), ("defineVariable('a', 1).defineVariable('a', 2)", "error: semantic"),
                ("defineVariable('context', 1)", "error: semantic"),
                ("(1 | 2).select(defineVariable('a', $this * 10).select(%a))", "10, 20"),
                ("defineVariable('a', 1).select(defineVariable('b', %a + 1).select(%b))", ""),
            ], context: context)
        #expect(shown == ["all: 1,2", "double: 2,4"])
        Sample.expect([
            ("1.defineVariable('a', 1).select(defineVariable('b', %a + 1).select(%b))", "2"), ("%ucum", "http://unitsofmeasure.org"),
            ("%sct", "http://snomed.info/sct"), ("%loinc", "http://loinc.org"), ("%`vs-x-y`", "http://hl7.org/fhir/ValueSet/x-y"),
            ("%vs-x-y", "http://hl7.org/fhir/ValueSet/x-y"), ("%`ext-a`", "http://hl7.org/fhir/StructureDefinition/a"),
            ("%other", "error: semantic"),
        ])
        var given = FHIRPathContext()
        given.variables = ["limit": [FHIRPathValue(5)], "names": [FHIRPathValue("a"), FHIRPathValue("b")]]
        Sample.expect([("%limit + 1", "6"), ("%names.count()", "2"), ("defineVariable('limit', 1)", "error: semantic")], context: given)
    }
}
