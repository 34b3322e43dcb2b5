import Foundation
import Testing

@testable import FireLiteSamples

struct ExportQueueTests {
    /// 100 samples whose numbers follow one another.
    private func chunk(_ number: Int) -> [Sample] {
        (0..<100).map {
            Sample(
                type: .heartRate, start: Date(timeIntervalSince1970: Double(number * 100 + $0)), value: .quantity("60", unit: "count/min"))
        }
    }

    /// A parser that is always ahead of the store must not let memory grow with the file.
    @Test func whatWasTakenDoesNotStayWhileMoreIsThere() throws {
        let queue = ExportQueue()
        #expect(queue.put(chunk(0), ignored: [:]))
        var most = 0
        for number in 0..<500 {
            #expect(queue.put(chunk(number + 1), ignored: [:]))
            most = max(most, queue.count)
            let (samples, isComplete) = try queue.take(100)
            #expect(samples.map { Int($0.start.timeIntervalSince1970) } == Array(number * 100..<(number + 1) * 100))
            #expect(!isComplete)
        }
        #expect(most < 5_000)
    }
}
