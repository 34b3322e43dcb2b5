import FireLiteCore
import FireLiteFHIRPath
import FireLiteR4
import Foundation
import Testing

/// Regular expressions, and other functions that could go on for ever, end.
@Suite struct RegularMatchingTests {
    @Test func expressionsThatTakeForEverAreAnError() throws {
        var options = FHIRPathOptions()
        options.maximumMatchingTime = .milliseconds(200)
        let text = String(repeating: "a", count: 40) + "!"
        Sample.expect(
            [
                ("'\(text)'.matches('(a*)*b')", "error: limit"), ("'\(text)'.matches('(a+)+b')", "error: limit"),
                ("'\(text)'.matches('((((a*)*)*)*)*b')", "error: limit"), ("'\(text)'.matchesFull('(a|aa)+')", "error: limit"),
                ("'\(text)'.replaceMatches('(a*)*b', 'x')", "error: limit"), ("'\(text)'.matches('a+')", "true"),
                ("'\(text)'.matches('b')", "false"), ("'\(text)'.matchesFull('a+')", "false"), ("'\(text)'.matchesFull('a+!')", "true"),
            ], options: options)
    }

    /// The time is that of the evaluation, and not of each of a million texts.
    @Test func theTimeIsThatOfAllExpressionsTogether() throws {
        var options = FHIRPathOptions()
        options.maximumMatchingTime = .milliseconds(200)
        let text = String(repeating: "a", count: 14) + "!"
        Sample.expect(
            [
                ("'\(text)'.matches('(a*)*b')", "false"),
                ("1.repeat(iif($this < 20000, $this + 1)).all('\(text)'.matches('(a*)*b').not())", "error: limit"),
            ], options: options)
    }

    @Test func expressionsThatNeedTooMuchMemoryAreAnError() throws {
        let text = "'ab'" + String(repeating: ".select($this & $this)", count: 21)
        Sample.expect([("\(text).matches('(?:a|b)*c')", "error: limit")])
        let pattern = String(repeating: "a", count: 70_000)
        Sample.expect([("'a'.matches('\(pattern)')", "error: limit")])
    }

    @Test func substitutionsNameGroups() {
        Sample.expect([
            ("'John Smith'.replaceMatches('(\\\\w+) (\\\\w+)', '$2, $1')", "Smith, John"),
            ("'abc'.replaceMatches('b', '[$0]')", "a[b]c"), ("'abc'.replaceMatches('b', '$1')", "ac"),
            ("'abc'.replaceMatches('b', '$')", "a$c"),
            ("'abc'.replaceMatches('b', '\\\\$0')", "a$0c"), ("'abc'.replaceMatches('(b)(x)?', '<$2$1>')", "a<b>c"),
            ("'abc'.replaceMatches('(b)', '$12')", "ab2c"), ("'aé😀b'.replaceMatches('[é😀]', '_')", "a__b"),
            ("'abc'.replaceMatches('x*', '-')", "-a-b-c-"), ("'abc'.replaceMatches('', '-')", "abc"),
            ("'abc'.replaceMatches('z', '-')", "abc"),
        ])
    }

    /// The memory of what `repeat` keeps is bounded with the steps, and so are comparisons of values that have no hash.
    @Test func whatRepeatKeepsCounts() throws {
        var options = FHIRPathOptions()
        options.maximumSteps = 1_000_000
        Sample.expect(
            [
                ("1.repeat($this + 1).count()", "error: limit"), ("1 'mg'.repeat($this + 1 'mg').count()", "error: limit"),
                ("1.repeat(iif($this < 10000, $this + 1)).count()", "9999"), ("1.repeatAll($this + 1).count()", "error: limit"),
            ], options: options)
    }

    /// Texts that are made count by their length, so that their sum is bounded as well as each.
    @Test func textsThatAreMadeCount() throws {
        var options = FHIRPathOptions()
        options.maximumSteps = 1_000_000
        let long = "'\(String(repeating: "0123456789abcdef", count: 1_000))'"
        Sample.expect(
            [
                ("'a'.repeat($this + 'a').count()", "error: limit"), ("'a'.repeat($this & 'a').count()", "error: limit"),
                ("\(long).repeat(substring(1)).count()", "error: limit"), ("\(long).toChars().count()", "16000"),
            ], options: options)
    }

    /// Whoever evaluates can end what takes long.
    @Test func whatTheInterruptionThrowsEndsTheEvaluation() throws {
        struct Enough: Error {}
        var context = FHIRPathContext()
        let path = try FHIRPath("1.repeat($this + 1).count()")
        var calls = 0
        context.interrupt = {
            calls += 1
            if calls == 3 { throw Enough() }
        }
        #expect(throws: Enough.self) { try path.evaluate(context: context) }
        #expect(calls == 3)
        var unlimited = FHIRPathOptions()
        unlimited.maximumSteps = .max
        #expect(try FHIRPath("1 + 1", options: unlimited).evaluate().first?.int == 2)
        // A short one is never interrupted.
        #expect(try FHIRPath("1 + 1").evaluate(context: context).first?.int == 2 && calls == 3)
    }

    @Test func referencesHaveKeysUnderBasesThatAreKnown() throws {
        let bundle = try FHIRJSON.resource(
            from: Data(
                #"""
                {"resourceType":"Bundle","type":"collection","entry":[
                 {"fullUrl":"http://a.example/Patient/1","resource":{"resourceType":"Patient","id":"1","gender":"male"}},
                 {"fullUrl":"http://b.example/Patient/1","resource":{"resourceType":"Patient","id":"1","gender":"female"}},
                 {"fullUrl":"http://b.example/Observation/2","resource":{"resourceType":"Observation","id":"2","status":"final",
                   "code":{"text":"x"},"subject":{"reference":"Patient/1"},"performer":[{"reference":"http://a.example/Patient/1"}],
                   "focus":[{"reference":"http://c.example/Patient/1"}]}}]}
                """#.utf8), release: .r4)
        var context = FHIRPathContext()
        let observation = "Bundle.entry.resource.ofType(Observation)"
        // A relative reference is one to the server of its own entry.
        Sample.expect(
            [
                ("\(observation).subject.resolve().ofType(Patient).gender", "female"),
                ("\(observation).performer.resolve().ofType(Patient).gender", "male"), ("\(observation).focus.resolve()", ""),
                ("\(observation).subject.getReferenceKey()", "Patient/1"), ("\(observation).performer.getReferenceKey()", ""),
            ], on: bundle, context: context)
        context.bases = ["http://a.example"]
        Sample.expect(
            [
                ("\(observation).performer.getReferenceKey()", "Patient/1"),
                ("\(observation).performer.getReferenceKey(Patient)", "Patient/1"),
                ("\(observation).performer.getReferenceKey(Group)", ""), ("\(observation).focus.getReferenceKey()", ""),
            ], on: bundle, context: context)
    }
}
