import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// What threads remember together is never an answer to another question.
struct RememberedAnswersTests {
    /// Few texts, some of which look alike, so that questions differ in one part alone.
    private static let texts: [String?] = [nil, "", "a", "b", "ab", "é", "e\u{301}"]

    private static var questions: [CodeQuestion] {
        texts.flatMap { system in
            texts.flatMap { version in
                texts.flatMap { display in
                    texts.compactMap { $0 }.map { CodeQuestion(system: system, version: version, code: $0, display: display) }
                }
            }
        }
    }

    /// The texts, byte by byte.
    private static func key(_ question: CodeQuestion) -> [[UInt8]?] {
        [question.system, question.version, question.code, question.display].map { $0.map { Array($0.utf8) } }
    }

    @Test func questionsAreEqualIfTheirBytesAre() {
        var random = SeededGenerator(seed: 1)
        let questions = Self.questions
        for _ in 0..<20_000 {
            let (left, right) = (questions.randomElement(using: &random), questions.randomElement(using: &random))
            guard let left, let right else { continue }
            #expect((left == right) == (Self.key(left) == Self.key(right)))
            if left == right { #expect(left.hashValue == right.hashValue) }
        }
        #expect(Set(questions).count == questions.count)
    }

    @Test(arguments: [64, 1_000, 100_000]) func answersAreThoseOfTheQuestion(_ limit: Int) async {
        let memory = RememberedAnswers<CodeQuestion, Int>(limit: limit)
        let questions = Self.questions
        let found = await withTaskGroup(of: Int.self) { group in
            for seed in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(seed))
                    var found = 0
                    for _ in 0..<20_000 {
                        let number = Int.random(in: questions.indices, using: &random)
                        if let answer = memory.answer(to: questions[number], about: questions[number].code) {
                            #expect(answer == number)
                            found += 1
                        } else {
                            memory.remember(number, to: questions[number], about: questions[number].code)
                        }
                    }
                    return found
                }
            }
            return await group.reduce(0, +)
        }
        // With room for all of them, each is asked for about once by each thread before it is known.
        #expect(limit < 100_000 || found >= 80_000 - 4 * questions.count)
        // With little room, most are forgotten.
        #expect(limit > 64 || found < 40_000)
    }
}
