import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// The unique identifier goes into a resource's JSON, and every other byte stays.
@Suite struct JSONListInsertionTests {
    @Test(arguments: [
        (#"{}"#, #"{"a":[1]}"#), (#" { } "#, #" { "a":[1]} "#), (#"{"b":1}"#, #"{"b":1,"a":[1]}"#),
        (#"{"a":[]}"#, #"{"a":[1]}"#), (#"{"a" : [ 0 ] ,"b":"]"}"#, #"{"a" : [ 0 ,1] ,"b":"]"}"#),
        (#"{"x":{"a":[9]},"y":["a",{"a":[]}],"a":[{"z":"\"]"}]}"#, #"{"x":{"a":[9]},"y":["a",{"a":[]}],"a":[{"z":"\"]"},1]}"#),
        (#"{"n":1.50,"t":true,"s":"}"}"#, #"{"n":1.50,"t":true,"s":"}","a":[1]}"#),
    ]) func elementsAreAppended(_ json: String, _ expected: String) {
        #expect(JSONListInsertion.appending("1", to: ["a"], in: Data(json.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(arguments: [
        (#"{"b":2}"#, #"{"b":2,"m":{"t":[1]}}"#), (#"{"m":{}}"#, #"{"m":{"t":[1]}}"#),
        (#"{"m":{"t":[0]},"b":2}"#, #"{"m":{"t":[0,1]},"b":2}"#), (#"{"m":{"v":"3"}}"#, #"{"m":{"v":"3","t":[1]}}"#),
    ]) func listsInObjectsToo(_ json: String, _ expected: String) {
        #expect(
            JSONListInsertion.appending("1", to: ["m", "t"], in: Data(json.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(arguments: ["", "[]", "1", #"{"a""#, #"{"a":1}"#, #"{"a":[1"#, #"{"a" 1}"#, #"{"b":"#, #"{a:1}"#, #"{"b":1 "a":[]}"#])
    func whatIsNoSuchObjectIsNotChanged(_ json: String) {
        #expect(JSONListInsertion.appending("1", to: ["a"], in: Data(json.utf8)) == nil)
    }
}
