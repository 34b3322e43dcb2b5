import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

@Suite struct SpilledBodyTests {
    @Test func blocksComeBackInTheirOrder() throws {
        var body = try SpilledBody()
        var random = SeededGenerator(seed: 3)
        var model: [Data] = []
        for step in 0..<2000 {
            if Bool.random(using: &random) {
                let block = Data(repeating: UInt8(truncatingIfNeeded: step), count: Int.random(in: 0...5000, using: &random))
                try body.append(block)
                model.append(block)
            } else {
                #expect(try body.take() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(body.isEmpty == model.isEmpty)
        }
    }
}
